"""A model as a package of RT-Thread, in an imitation of its build with the board's toolchain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, files_under, run, symbols, with_other_weight
from tests.frontends.rtthread_builds import (
    add_package,
    compile_through_rtthread,
    make_board,
    scons,
)
from tests.frontends.stranger import expected_answers
from tests.support.hand_written import target_or_skip
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

SAMPLES = 32
GENERATED = "build/sine/lm3s6965/sine"
QEMU = ("qemu-system-arm", "-M", "lm3s6965evb", "-display", "none", "-monitor", "none")
SERIAL_PORT = ("-serial", "stdio", "-semihosting-config", "enable=on,target=native")

_LINE = re.compile(r"^x (-?\d+) height (-?\d+)$", re.M)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """The folder of a board, without the package."""
    target_or_skip("lm3s6965")
    return make_board(tmp_path / "rt-thread")


def heights(board: Path) -> dict[int, int]:
    """{x: height}, as the firmware's shell command prints them on QEMU."""
    done = run([*QEMU, *SERIAL_PORT, "-kernel", board / "rtthread.elf"], board, timeout_s=60)
    assert done.stdout.startswith("msh >shaft\n")
    printed = _LINE.findall(done.stdout)
    assert len(printed) == SAMPLES
    return {int(x): int(height) for x, height in printed}


def test_command(board: Path, installed_python: Path) -> None:
    """Its heights are TFLM's, with another model too; a build without changes does nothing."""
    package = add_package(board)
    scons(board, installed_python)
    first = heights(board)
    model = SINE.joinpath("sine.tflite").read_bytes()
    assert list(first.values()) == expected_answers(model, list(first))
    assert "`.' is up to date." in scons(board, installed_python)
    other = with_other_weight(model)
    (package / "sine.tflite").write_bytes(other)
    rebuilt = scons(board, installed_python)
    assert "TINYML" in rebuilt
    assert " -o build/sine/shaft.o " not in rebuilt
    second = heights(board)
    assert list(second.values()) == expected_answers(other, list(second))
    assert second != first


def commands(output: str) -> dict[str, str]:
    """{file: how the board's own compiler made it}, without search paths."""
    lines = [line for line in output.splitlines() if line.startswith("arm-none-eabi-gcc ")]
    return {line.split()[2]: re.sub(r" -I\S+", "", line) for line in lines}


def test_nothing_of_the_board_changes(board: Path, installed_python: Path) -> None:
    """Its files are compiled as without the package, the package's with the same flags."""
    plain = commands(scons(board, installed_python))
    scons(board, installed_python, "-c")
    add_package(board)
    added = commands(scons(board, installed_python))
    names = (f"{GENERATED}/sine.o", "build/sine/shaft.o")
    objects = {name: added.pop(name) for name in names}
    assert added.pop("rtthread.elf").replace(f" {' '.join(names)}", "") == plain.pop("rtthread.elf")
    assert added == plain
    startup = plain["build/startup.o"]
    assert objects[names[0]] == startup.replace("build/startup.o", names[0]).replace(
        " startup.c", f" {GENERATED}/sine.c"
    )


def test_board_without_a_shell(board: Path, installed_python: Path) -> None:
    """The group depends on it, as rtconfig.h says: nothing of it is linked."""
    configuration = board / "rtconfig.h"
    configuration.write_text(configuration.read_text().replace("#define RT_USING_FINSH\n", ""))
    add_package(board)
    scons(board, installed_python)
    assert "rtthread_startup" in symbols(board / "rtthread.elf")
    assert not any(name.startswith("sine") for name in symbols(board / "rtthread.elf"))


def test_clean_and_cache(board: Path, installed_python: Path) -> None:
    """Nothing is written beside the package's files, all is removed, and comes from the cache."""
    package = add_package(board)
    before = files_under(package)
    with (board / "SConstruct").open("a") as file:
        file.write("CacheDir('cache')\n")
    scons(board, installed_python)
    assert files_under(package) == before
    scons(board, installed_python, "-c")
    assert not list((board / "build").rglob("sine.*"))
    assert f"Retrieved `{GENERATED}/sine.c' from cache" in scons(board, installed_python)


def test_same_bytes(installed_python: Path, tmp_path: Path) -> None:
    """What RT-Thread's build compiles is what the compiler writes."""
    target_or_skip("lm3s6965")
    folder = compile_through_rtthread(tmp_path / "rt-thread", installed_python)
    request = Request((SINE / "sine.tflite").read_bytes(), "sine", load_target("atmega328"))
    files = compile_model(request).files
    for name in ("sine.c", "sine.h"):
        assert (folder / name).read_text() == files[name]
