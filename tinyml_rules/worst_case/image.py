"""The bound of a test image, from its reset on: its port reads inputs of which nothing is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tinyml_rules.firmware.image import Image
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.bound import Bound, bound_of
from tinyml_rules.worst_case.lines import Start
from tinyml_rules.worst_case.program import Program, read_program

_MARK = "tinyml_mark"
_RESET = "tinyml_reset"
_STACK_TOP = "__stack_top"
_ARM_STACK_POINTER = 13


def bound_of_image(
    target: Target,
    image: Image,
    *,
    input_bytes: bytes | None = None,
    accounts: Mapping[int, int] | None = None,
    cache: Path | None = None,
) -> tuple[Program, Bound]:
    """The calls of the image's model for every input, or for `input_bytes`."""
    assert image.kind == "test", "the minimal image neither reads input nor ends"
    program = read_program(target, image.elf)
    start = start_of_image(program, image)
    bound = bound_of(program, start, accounts=accounts, input_bytes=input_bytes, cache=cache)
    return program, bound


def start_of_image(program: Program, image: Image) -> Start:
    """Its reset."""
    registers = {}
    if program.target.architecture == "arm":
        registers[_ARM_STACK_POINTER] = (program.address_of(_STACK_TOP), 0)
    return Start(
        pc=program.address_of(_RESET),
        invoke=program.address_of(image.invoke_symbol),
        mark=program.address_of(_MARK),
        registers=registers,
    )
