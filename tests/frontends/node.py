"""The firmware of examples/node: copied as a stranger has it, run on simavr, and judged by TFLM."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, run
from tests.frontends.stranger import expected_answers

EXAMPLES = PROJECT / "examples"
SAMPLES = 32

_COLOUR = re.compile(r"\x1b\[\d*m")
_LINE = re.compile(r"^x (-?\d+) height (-?\d+)\.+$", re.M)


def copy_example(system: str, folder: Path) -> Path:
    """Copies of examples/node and examples/<system> side by side, with the model as a file and not
    as a link; returns the second one."""
    ignore = shutil.ignore_patterns("__pycache__", "build")
    for name in ("node", system):
        shutil.copytree(EXAMPLES / name, folder / name, ignore=ignore)
    return folder / system


def check_node(elf: Path) -> None:
    """Run a node's firmware on simavr until it sleeps: every height that it prints is TFLM's."""
    done = run(["simavr", "-m", "atmega328p", "-f", "16000000", elf], elf.parent, timeout_s=60)
    printed = [
        (int(x), int(height))
        for x, height in _LINE.findall(_COLOUR.sub("", done.stdout + done.stderr))
    ]
    inputs = [x for x, _ in printed]
    assert len(set(inputs)) == SAMPLES == len(printed), done.stdout + done.stderr
    expected = expected_answers((SINE / "sine.tflite").read_bytes(), inputs)
    assert [height for _, height in printed] == expected
