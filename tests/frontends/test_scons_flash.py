"""`scons flash`: the programmer's command line, and what is wrong before it is run."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from tests.frontends.builds import build, copy_project, has_worked, scons
from tests.support.hand_written import target_or_skip
from tinyml_rules.firmware.board import program_suffix
from tinyml_rules.firmware.formats.esp8266 import elf_to_esp8266
from tinyml_rules.target.parts import own_targets
from tinyml_rules.target.target import load_target

TARGETS = [name for name in own_targets() if load_target(name).programmer is not None]
PORT = "/dev/some port"

COMMANDS = {
    "atmega328": "avrdude -c arduino -p m328p -P '/dev/some port' -b 115200 "
    "-U flash:w:build/atmega328/sine/sine.hex:i",
    "esp8266": "esptool --chip esp8266 --port '/dev/some port' --baud 115200 "
    "write-flash 0x0 build/esp8266/sine/sine.bin",
    "nrf52840": "pyocd flash --no-wait --target nrf52840 --format hex build/nrf52840/sine/sine.hex",
    "rp2040": "cp build/rp2040/sine/sine.uf2 '/dev/some port'",
    "stm32f405": "openocd -f interface/stlink.cfg -f target/stm32f4x.cfg "
    "-c 'program build/stm32f405/sine/sine.hex verify reset exit'",
}
"""As they are shown, for a part of each programmer."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in a folder with a blank."""
    return copy_project(tmp_path_factory.mktemp("flash") / "my copy")


def probe(folder: Path, program: str, *, exit_status: int = 0) -> str:
    """A search path that begins with a `program` which notes its arguments, a line each."""
    folder.mkdir()
    script = folder / program
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/words"\nexit {exit_status}\n')
    script.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("target", TARGETS)
def test_dry_run(target: str, project: Path) -> None:
    """`-n` shows the command for the file in the programmer's format, and writes nothing."""
    part = target_or_skip(target)
    assert part.programmer
    output = build(project, "-n", f"target={target}", "flash", f"port={PORT}")
    words = shlex.split(output.splitlines()[-1])
    assert words[0] == part.programmer.program
    file = f"build/{target}/sine/sine.{program_suffix(part)}"
    assert len([word for word in words if file in word]) == 1
    assert (PORT in words) == any("{port}" in word for word in part.programmer.command)
    assert not any("{" in word or "$" in word for word in words)
    assert words == shlex.split(COMMANDS.get(target, shlex.join(words)))
    assert not (project / file).exists()


def test_the_program_is_run_on_what_was_built(project: Path, tmp_path: Path) -> None:
    """Once a request, although nothing has changed."""
    target_or_skip("atmega328")
    path = probe(tmp_path / "bin", "avrdude")
    words = tmp_path / "bin" / "words"
    for is_first in (True, False):
        done = scons(project, "target=atmega328", "flash", f"port={PORT}", path=path)
        assert (done.returncode, done.stderr) == (0, "")
        assert has_worked(done.stdout) == is_first
        command = shlex.split(done.stdout.splitlines()[-1])
        assert command == shlex.split(COMMANDS["atmega328"])
        assert words.read_text().splitlines() == command[1:]
        words.unlink()
    assert (project / "build/atmega328/sine/sine.hex").read_text().endswith(":00000001FF\n")
    build(project, "-n", "target=atmega328", "flash", f"port={PORT}")
    assert not words.exists()


def test_a_file_for_a_drive(project: Path, tmp_path: Path) -> None:
    """The RP2040's programmer is `cp`, so that the whole way can be gone."""
    target_or_skip("rp2040")
    drive = tmp_path / "RPI-RP2"
    drive.mkdir()
    build(project, "target=rp2040", "flash", f"port={drive}")
    built = project / "build" / "rp2040" / "sine" / "sine.uf2"
    assert (drive / "sine.uf2").read_bytes() == built.read_bytes()


def test_a_file_for_a_boot_rom(project: Path) -> None:
    """The ESP8266's has a format of its own, and the name of a plain memory image."""
    target_or_skip("esp8266")
    build(project, "target=esp8266")
    built = project / "build" / "esp8266" / "sine" / "sine.bin"
    assert built.read_bytes() == elf_to_esp8266(built.with_suffix(".elf"))


def test_a_programmer_that_fails(project: Path, tmp_path: Path) -> None:
    """The build fails with it."""
    target_or_skip("atmega328")
    path = probe(tmp_path / "bin", "avrdude", exit_status=1)
    done = scons(project, "target=atmega328", "flash", f"port={PORT}", path=path)
    assert done.returncode != 0
    assert "[flash.shown] Error 1" in done.stderr


@pytest.mark.parametrize(
    ("target", "arguments", "status", "message"),
    [
        (
            "atmega328",
            (),
            2,
            "atmega328: error: avrdude needs the port of the board\n"
            "  hint: add port=, for example port=/dev/ttyACM0\n",
        ),
        (
            "atmega328",
            (f"port={PORT}",),
            3,
            "atmega328: error: 'avrdude' is not installed\n"
            "  hint: run: sudo apt-get install avrdude\n",
        ),
        (
            "nrf52840",
            (),
            3,
            "nrf52840: error: 'pyocd' is not installed\n  hint: run: pip install pyocd\n",
        ),
        (
            "host",
            (),
            1,
            "host: error: no program is known that writes to such a board: its target.toml has "
            "no [programmer]\n",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_built(
    target: str, arguments: tuple[str, ...], status: int, message: str, tmp_path: Path
) -> None:
    """One error, no traceback, and no work."""
    part = target_or_skip(target)
    bin_folder = tmp_path / "bin"  # with the build's programs and no programmer
    bin_folder.mkdir()
    for program in ("sh", *(tool.program for tool in part.tools if "." not in tool.program)):
        found = shutil.which(program)
        assert found
        (bin_folder / program).symlink_to(found)
    folder = copy_project(tmp_path / "copy")
    done = scons(folder, f"target={target}", "flash", *arguments, path=str(bin_folder))
    assert (done.returncode, done.stderr) == (status, message)
    assert not has_worked(done.stdout)
