"""From a model to a tested firmware by the commands that `init` shows, in every kind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.frontends.platformio_builds import PlatformIO
from tests.frontends.rtthread_builds import make_board
from tests.projects.models import two_inputs
from tests.projects.ways import MOST_COMMANDS, TESTED, Made, Way, make, programs
from tinyml_rules.projects.kind import kinds

TARGETS = {
    "arduino": "uno",
    "c": "uno",
    "cmake": "uno",
    "esp-idf": "esp32c3",
    "make": "nrf52840",
    "meson": "riscv32imc",
    "platformio": "uno",
    "rtthread": "lm3s6965",
    "scons": "uno",
    "zephyr": "host",
}
"""By kind: AVR, Cortex-M, RISC-V and this computer."""
BY_OTHERS = {"bazel": "bazel/test_project.py", "cmsis-pack": "projects/test_solution.py"}
FIRMWARES = {
    "arduino": "build/net_sketch.ino.elf",
    "c": "model/host/net_example",
    "cmake": "build/firmware.elf",
    "make": "firmware.elf",
    "meson": "build/firmware.elf",
    "platformio": ".pio/build/uno/firmware.elf",
    "rtthread": "../rtthread.elf",
    "scons": "firmware.elf",
    "zephyr": "build/app",
}
"""What is built, but for idf.py's stand-in, which only compiles."""


def project(
    kind: str, target: str, tmp_path: Path, python: Path, platformio: PlatformIO | None = None
) -> Made:
    """A new project around a model with layers, two inputs and three outputs."""
    (tmp_path / "net.tflite").write_bytes(two_inputs())
    folder = tmp_path / "here"
    variables: dict[str, str] = {}
    if kind == "rtthread":
        folder = make_board(tmp_path / "rt-thread")
        compiler = shutil.which("arm-none-eabi-gcc")
        assert compiler is not None
        variables["RTT_EXEC_PATH"] = str(Path(compiler).parent)
    else:
        folder.mkdir()
    if platformio is not None:
        variables |= platformio.variables
    way = Way(folder, variables)
    bench = programs(tmp_path / "programs")
    return make(kind, tmp_path / "net.tflite", target=target, way=way, python=python, bench=bench)


def test_every_kind_is_here() -> None:
    """A new one has a row above, or in another test."""
    assert {*TARGETS, *BY_OTHERS} == set(kinds())


@pytest.mark.parametrize("kind", [each for each in TARGETS if each != "platformio"])
def test_commands(kind: str, installed_python: Path, tmp_path: Path) -> None:
    """They build the firmware and pass its test."""
    check(kind, project(kind, TARGETS[kind], tmp_path, installed_python))


def test_commands_of_platformio(
    platformio: PlatformIO, installed_python: Path, tmp_path: Path
) -> None:
    """With small platforms in the place of its own."""
    made = project("platformio", "uno", tmp_path, installed_python, platformio)
    check("platformio", made)


def check(kind: str, made: Made) -> None:
    """The commands are few, pass, and leave a firmware."""
    assert 1 + len(made.commands) <= MOST_COMMANDS
    printed = made.follow()
    assert TESTED.search(printed), printed
    firmware = FIRMWARES.get(kind)
    assert firmware is None or (made.folder / firmware).is_file()
