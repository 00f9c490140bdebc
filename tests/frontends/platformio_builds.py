"""PlatformIO without network: a core folder with its SCons and two small platforms of our own.

The platforms stand for `atmelavr` and `native`, which PlatformIO would download: their flags are
those that a bare-metal build gets there, their compilers are this computer's.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import SCons

from tests.frontends.builds import SINE, Done, run
from tests.frontends.node import EXAMPLES
from tests.frontends.stranger import write_main

_AVR = """\
from SCons.Script import Default, DefaultEnvironment

env = DefaultEnvironment()
env.Replace(
    AR="avr-gcc-ar",
    CC="avr-gcc",
    LINK="$CC",
    RANLIB="avr-gcc-ranlib",
    SIZETOOL="avr-size",
    SIZECHECKCMD="$SIZETOOL -A -d $SOURCES",
    SIZEPROGREGEXP=r"^(?:\\.text|\\.data)\\s+(\\d+).*",
    SIZEDATAREGEXP=r"^(?:\\.data|\\.bss)\\s+(\\d+).*",
    PROGNAME="firmware",
    PROGSUFFIX=".elf",
)
env.Append(
    CFLAGS=["-std=gnu11", "-fno-fat-lto-objects"],
    CCFLAGS=["-Os", "-Wall", "-ffunction-sections", "-fdata-sections", "-flto", "-mmcu=$BOARD_MCU"],
    CPPDEFINES=[("F_CPU", "$BOARD_F_CPU")],
    LINKFLAGS=["-Os", "-mmcu=$BOARD_MCU", "-Wl,--gc-sections", "-flto", "-fuse-linker-plugin"],
    LIBS=["m"],
)
Default(env.Alias("buildprog", env.BuildProgram()))
"""
_NATIVE = """\
from SCons.Script import Default, DefaultEnvironment

Default(DefaultEnvironment().Alias("buildprog", DefaultEnvironment().BuildProgram()))
"""
_UPLOADER = {"type": "uploader", "owner": "platformio", "optional": True, "version": "*"}
"""What makes a platform one of embedded boards; never installed, because nothing is uploaded."""
_BOARDS = {
    "uno": {"mcu": "atmega328p", "f_cpu": "16000000L"},
    "unheard_of": {"mcu": "attiny85", "f_cpu": "8000000L"},
}


@dataclass(frozen=True)
class PlatformIO:
    """Runs `pio` with a core folder and a folder of Python packages of its own."""

    core: Path
    packages: Path

    @property
    def variables(self) -> dict[str, str]:
        """What keeps PlatformIO to these folders and away from the network."""
        return {
            "PLATFORMIO_CORE_DIR": str(self.core),
            "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
            "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "9999",
            "PLATFORMIO_SETTING_CHECK_PRUNE_SYSTEM_THRESHOLD": "0",
            "PLATFORMIO_NO_ANSI": "true",
            "PYTHONPATH": str(self.packages),
            "TINYML_RULES": str(self.packages / "tinyml_rules" / "frontends" / "platformio"),
        }

    def run(self, project: Path, *arguments: str) -> Done:
        """Run `pio` in a project, whatever comes of it."""
        command = [sys.executable, "-m", "platformio", *arguments]
        return run(command, project, variables=self.variables)

    def build(self, project: Path, *arguments: str) -> str:
        """`pio run` where nothing may go wrong, nor be warned of; returns what was printed."""
        done = self.run(project, "run", *arguments)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout


def compile_through_platformio(folder: Path, platformio: PlatformIO) -> Path:
    """Build a firmware around the sine for the ATmega328; returns the folder of its C."""
    project = make_project(folder, environments={"uno": {"platform": "atmelavr", "board": "uno"}})
    platformio.build(project)
    return project / ".pio" / "build" / "uno" / "tinyml"


def make_project(folder: Path, *, environments: Mapping[str, Mapping[str, str]]) -> Path:
    """A project with the sine and a main() that runs it, by the script of the documentation.

    `environments`: the options of each, by its name.
    """
    (folder / "src").mkdir(parents=True)
    (folder / "nets").mkdir()
    shutil.copy2(SINE / "sine.tflite", folder / "nets")
    shutil.copy2(EXAMPLES / "platformio" / "tinyml.py", folder)
    write_main(folder / "src", "sine")
    sections = [
        "[env]\nextra_scripts = pre:tinyml.py\ncustom_tinyml_models = nets/sine.tflite\n",
        *(
            f"[env:{name}]\n" + "".join(f"{key} = {value}\n" for key, value in options.items())
            for name, options in environments.items()
        ),
    ]
    (folder / "platformio.ini").write_text("\n".join(sections))
    return folder


def make_platformio(folder: Path, wheel: Path) -> PlatformIO:
    """A core folder in `folder`, and `wheel` installed for the Python that runs PlatformIO."""
    core, packages = folder / "core", folder / "packages"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    done = run([*pip, "--target", packages, wheel], folder)
    assert done.returncode == 0, done.stderr
    _make_scons(core / "packages" / "tool-scons")
    boards = {f"boards/{name}.json": _board(name, build) for name, build in _BOARDS.items()}
    _make_platform(core / "platforms" / "atmelavr", script=_AVR, files=boards)
    _make_platform(core / "platforms" / "native", script=_NATIVE, files={})
    return PlatformIO(core, packages)


def _make_scons(folder: Path) -> None:
    """The package that PlatformIO builds with, made of the SCons that is installed here."""
    folder.mkdir(parents=True)
    source = Path(SCons.__file__).parent
    shutil.copytree(source, folder / "SCons", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "scons.py").write_text("from SCons.Script.Main import main\n\nmain()\n")
    major, minor, patch = version("SCons").split(".")
    number = f"{major}.{major}{int(minor):02}{int(patch):02}.0"  # 4.11.1 is called 4.41101.0
    _describe(folder, "package.json", kind="tool", name="tool-scons", number=number)


def _board(name: str, build: Mapping[str, str]) -> dict[str, Any]:
    upload = {"maximum_size": 32_256, "maximum_ram_size": 2_048}
    told = {"name": name, "url": "", "vendor": "", "frameworks": []}
    return {**told, "build": build, "upload": upload}


def _make_platform(folder: Path, *, script: str, files: Mapping[str, Any]) -> None:
    (folder / "builder").mkdir(parents=True)
    (folder / "boards").mkdir()
    (folder / "builder" / "main.py").write_text(script)
    for name, contents in files.items():
        (folder / name).write_text(json.dumps(contents))
    _describe(folder, "platform.json", kind="platform", name=folder.name, number="1.0.0")


def _describe(folder: Path, file_name: str, *, kind: str, name: str, number: str) -> None:
    """A package's manifest, and the note that PlatformIO leaves where it installed one."""
    packages = {"tool-avrdude": _UPLOADER} if name == "atmelavr" else {}
    manifest = {"name": name, "title": name, "version": number, "packages": packages}
    (folder / file_name).write_text(json.dumps(manifest))
    spec = {"owner": "platformio", "id": None, "name": name, "requirements": None, "uri": None}
    note = {"type": kind, "name": name, "version": number, "spec": spec}
    (folder / ".piopm").write_text(json.dumps(note))
