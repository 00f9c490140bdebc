"""Which steps read their weights by far addresses, on parts whose flash exceeds 64 kB.

Knows sizes, not how a kernel reads.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Program, Step

FEATURE = Feature.FAR_FLASH

NEAR_BYTES = 60 * 1024
"""Of the 64 kB that 16-bit addresses reach; the rest is for vectors and a user's own constants."""

_STRUCT_BYTES = 64
"""The params of a step without their tables; none is larger."""

_LARGEST_OBJECT_BYTES = 32_767
"""GCC for AVR refuses a larger array of C."""


def move_weights_far(
    program: Program, *, near_bytes: int = NEAR_BYTES, taken_bytes: int = 0
) -> Program:
    """The program with weights moved far until its other constants and `taken_bytes` of
    other programs take at most `near_bytes`.

    A far read costs as much as a near one in a dot product, but more where a kernel reads single
    weights, and every address takes a register more.  So a program that fits stays as it is, and in
    others the largest tables go first: the fewest steps pay.  They are also those with the longest
    dot products.  A table too large for an array of C goes in any case.
    """
    if FEATURE not in program.features:
        return program
    near = taken_bytes + near_bytes_of(program)
    far = set()
    for step in sorted(program.steps, key=_weight_bytes, reverse=True):
        size = _weight_bytes(step)
        if size == 0 or (near <= near_bytes and size <= _LARGEST_OBJECT_BYTES):
            break
        far.add(step.node.index)
        near -= size
    steps = (
        replace(step, kernel=step.kernel.far_form) if step.node.index in far else step
        for step in program.steps
    )
    return replace(program, steps=tuple(steps))


def near_bytes_of(program: Program) -> int:
    """Of all that is constant, what is within the reach of 16-bit addresses."""
    tables = (table for step in program.steps for table in step.tables.values())
    near = sum(table.values.nbytes for table in tables if not table.is_far)
    return near + _STRUCT_BYTES * len(program.steps)


def _weight_bytes(step: Step) -> int:
    """Bytes of the weights that can move; 0 where the kernel has no far form."""
    return step.tables["weights"].values.nbytes if step.kernel.has_far_form else 0
