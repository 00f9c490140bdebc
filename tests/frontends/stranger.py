"""Somebody else's folder with the documented SConstruct, and programs that show what models say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.frontends.builds import run, with_other_weight
from tests.support.tflm import tflm_outputs

ENVIRONMENT = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET=ARGUMENTS.get("target", "host"),
    {settings}
)
"""
MAIN = """\
#include <stdio.h>

{includes}

int main(void)
{{
    for (int q = -128; q < 128; q++) {{
{calls}
    }}
    return 0;
}}
"""
CALL = """\
        *{name}_input() = (int8_t)q;
        {name}_invoke();
        printf("%d\\n", *{name}_output());
"""
BARE_MAIN = """\
#include "sine.h"

int main(void)
{
    for (;;) {
        sine_invoke();
    }
}
"""


def write_main(folder: Path, *names: str) -> None:
    """A program that prints the answers of each model to all 256 inputs."""
    includes = "\n".join(f'#include "{name}.h"' for name in names)
    calls = "".join(CALL.format(name=name) for name in names)
    (folder / "main.c").write_text(MAIN.format(includes=includes, calls=calls))


def write_sconstruct(folder: Path, *lines: str, settings: str = "") -> None:
    """The documented environment, then `lines`."""
    text = ENVIRONMENT.format(settings=settings)
    (folder / "SConstruct").write_text(text + "\n".join(lines) + "\n")


def answers(program: Path) -> list[int]:
    """The numbers that a program prints."""
    done = run([program], program.parent)
    assert done.returncode == 0
    return [int(line) for line in done.stdout.split()]


def expected_answers(model: bytes, inputs: Sequence[int] = range(-128, 128)) -> list[int]:
    """What TFLM gives for inputs of the sine, by default for all 256."""
    (outputs,) = tflm_outputs(model, [np.array(inputs, np.int8).reshape(-1, 1, 1)])
    return [int(value) for value in outputs.ravel()]


def other_model(folder: Path, name: str) -> bytes:
    """The sine with one weight changed, written as `name`."""
    data = with_other_weight((folder / "sine.tflite").read_bytes())
    (folder / name).write_bytes(data)
    return data
