"""`init`: what it refuses, what it prints in a firmware that exists, and models of every type."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.builds import SINE, files_under
from tests.package.package_builds import answers_of, expected_answers
from tests.projects.models import MODELS, two_inputs
from tinyml_rules.cli import main
from tinyml_rules.package.kinds import KINDS as PACKAGES
from tinyml_rules.projects import vectors
from tinyml_rules.projects.kind import kinds
from tinyml_rules.request.options_file import read_options

MODEL = SINE / "sine.tflite"
FRONT_ENDS = Path(sys.modules["tinyml_rules.projects"].__file__ or "").parents[1] / "frontends"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def init(*words: object) -> int:
    """Run the command; returns its exit status."""
    return main(["init", *map(str, words)])


def test_a_kind_for_each_front_end() -> None:
    """A new one brings its own folder of templates; a library is one of `package`."""
    folders = (each for each in FRONT_ENDS.iterdir() if each.is_dir())
    front_ends = {each.name for each in folders if not each.name.startswith("_")}
    assert front_ends <= set(kinds())
    assert {each.word for each in kinds().values() if each.library} <= set(PACKAGES)


def test_unknown_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """The closest one is suggested."""
    assert init("cmaek", MODEL) == 2
    assert "init: error: unknown 'cmaek', expected one of arduino, " in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["make", "scons"])
def test_nothing_is_replaced(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that are there are named in one error, and nothing is written."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("main.c", "README.md"):
        (folder / name).write_text("mine\n")
    before = files_under(folder)
    assert init(kind, MODEL, "--out", folder) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(
        f"{folder}: error: holds README.md, main.c, expected none of the files that are written\n"
    )
    assert files_under(folder) == before


def test_no_link_is_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of the project that is a link leads out of it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "part").symlink_to(tmp_path / "outside")
    assert init("make", MODEL, "--target", "nrf51", "--out", tmp_path / "mine") == 2
    assert "error: holds part, expected none" in capsys.readouterr().err
    assert not list((tmp_path / "outside").iterdir())


def test_a_project_is_new_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second call finds a firmware, and prints what it gets."""
    assert init("make", MODEL) == 0
    before = files_under(tmp_path)
    assert "    cd sine\n    make test\n" in capsys.readouterr().out
    assert init("make", MODEL, "--out", "sine") == 0
    assert capsys.readouterr().out.startswith("sine/Makefile is here, so that nothing is written;")
    assert files_under(tmp_path) == before


@pytest.mark.parametrize("kind", [each for each in kinds().values() if each.marks])
def test_lines(kind: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a firmware is, its lines name the model as the build file has to."""
    found = next(each for each in kinds().values() if each is kind)
    mark = tmp_path / found.marks[0].replace("*", "mine")
    mark.parent.mkdir(exist_ok=True)
    mark.write_text("mine\n")
    target = "stm32f411" if found.architectures == ("arm",) else "esp32c3"
    target = target if found.library and found.word != "arduino" else "uno"
    assert init(found.word, MODEL, "--target", target) == 0
    printed = capsys.readouterr().out
    assert "sine" in printed
    assert "{{" not in printed
    assert files_under(tmp_path) == {mark.relative_to(tmp_path).as_posix(): b"mine\n"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cmake", "--name", "test"), "name: error: 'test' is taken in a project of CMake"),
        (("make", "--target", "esp32"), "target: error: 'esp32' has startup code and a compiler"),
        (("bazel", "--target", "riscv32imc"), "target: error: 'riscv32imc' is of riscv, expected"),
        (("platformio", "--target", "nrf51"), "target: error: no board of PlatformIO is known for"),
        (("zephyr", "--target", "uno"), "target: error: Zephyr has nothing for 'uno', expected"),
    ],
)
def test_what_a_kind_refuses(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One error, and nothing is written."""
    assert init(words[0], MODEL, *words[1:]) == 2
    assert capsys.readouterr().err.startswith(message)
    assert not list(tmp_path.iterdir())


def test_options_come_along(tmp_path: Path) -> None:
    """The file next to the model, with what it names."""
    given = tmp_path / "given"
    given.mkdir()
    (given / "sine.tflite").write_bytes(MODEL.read_bytes())
    sensor = '[input]\nraw = "uint8"\nrange = [0, 255]\n'
    (given / "raw.toml").write_text(sensor)
    (given / "sine.tinyml.toml").write_text('sensor = "raw.toml"\noptimize = "layers"\n')
    assert init("make", given / "sine.tflite") == 0
    assert (tmp_path / "sine" / "raw.toml").read_text() == sensor
    assert 'optimize = "layers"' in (tmp_path / "sine" / "sine.tinyml.toml").read_text()


def test_options_that_are_suggested(tmp_path: Path) -> None:
    """Those in the comments of a new file are options, with values that they take."""
    assert init("make", MODEL) == 0
    file = tmp_path / "sine" / "sine.tinyml.toml"
    text = re.sub(r"^# (?=\w+ = )", "", file.read_text(), flags=re.M)
    file.write_text(text)
    assert set(read_options(file)) == {"optimize", "selftest"}


def test_options_from_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file outside of the model's folder would be missing in the project."""
    (tmp_path / "given").mkdir()
    model = tmp_path / "given" / "sine.tflite"
    model.write_bytes(MODEL.read_bytes())
    (tmp_path / "raw.toml").write_text('[input]\nraw = "uint8"\nrange = [0, 1]\n')
    model.with_name("sine.tinyml.toml").write_text('sensor = "../raw.toml"\n')
    assert init("make", model) == 2
    assert "expected a file in the folder of the model" in capsys.readouterr().err
    assert not (tmp_path / "sine").exists()


def test_without_tflm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outputs are those of our own definitions, which the README says; they are the same."""
    model = tmp_path / "net.tflite"
    model.write_bytes(two_inputs())
    assert init("make", model, "--out", "tflm") == 0
    monkeypatch.setattr(vectors, "chosen_reference", lambda *_: "numpy")
    assert init("make", model, "--out", "numpy") == 0
    readmes = {name: (tmp_path / name / "README.md").read_text() for name in ("tflm", "numpy")}
    assert "those of TensorFlow Lite for Microcontrollers (TFLM)." in readmes["tflm"]
    assert "own definitions of the operators in numpy, because TFLM" in readmes["numpy"]
    with (
        np.load(tmp_path / "tflm" / "vectors.npz") as expected,
        np.load(tmp_path / "numpy" / "vectors.npz") as found,
    ):
        assert sorted(found) == ["coarse", "in", "other", "out", "sum"]
        assert all(np.array_equal(found[each], expected[each]) for each in expected)


def test_wrong_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One value that is expected otherwise fails the test of the project."""
    assert init("make", MODEL) == 0
    file = tmp_path / "sine" / "vectors.npz"
    with np.load(file) as arrays:
        expected = dict(arrays)
    expected["sine/output"].flat[0] ^= 1
    np.savez(file, **expected)
    assert main(["test", str(tmp_path / "sine" / "sine.tflite"), "--vectors", str(file)]) == 1
    assert "sample 0: output 'sine/output'[0, 0] is " in capsys.readouterr().err


@pytest.mark.parametrize("name", MODELS)
def test_inputs_of_every_type(name: str, tmp_path: Path) -> None:
    """The main program compiles without a warning and prints all outputs; the test passes."""
    model = tmp_path / "net.tflite"
    model.write_bytes(MODELS[name]())
    assert init("make", model) == 0
    vectors_ = ["--vectors", tmp_path / "net" / "vectors.npz"]
    assert main(["test", *map(str, [tmp_path / "net" / "net.tflite", *vectors_])]) == 0
    assert main(["compile", str(model), "--out", str(tmp_path / "net")]) == 0
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "main.c", "net.c", "-o", "net"]
    subprocess.run(command, cwd=tmp_path / "net", check=True)
    printed = subprocess.run(
        [tmp_path / "net" / "net"], capture_output=True, text=True, check=True
    ).stdout
    assert len(re.findall(r"^-?\d+:( \S+)+$", printed, re.M)) == 32
    if name == "int8":
        assert answers_of(printed) == expected_answers(model)
