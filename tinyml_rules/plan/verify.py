"""Proof of a memory plan, written apart from the planner: it replays the program byte by byte.

Every byte of an arena remembers which tensor wrote it last.  A step is replayed in the order in
which its kernel walks, unit by unit or row by row: what it reads must be as it was written, and
what it writes must not be what the same unit or row still reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.program import Form, Program, Step, Window
from tinyml_rules.plan.memory_plan import MemoryPlan

_NOBODY = -1


@dataclass(frozen=True)
class Access:
    """Byte ranges, from each tensor's first byte: what is read of every input, what is written."""

    reads: tuple[slice, ...]
    write: slice


def verify_plan(program: Program, plan: MemoryPlan) -> None:
    """Assert that every read finds, and the caller finds in the outputs, what was written."""
    tensors = program.graph.tensors
    owner = np.full(plan.arena_bytes, _NOBODY)

    def place(tensor: int, part: slice | None = None) -> slice:
        stored = program.storage(tensor)
        begin = plan.offsets[stored]
        end = begin + tensors[stored].count
        assert begin >= 0 and end <= plan.arena_bytes, f"tensor {tensor} leaves the arena"
        return slice(begin, end) if part is None else slice(begin + part.start, begin + part.stop)

    def check_intact(tensor: int, part: slice | None = None) -> None:
        intact = (owner[place(tensor, part)] == program.storage(tensor)).all()
        assert intact, f"tensor {tensor} was overwritten"

    for tensor in program.graph.inputs:
        owner[place(tensor)] = program.storage(tensor)
    for number, step in enumerate(program.steps):
        for access in _accesses(program, step, is_descending=number in plan.descending):
            parts = list(zip(step.inputs, access.reads, strict=True))
            for tensor, part in parts:
                check_intact(tensor, part)
            owner[place(step.output, access.write)] = program.storage(step.output)
            for tensor, part in () if step.kernel.is_in_place else parts:
                check_intact(tensor, part)
        check_intact(step.output)
    for tensor in program.graph.outputs:
        check_intact(tensor)


def _accesses(program: Program, step: Step, *, is_descending: bool) -> Iterator[Access]:
    """What the kernel reads and writes, in its order."""
    inputs = [program.graph.tensors[tensor].count for tensor in step.inputs]
    output = program.graph.tensors[step.output].count
    if step.kernel.form is Form.WINDOW:
        assert step.window is not None
        yield from _rows(step.window, is_descending=is_descending)
    elif step.kernel.form is Form.POINTWISE:
        yield from _units(step, inputs, output, is_descending=is_descending)
    else:
        assert not is_descending
        yield Access(tuple(slice(0, count) for count in inputs), slice(0, output))


def _units(step: Step, inputs: list[int], output: int, *, is_descending: bool) -> Iterator[Access]:
    chunk = step.chunk if is_descending else step.units
    starts = range(0, step.units, chunk)
    for start in reversed(starts) if is_descending else starts:
        for unit in range(start, start + chunk):
            yield Access(
                tuple(_unit(count // step.units, unit) for count in inputs),
                _unit(output // step.units, unit),
            )


def _unit(size_bytes: int, number: int) -> slice:
    return slice(number * size_bytes, (number + 1) * size_bytes)


def _rows(window: Window, *, is_descending: bool) -> Iterator[Access]:
    input_bytes = window.input_rows * window.input_row_bytes
    for batch in range(window.batches):
        rows = range(window.output_rows)
        for y in reversed(rows) if is_descending else rows:
            top = y * window.stride - window.pad_top
            taps = [top + i * window.dilation for i in range(window.height)]
            inside = [tap for tap in taps if 0 <= tap < window.input_rows]
            first, end = (inside[0], inside[-1] + 1) if inside else (0, 0)
            begin = batch * input_bytes + first * window.input_row_bytes
            yield Access(
                (slice(begin, begin + (end - first) * window.input_row_bytes),),
                _unit(window.output_row_bytes, batch * window.output_rows + y),
            )
