"""All tasks that a program can be cut into, with the bytes that are alive while each runs.

The ring between two adjacent steps does not depend on the stream that they are in, so streams need
not be simulated.  Only where a stream branches are its rows counted, in one dry run for all streams
that begin at the same step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.dry_run import Run, dry_run
from tinyml_rules.plan.facts import fact_of
from tinyml_rules.plan.growth import Growth, Tensors
from tinyml_rules.plan.inside import guests_of
from tinyml_rules.plan.lifetimes import step_lifetimes
from tinyml_rules.plan.overlap import can_overlap, most_covered, overlap_of
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.streams import whole_rings

LONGEST_STREAM = 100
"""Steps that may run together."""
COUNTED_ROWS = 4_000_000
"""Rows that dry runs may count in all, shared evenly by the steps at which streams begin, so that
the time to plan stays in proportion to the model.  A step counts its rows once, and once more for
each tensor that the stream takes from outside."""

Stream = tuple[int, int]
"""(end, peak in bytes) of a stream whose begin is known."""


class Pieces:
    """The tasks of a program; steps by position.

    `covers_sources`: assume that the result of a stream may overlap the tensors it begins with.
    `parts`: into how many pieces a stream cuts its rows, where it can; 0: none has a shelf.
    """

    def __init__(self, program: Program, *, covers_sources: bool = True, parts: int = 0) -> None:
        self._program = program
        self.parts = parts
        self._covers_sources = covers_sources
        self._facts = [fact_of(step, program) for step in program.steps]
        alive = step_lifetimes(program)
        born, dead = (np.zeros(len(self._facts) + 2, np.int64) for _ in range(2))
        for each in alive:
            born[each.first + 1] += each.size_bytes
            dead[each.last + 1] += each.size_bytes
        # bytes of the tensors that are born, and dead, before a step
        self._born: list[int] = np.cumsum(born).tolist()
        self._dead: list[int] = np.cumsum(dead).tolist()
        self._tensors = Tensors(
            size={each.tensor: each.size_bytes for each in alive},
            last={each.tensor: each.last for each in alive},
            alive=lambda begin, end: self._born[end] - self._dead[begin],
        )

    def __len__(self) -> int:
        return len(self._facts)

    def layer_peak(self, place: int) -> int:
        """Bytes alive during one step whose output overlaps a dying input as far as possible."""
        fact, tensors, size = self._facts[place], self._program.graph.tensors, self._tensors.size
        saved = 0
        if not can_overlap(fact.step, self._program):
            return self._tensors.alive(place, place + 1)
        for tensor, stored in zip(row_inputs(fact.step), fact.inputs, strict=True):
            if self._tensors.last[stored] == place:
                overlap = overlap_of(fact.step, tensors[tensor], tensors[fact.step.output])
                saved = max(saved, overlap.saved_bytes(size[stored], size[fact.output]))
        return self._tensors.alive(place, place + 1) - saved

    def streams(
        self,
        begin: int,
        *,
        most_bytes: int | None = None,
        is_pushed: bool = False,
        lends: bool = False,
    ) -> Iterator[Stream]:
        """The streams of two steps or more from `begin` on that take no more than `most_bytes`;
        a single step is a stream if rows are pushed, whose ring may be lent to the result."""
        covers_sources = lends if is_pushed else self._covers_sources
        in_pieces = {}
        for parts in sorted({self.parts, min(self.parts, 1)} - {0}):
            growth = self._growth(begin, is_pushed, covers_sources, parts)
            for end in growth.ends(LONGEST_STREAM, most_bytes):
                if growth.has_shelf:
                    in_pieces[end] = growth.peak()
        for end, peak in in_pieces.items():
            if most_bytes is None or peak <= most_bytes:
                yield end, peak
        growth = self._growth(begin, is_pushed, covers_sources)
        branched = []
        for end in growth.ends(LONGEST_STREAM, most_bytes):
            if end in in_pieces or (end - begin < 2 and not is_pushed):
                continue
            peak = growth.peak()
            if most_bytes is not None and peak > most_bytes:
                continue
            if growth.is_chain:
                yield end, peak
            elif growth.counted_rows <= COUNTED_ROWS // len(self):
                branched.append(end)
        found_by_run = self._branched(
            begin, set(branched), is_pushed=is_pushed, covers_sources=covers_sources
        )
        for found in found_by_run:
            if most_bytes is None or found[1] <= most_bytes:
                yield found

    def _growth(self, begin: int, is_pushed: bool, covers_sources: bool, parts: int = 0) -> Growth:
        return Growth(
            self._facts,
            self._tensors,
            begin,
            is_pushed=is_pushed,
            covers_sources=covers_sources,
            parts=parts,
        )

    def _branched(
        self, begin: int, ends: set[int], *, is_pushed: bool, covers_sources: bool
    ) -> Iterator[Stream]:
        """The peaks of streams with branches, from a dry run of the longest one."""
        if not ends:
            return
        last = max(ends)
        task = whole_rings(self._program, self._program.steps[begin:last])
        assert task is not None, "steps that agree on rows have rings"
        places = {end - begin - 1 for end in ends}
        guests = guests_of(task, self._program)
        run = dry_run(task, self._program, guests=guests, is_pushed=is_pushed, ends=places)
        kept = {
            ring.tensor: span * ring.row_bytes
            for ring, span in zip(task.rings, run.spans, strict=True)
        }
        inside = {host: kept.pop(task.results[guest].tensor) for host, guest in guests.items()}
        size, scratch_bytes = self._tensors.size, 0
        sources = {ring.tensor: size[ring.tensor] for ring in task.sources}
        if is_pushed:
            sources = {tensor: kept[tensor] for tensor in sources}
        saved_by_rings = sum(size[tensor] - sources[tensor] for tensor in sources)
        for place in range(begin, last):
            fact = self._facts[place]
            saved_by_rings += fact.scratch_bytes  # the steps take turns in the largest of them
            scratch_bytes = max(scratch_bytes, fact.row_scratch_bytes)
            if place + 1 in ends:
                peak = self._tensors.alive(begin, place + 1) - saved_by_rings
                peak += fact.sums_bytes + scratch_bytes
                saved = 0
                if covers_sources:
                    dying = [
                        (size_bytes, self._tensors.last[each] <= place)
                        for each, size_bytes in sources.items()
                    ]
                    saved = _covered(run, place - begin, dying, size[fact.output], inside)
                yield place + 1, peak - saved
            saved_by_rings += size[fact.output] - kept.get(fact.output, 0)


def _covered(
    run: Run,
    last: int,
    sources: Sequence[tuple[int, bool]],
    result_bytes: int,
    inside: Mapping[int, int],
) -> int:
    """Bytes of a source that the result of a stream may overlap, less those that a row takes to
    that end which would be in the result; its last step is at `last`."""
    saved = most_covered(run.distances[last], sources, result_bytes)
    if last not in inside:
        return saved
    return max(saved - inside[last], most_covered(run.early[last], sources, result_bytes))
