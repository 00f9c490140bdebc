"""Proof of a memory plan, written apart from the planner: it replays the program step by step.

The arena remembers which tensor wrote it last.  Where a step's output lies over one of its inputs,
the step is replayed in the order in which its kernel walks, unit by unit or row by row: what it
reads must be as it was written, and what it writes must not be what the same unit or row still
reads.  The replay is arithmetic on whole arrays, because a file may ask for millions of units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.program import Form, Program, Step, Window
from tinyml_rules.plan.memory_plan import MemoryPlan

_NOBODY = -1

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Walk:
    """Byte ranges in the order of the walk, from the tensor's first byte: shape (moments, 2).

    `reads` has an array for every input.  A range that begins where it ends is empty.
    """

    reads: tuple[Int64Array, ...]
    writes: Int64Array


def verify_plan(program: Program, plan: MemoryPlan) -> None:
    """Assert that every read finds, and the caller finds in the outputs, what was written."""

    def place(tensor: int) -> tuple[int, int]:
        stored = program.storage(tensor)
        begin = plan.offsets[stored]
        end = begin + program.graph.tensors[stored].count
        assert begin >= 0 and end <= plan.arena_bytes, f"tensor {tensor} leaves the arena"
        return begin, end

    # nobody owns half of a piece between two neighbouring cuts
    cuts = np.array(sorted({cut for tensor in plan.offsets for cut in place(tensor)}))
    owner = np.full(len(cuts), _NOBODY)

    def pieces(tensor: int) -> slice:
        begin, end = np.searchsorted(cuts, place(tensor))
        return slice(int(begin), int(end))

    def check_intact(tensor: int) -> None:
        intact = (owner[pieces(tensor)] == program.storage(tensor)).all()
        assert intact, f"tensor {tensor} was overwritten"

    for tensor in program.graph.inputs:
        owner[pieces(tensor)] = program.storage(tensor)
    for number, step in enumerate(program.steps):
        for tensor in step.inputs:
            check_intact(tensor)
        places = [place(tensor) for tensor in step.inputs]
        is_descending = number in plan.descending
        _check_overlaps(program, step, places, place(step.output), is_descending=is_descending)
        owner[pieces(step.output)] = program.storage(step.output)
    for tensor in program.graph.outputs:
        check_intact(tensor)


def _check_overlaps(
    program: Program,
    step: Step,
    sources: Sequence[tuple[int, int]],
    target: tuple[int, int],
    *,
    is_descending: bool,
) -> None:
    """Assert that the step writes no byte of an input before its last use; places in the arena."""
    overlapping = [begin < target[1] and target[0] < end for begin, end in sources]
    if not any(overlapping):
        return
    walk = _walk(program, step, is_descending=is_descending)
    sizes = walk.writes[:, 1] - walk.writes[:, 0]
    moments = np.arange(len(sizes))
    # the byte after the last is never written; reduceat needs it
    written_at = np.full(target[1] - target[0] + 1, len(moments))
    order = np.argsort(walk.writes[:, 0])
    written_at[:-1] = np.repeat(moments[order], sizes[order])
    for tensor, (begin, _), is_over, reads in zip(
        step.inputs, sources, overlapping, walk.reads, strict=True
    ):
        if not is_over:
            continue
        inside = np.clip(reads + begin - target[0], 0, len(written_at) - 1)
        earliest = np.minimum.reduceat(written_at, inside.reshape(-1))[::2]
        earliest[inside[:, 0] == inside[:, 1]] = len(moments)
        is_late = earliest >= moments if step.kernel.is_in_place else earliest > moments
        assert is_late.all(), f"tensor {tensor} is overwritten before it was read"


def _walk(program: Program, step: Step, *, is_descending: bool) -> Walk:
    """What the kernel reads and writes, in its order."""
    inputs = [program.graph.tensors[tensor].count for tensor in step.inputs]
    output = program.graph.tensors[step.output].count
    if step.kernel.form is Form.WINDOW:
        assert step.window is not None
        return _rows(step.window, is_descending=is_descending)
    if step.kernel.form is Form.POINTWISE:
        return _units(step, inputs, output, is_descending=is_descending)
    assert not is_descending
    return Walk(tuple(np.array([[0, count]]) for count in inputs), np.array([[0, output]]))


def _units(step: Step, inputs: Sequence[int], output: int, *, is_descending: bool) -> Walk:
    units = np.arange(step.units)
    if is_descending:
        units = units.reshape(-1, step.chunk)[::-1].reshape(-1)
    return Walk(
        tuple(_ranges(units, count // step.units) for count in inputs),
        _ranges(units, output // step.units),
    )


def _ranges(numbers: Int64Array, size_bytes: int) -> Int64Array:
    """The bytes of each unit or row by its number."""
    return np.stack([numbers * size_bytes, (numbers + 1) * size_bytes], axis=1)


def _rows(window: Window, *, is_descending: bool) -> Walk:
    y = np.arange(window.output_rows)
    if is_descending:
        y = y[::-1]
    top = y * window.stride - window.pad_top
    # the first and the last tap inside the image
    first_tap = np.maximum(-(top // window.dilation), 0)
    last_tap = np.minimum((window.input_rows - 1 - top) // window.dilation, window.height - 1)
    is_inside = first_tap <= last_tap
    first = np.where(is_inside, top + first_tap * window.dilation, 0)
    end = np.where(is_inside, top + last_tap * window.dilation + 1, 0)
    batch = np.repeat(np.arange(window.batches), window.output_rows)[:, None]
    reads = np.stack([first, end], axis=1) * window.input_row_bytes
    reads = np.tile(reads, (window.batches, 1))
    reads = reads + batch * (window.input_rows * window.input_row_bytes)
    rows = np.tile(y, window.batches) + batch[:, 0] * window.output_rows
    return Walk((reads,), _ranges(rows, window.output_row_bytes))
