"""What packages of all kinds have in common: the same C, the label, errors, and all or nothing."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, files_under, run
from tests.package.package_builds import TARGETS, compile_through_package, make_package
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.package.kinds import KINDS
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MODEL = SINE / "sine.tflite"
PARTS = ("atmega328", "nrf51", "stm32f405", "mps3_an547", "riscv32imc", "esp8266", "xtensa_lx6")


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The error of a package that is not made; the model is sine.tflite."""
    assert main(["package", words[0], str(MODEL), *words[1:]]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_same_c(kind: str, tmp_path: Path) -> None:
    """Every kind has what `compile` writes, byte for byte."""
    request = Request(MODEL.read_bytes(), "sine", load_target(TARGETS[kind]))
    expected = compile_model(KINDS[kind].prepare(request)).files
    found = files_under(compile_through_package(tmp_path, kind))
    assert found == {name: expected[name].encode() for name in ("sine.c", "sine.h")}


@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_each_time(kind: str, tmp_path: Path) -> None:
    """A package has no date and no path in it, and is made anew over an earlier one."""
    first = files_under(make_package(kind, tmp_path / "first"))
    second = make_package(kind, tmp_path / "second")
    assert files_under(second) == first
    assert str(tmp_path) not in "".join(map(str, first.values()))
    (second / "README.md").write_text("of an earlier version\n")
    (second / "notes.txt").write_text("mine\n")
    make_package(kind, second)
    assert files_under(second) == {**first, "notes.txt": b"mine\n"}


@pytest.mark.parametrize("kind", KINDS)
def test_readme(kind: str, tmp_path: Path) -> None:
    """What it is, how large, and of which model."""
    folder = make_package(kind, tmp_path / "sine", "--license", "MIT", "--version", "3.2.1")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    request = Request(MODEL.read_bytes(), "sine", load_target(TARGETS[kind]))
    report = compile_model(KINDS[kind].prepare(request)).report
    for text in (
        *(f"`{report.model_sha256}`", f"`{TARGETS[kind]}`", "| 3.2.1 |", "| MIT |"),
        *(f"| {report.model_ram_bytes} |", f"| {report.constant_bytes} |"),
    ):
        assert text in readme


@pytest.mark.parametrize("part", PARTS)
def test_check_of_the_processor(part: str, tmp_path: Path) -> None:
    """The file that judges the processor takes the target's compiler, and this computer's only
    for what was compiled for it."""
    folder = make_package("c", tmp_path / "sine", target=part)
    source, include = folder / "src" / "sine_target.c", folder / "include"
    for target in (target_or_skip(part), load_target("host")):
        command = target.toolchain.compile_command(source, tmp_path / "o", include=[include])
        done = run(command, tmp_path)
        assert (done.returncode == 0) == (target.name == part)
    assert f"sine was compiled for target {part}" in done.stderr


def test_check_of_the_processor_of_the_host(tmp_path: Path) -> None:
    """Portable C compiles for any processor whose int has 32 bits."""
    folder = make_package("c", tmp_path / "sine", target="host")
    source, include = folder / "src" / "sine_target.c", folder / "include"
    taken = []
    for part in ("host", *PARTS):
        toolchain = target_or_skip(part).toolchain
        command = toolchain.compile_command(source, tmp_path / "o", include=[include])
        taken += [part] if run(command, tmp_path).returncode == 0 else []
    assert taken == ["host", *PARTS[1:]]


def test_unknown_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """With a suggestion."""
    assert refused(capsys, "ardunio") == (
        "package: error: unknown 'ardunio', expected one of arduino, esp-idf, zephyr, cmsis-pack, "
        "rust, c\n  hint: did you mean 'arduino'?\n"
    )


@pytest.mark.parametrize(
    ("kind", "target", "name", "text"),
    [
        ("arduino", "atmega328", "ArduinoWave", "one that does not begin with 'arduino'"),
        ("esp-idf", "esp32", "sine__wave", "single underscores between them"),
        ("esp-idf", "esp32", "main", "not 'main'"),
        ("zephyr", "stm32f405", "zephyr", "one that is not Zephyr's own"),
        ("c", "host", "test", "one that is no target of CMake's own"),
    ],
)
def test_name_that_is_refused(
    kind: str, target: str, name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each ecosystem has rules of its own."""
    error = refused(capsys, kind, "--target", target, "--name", name)
    assert error.startswith(f"name: error: '{name}' is not a valid name for ")
    assert text in error


@pytest.mark.parametrize(
    ("kind", "target", "ecosystem"),
    [
        ("arduino", "lm3s6965", "Arduino"),
        ("arduino", "host", "Arduino"),
        ("esp-idf", "esp8266", "ESP-IDF"),
        ("zephyr", "atmega328", "Zephyr"),
        ("cmsis-pack", "riscv32imc", "CMSIS"),
    ],
)
def test_target_that_is_refused(
    kind: str, target: str, ecosystem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the ecosystem has no compiler for."""
    error = refused(capsys, kind, "--target", target)
    assert error.startswith(f"target: error: {ecosystem} has nothing for '{target}', expected a")


def test_target_of_ones_own(tmp_path: Path) -> None:
    """It counts as what it names as parent, at any distance."""
    for name, parent in (("board", "atmega328"), ("revision_b", "board")):
        (tmp_path / "targets" / name).mkdir(parents=True)
        description = f'description = "ours"\nparent = "{parent}"\n'
        (tmp_path / "targets" / name / "target.toml").write_text(description)
    options = ("--targets", str(tmp_path / "targets"))
    folder = make_package("arduino", tmp_path / "sine", *options, target="revision_b")
    assert "architectures=avr\n" in (folder / "library.properties").read_text()


@pytest.mark.parametrize(
    ("option", "value", "where"),
    [
        ("--version", "1.0", "version"),
        ("--version", "1.02.3", "version"),
        ("--author", "", "author"),
        ("--author", "A\nB", "author"),
        ("--author", "Ada Lovelace", "author"),
        ("--url", "https://a.org\n", "url"),
    ],
)
def test_label_that_is_refused(
    option: str, value: str, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing that a line of a description file could not hold."""
    error = refused(capsys, "cmsis-pack", "--target", "nrf51", option, value)
    assert error.startswith(f"{where}: error: ")


def test_folder_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is left as it is, even a firmware that has the compiled model in its own `src`."""
    assert main(["compile", str(MODEL), "--name", "sine", "--out", str(tmp_path / "src")]) == 0
    (tmp_path / "Makefile").write_text("all:\n")
    before = files_under(tmp_path)
    error = refused(capsys, "c", "--name", "sine", "--out", str(tmp_path))
    assert error.startswith(f"{tmp_path}: error: holds other files, expected an empty folder or")
    assert files_under(tmp_path) == before


def test_package_of_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two models in one folder would both be compiled."""
    make_package("c", tmp_path / "out")
    error = refused(capsys, "c", "--name", "wave", "--out", str(tmp_path / "out"))
    assert "holds other files" in error


def test_full_disk(tmp_path: Path) -> None:
    """Where a file cannot be written whole, there is none at all."""
    assert shutil.which("sh")
    words = f"package c {MODEL} --target host --name sine --optimize layers"
    words += f" --out {tmp_path / 'sine'}"
    script = f"ulimit -f 8; exec {sys.executable} -B -m tinyml_rules {words}"  # 4 or 8 kB
    done = run(["sh", "-c", script], tmp_path, variables={"PYTHONPATH": str(PROJECT)})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path / 'sine'}: error: cannot be written (File too large)\n"
    assert files_under(tmp_path) == {}
