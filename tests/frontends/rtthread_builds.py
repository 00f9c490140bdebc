"""A small imitation of an RT-Thread tree, with examples/rtthread as a package of its board."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.frontends.builds import run
from tests.frontends.node import EXAMPLES

TREE = Path(__file__).parent / "rtthread"


def make_board(folder: Path) -> Path:
    """A copy of the tree, without the package; returns the board's folder."""
    shutil.copytree(TREE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "bsp" / "lm3s"


def add_package(board: Path) -> Path:
    """Copy the example into the board's folder, as its README says; returns the copy."""
    package = board / "sine"
    shutil.copytree(EXAMPLES / "rtthread", package)
    return package


def scons(board: Path, python: Path, *arguments: str) -> str:
    """Run scons as the board's owner does; returns what was printed."""
    compiler = shutil.which("arm-none-eabi-gcc")
    assert compiler is not None
    variables = {"RTT_EXEC_PATH": str(Path(compiler).parent)}
    done = run([python, "-m", "SCons", *arguments], board, variables=variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def compile_through_rtthread(folder: Path, python: Path) -> Path:
    """Compile the package's sine for the ATmega328, as a step of the board's build; returns the
    folder of its C."""
    board = make_board(folder)
    script = add_package(board) / "SConscript"
    script.write_text(script.read_text().replace("'lm3s6965'", "'atmega328'"))
    scons(board, python, "build/sine/atmega328/sine/sine.c")
    return board / "build" / "sine" / "atmega328" / "sine"
