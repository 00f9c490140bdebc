"""What a build says in passing: a line for each model and, where the link is seen, each firmware;
and that a program for a part has the C library that its author expects."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, run, scons
from tests.frontends.conftest import Build
from tests.frontends.example_builds import SYSTEMS, set_up_example
from tests.frontends.stranger import BARE_MAIN, write_sconstruct
from tests.support.hand_written import target_or_skip
from tests.support.warm_python import run_module

PROGRAM = 'env.Program("fw", ["main.c", "sine.tflite"])'
LIBRARY_MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sine.h"

static char text[8], copy[8];

int main(void)
{
    for (;;) {
        sine_invoke();
        snprintf(text, sizeof text, "%d", *sine_output());
        memcpy(copy, text, strlen(text) + 1);
        *sine_input() = (int8_t)atoi(copy);
    }
}
"""


def berkeley(elf: Path) -> tuple[int, int]:
    """(flash, variables) of an AVR's ELF file, as binutils count them."""
    done = run(["avr-size", elf], elf.parent)
    text, data, bss, *_ = map(int, done.stdout.splitlines()[1].split()[:3])
    return text + data, data + bss


def said(amount: int) -> str:
    """An amount as a build says it."""
    return f"{amount} B" if amount < 1000 else f"{amount / 1000:.1f} kB"


def test_scons_program(folder: Path, build_: Build) -> None:
    """Flash and variables are those of binutils; the stack is the one that its limit counts."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    write_sconstruct(folder, PROGRAM)
    printed = build_(folder, "target=atmega328")
    found = re.search(
        r"^SIZE    fw\.elf: (.+) flash, (\d+) B RAM, (\d+) B of it stack$", printed, re.M
    )
    assert found, printed
    flash, variables = berkeley(folder / "fw.elf")
    assert found[1] == said(flash)
    assert int(found[2]) == variables + int(found[3])
    assert int(found[3]) > 0
    assert "SIZE" not in build_(folder, "target=atmega328")


def test_scons_program_with_the_c_library(folder: Path, build_: Build) -> None:
    """memcpy, strlen, atoi and snprintf are linked; the stack of snprintf has no bound, and none is
    counted."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(LIBRARY_MAIN)
    write_sconstruct(folder, PROGRAM)
    printed = build_(folder, "target=atmega328")
    flash, variables = berkeley(folder / "fw.elf")
    line = rf"^SIZE    fw\.elf: {re.escape(said(flash))} flash, (\d+) B RAM without the stack$"
    found = re.search(line, printed, re.M)
    assert found, printed
    assert variables <= int(found[1]) < variables + 8  # with what aligns them


@pytest.mark.parametrize("target", ["nrf51", "riscv32imc"])
def test_scons_program_whether_or_not_there_is_a_c_library(
    target: str, folder: Path, installed_python: Path
) -> None:
    """It is a package of its own there: a program that needs nothing of it is built without."""
    target_or_skip(target)
    (folder / "main.c").write_text(BARE_MAIN)
    write_sconstruct(folder, PROGRAM)
    done = scons(folder, f"target={target}", python=installed_python)
    assert (done.returncode, done.stderr) == (0, "")
    assert "SIZE    fw.elf: " in done.stdout


@pytest.mark.parametrize("system", list(SYSTEMS))
def test_other_build_systems(system: str, tmp_path: Path, installed_python: Path) -> None:
    """The examples' builds say both lines."""
    target_or_skip("atmega328")
    project = set_up_example(SYSTEMS[system], tmp_path / "copy", python=installed_python)
    done = project.run(*project.system.build)
    if system == "meson":
        done.stdout += project.run("ninja", "-C", "build", "size").stdout
    report = json.loads((project.generated / "sine.report.json").read_text())
    model = f"TINYML  sine.tflite → atmega328: {report['constant_bytes']} B constants, "
    assert len(re.findall(f"^{re.escape(model)}.* RAM$", done.stdout, re.M)) == 1, done.stdout
    flash, variables = berkeley(project.elf)
    expected = f"SIZE    node.elf: {said(flash)} flash, {said(variables)} RAM without the stack\n"
    assert done.stdout.count(expected) == 1, done.stdout


def test_line_of_the_command_line(folder: Path, installed_python: Path) -> None:
    """The model's name where the file is called otherwise; an arrow that the terminal has."""
    words = ("compile", SINE / "sine.tflite", "--name", "tone", "--out", "out", "--line")
    for encoding, arrow in (("utf-8", "→"), ("ascii", "->")):
        done = run(
            [installed_python, "-m", "tinyml_rules", *words],
            folder,
            variables={"PYTHONIOENCODING": encoding},
        )
        assert done.stdout.startswith(f"TINYML  sine.tflite as tone {arrow} host: ")
        assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("file", "target", "error"),
    [
        ("sine.tflite", "atmega328", "sine.tflite: error: cannot be read as an ELF file"),
        ("none.elf", "atmega328", "none.elf: error: cannot be read (No such file or directory)"),
        ("sine.tflite", "host", "'host' has no memory, expected the target of a part"),
    ],
)
def test_mistake(file: str, target: str, error: str, folder: Path, installed_python: Path) -> None:
    """Of `measure`."""
    words = ("measure", file, "--target", target)
    done = run_module(installed_python, "tinyml_rules", words, folder=folder, variables={})
    assert error in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
