"""How many bytes of an input that is not read again a step's output may overwrite.

Computed from the kernel's form alone: a walk from the first unit (or row) to the last writes below
what it still reads, so the output may begin below its input; a walk from the last to the first,
above.  A stream walks upwards only; it is one big window on the tensors that it begins with.  A
ring of pushed rows is the end of such a tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.plan.dry_run import dry_run
from tinyml_rules.plan.tasks import Ring, Task


@dataclass(frozen=True)
class Overlap:
    """The least distances in bytes at which nothing is overwritten before its last use.

    ascending: from the output's first byte up to the input's; descending: from the input's up to
    the output's.  None: that walk allows no overlap.
    """

    ascending: int | None = None
    descending: int | None = None

    def aligned(self, alignment: int) -> Overlap:
        """The same overlap, with distances rounded up so that every buffer stays aligned."""
        pair = (
            None if distance is None else -(-distance // alignment) * alignment
            for distance in (self.ascending, self.descending)
        )
        return Overlap(*pair)

    def saved_bytes(self, source_bytes: int, result_bytes: int) -> int:
        """How many bytes fewer the two take than without overlap."""
        apart = together = source_bytes + result_bytes
        if self.ascending is not None:
            together = min(together, max(result_bytes, self.ascending + source_bytes))
        if self.descending is not None:
            together = min(together, max(source_bytes, self.descending + result_bytes))
        return apart - together


def can_overlap(step: Step, program: Program) -> bool:
    """Whether the output of a step is alone in its buffer, and so are the inputs in theirs."""
    return len(step.outputs) == 1 and all(map(program.has_all, step.tensors))


def overlap_of(step: Step, source: Tensor, result: Tensor) -> Overlap:
    """The distances for one input of a step."""
    if source.index in step.shared:
        return Overlap()
    if step.kernel.form is Form.POINTWISE and source.count % step.units == 0:
        sizes = (source.size_bytes // step.units, result.size_bytes // step.units)
        return _pointwise(step, step.units, *sizes)
    if step.kernel.form is Form.WINDOW and step.window is not None and step.window.batches == 1:
        rows, is_in_order = step.window.rows, step.kernel.rows_at_once > 1
        return Overlap(rows.ascending, None if is_in_order else rows.descending)
    return Overlap()


def works_in_row(step: Step, source: Tensor, result: Tensor) -> bool:
    """Whether a step of a stream may be given its row at the end of where it writes its own."""
    if step.kernel.form is not Form.POINTWISE or source.count % step.units:
        return False
    input_bytes, output_bytes = source.size_bytes // step.units, result.size_bytes // step.units
    ascending = _pointwise(step, step.chunk, input_bytes, output_bytes).ascending
    return ascending is not None and ascending <= step.chunk * (output_bytes - input_bytes)


def _pointwise(step: Step, units: int, input_bytes: int, output_bytes: int) -> Overlap:
    """Unit i of the input is read while unit i of the output is written, of so many.

    Written ends are linear in i, so the first and the last unit decide.  Descending is done in
    chunks of `step.chunk` units, each from its first unit to its last.
    """
    last, kernel = units - 1, step.kernel
    if kernel.copies_unit or (kernel.is_in_place and input_bytes == output_bytes):
        # a unit may be overwritten by its own output, so that only later ones count
        ascending = max(last * (output_bytes - input_bytes), 0)
    else:
        ascending = max(_ascending(units, kernel.units_at_once, input_bytes, output_bytes))
    if step.kept:  # what it keeps is of the units before
        return Overlap(ascending)
    if kernel.copies_unit and step.chunk == 1:
        return Overlap(ascending, max(last * (input_bytes - output_bytes), 0))
    chunks = units // step.chunk
    chunk_in, chunk_out = input_bytes * step.chunk, output_bytes * step.chunk
    descending = max(chunk_in, chunks * chunk_in - (chunks - 1) * chunk_out)
    return Overlap(ascending, descending)


def _ascending(units: int, at_once: int, input_bytes: int, output_bytes: int) -> Iterator[int]:
    """For the first unit, the last one, and the last group of units read at once: bytes by which
    the end of the write is ahead of the start of the read."""
    last = units - 1
    yield (last + 1) * output_bytes - last * input_bytes
    yield output_bytes
    if units >= at_once:
        before = (units // at_once - 1) * at_once
        yield at_once * output_bytes
        yield (before + at_once) * output_bytes - before * input_bytes


def most_covered(
    distances: Iterable[int], sources: Iterable[tuple[int, bool]], result_bytes: int
) -> int:
    """The most bytes of a tensor that a stream's result may overlap; for each the distance, and
    its bytes with whether it dies with the stream."""
    return max(
        (
            Overlap(ascending=max(distance, 0)).saved_bytes(size_bytes, result_bytes)
            for distance, (size_bytes, is_dying) in zip(distances, sources, strict=True)
            if is_dying
        ),
        default=0,
    )


def overlaps_of_stream(
    task: Task, program: Program, *, is_pushed: bool
) -> Iterator[tuple[Ring, Overlap]]:
    """The whole tensors, or the ring of pushed rows, that a stream begins with, and the overlap of
    its result with each.

    A row of the result may be written where there is no row that is still to be read.
    """
    guests = task.guests
    run = dry_run(task, program, guests=guests, is_pushed=is_pushed)
    last = len(task.steps) - 1
    distances = (run.early if last in guests else run.distances)[last]
    for ring, distance in zip(task.sources, distances, strict=True):
        yield ring, Overlap(ascending=max(distance, 0))
