"""A project made by the installed package, and its README followed to the letter.

West, idf.py and arduino-cli are no packages of Debian's or of PyPI's: small programs stand for them
that build the same files."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.pages import code_blocks
from tests.frontends.builds import HANGS_S
from tests.package.package_builds import BUILDER, CORE
from tests.package.test_package_zephyr import STAND_IN
from tests.support.warm_python import warm_python

MOST_COMMANDS = 3
"""From the model to a tested firmware, `init` included."""
TESTED = re.compile(
    r"\d samples equal|100% tests passed, 0 tests failed out of 1|Ok: +1\b|TEST +\S+[.]passed"
)

_WEST = """\
#!/bin/sh -e
test "$1 $2" = "build -b"
cmake -G Ninja -B build -DBOARD="$3" && cmake --build build
"""
_IDF = """\
#!/bin/sh -e
test "$1 $3" = "set-target build"
cd components/*/
for source in $(sed -n 's/.*SRCS//p' CMakeLists.txt | tr -d '"'); do
  riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -std=gnu11 -ffreestanding \\
    -Wall -Werror -Iinclude \\
    -c "$source" -o /dev/null
done
gcc -std=gnu11 -Wall -Werror -fsyntax-only -Iinclude ../../main/main.c
"""
_ARDUINO = f"""\
#!/bin/sh -e
test "$1 $2 $4" = "compile --fqbn --libraries"
mkdir -p build
exec arduino-builder -compile -warnings all -hardware {CORE} -hardware {BUILDER} \\
  -tools /usr/bin -built-in-libraries {CORE}/arduino/avr/libraries -libraries "$5" \\
  -fqbn "$3" -build-path "$PWD/build" \\
  -prefs compiler.cpp.extra_flags=-DDECIMAL_DIG=17 "$6/$6.ino"
"""


@dataclass(frozen=True)
class Way:
    """The bench of one kind: variables, and the folder in which the project is made."""

    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)


def programs(folder: Path) -> Path:
    """A folder for the path with the programs of this computer's Python, and the stand-ins."""
    folder.mkdir()
    texts = {"west": _WEST, "idf.py": _IDF, "arduino-cli": _ARDUINO}
    for name, module in (("meson", "mesonbuild.mesonmain"), ("pio", "platformio")):
        texts[name] = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {module} "$@"\n'
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    zephyr = folder / "zephyr"
    zephyr.mkdir()
    (zephyr / "ZephyrConfig.cmake").write_text(STAND_IN, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Made:
    """A project that was made: its folder, and the commands of its README."""

    folder: Path
    commands: tuple[str, ...]
    where: Path
    variables: Mapping[str, str]

    def follow(self) -> str:
        """Run the commands; returns what they print."""
        return shell(" && ".join(self.commands), self.where, self.variables)


def make(kind: str, model: Path, *, target: str, way: Way, python: Path, bench: Path) -> Made:
    """Run `init` in the way's folder, as the installed package has it."""
    path = f"{warm_python(python) / 'bin'}:{python.parent}:{bench}:{os.environ['PATH']}"
    variables = {"PATH": path, "ZEPHYR_BASE": str(bench / "zephyr"), **way.variables}
    name = model.stem
    shell(f"tinyml_rules init {kind} {model} --target {target}", way.folder, variables)
    folder = way.folder / name
    readme = (folder / "README.md").read_text(encoding="utf-8")
    (block,) = code_blocks(readme, "sh")
    where = way.folder if "In the folder of your board" in readme else folder
    return Made(folder, tuple(block.splitlines()), where, variables)


def shell(commands: str, folder: Path, variables: Mapping[str, str]) -> str:
    """What commands print that all succeed."""
    environment = {name: each for name, each in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
