"""All tasks that a program can be cut into, with the bytes that are alive while each runs.

The ring between two adjacent steps does not depend on the stream that they are in, so streams need
not be simulated.  Only where a stream branches are its rows counted, in one dry run for all streams
that begin at the same step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import accumulate

import numpy as np

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.dry_run import Run, dry_run
from tinyml_rules.plan.facts import Fact, fact_of
from tinyml_rules.plan.growth import Growth, Tensors
from tinyml_rules.plan.inside import guests_of
from tinyml_rules.plan.lifetimes import step_lifetimes
from tinyml_rules.plan.overlap import can_overlap, most_covered, overlap_of
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.streams import whole_rings

COUNTED_ROWS = 4_000_000
"""Rows that dry runs may count in all, shared evenly by the steps at which streams begin, so that
the time to plan stays in proportion to the model.  A step counts its rows once, and once more for
each tensor that the stream takes from outside."""

Stream = tuple[int, int]
"""(end, peak in bytes) of a stream whose begin is known."""


class Pieces:
    """The tasks of a program; steps by place.

    `covers_sources`: assume that the result of a stream may overlap the tensors it begins with.
    `parts`: into how many pieces a stream cuts its rows, where it can; 0: none has a shelf.
    """

    def __init__(self, program: Program, *, covers_sources: bool = True, parts: int = 0) -> None:
        self._program = program
        self.parts = parts
        self._covers_sources = covers_sources
        self._inside: dict[tuple[int, int], int] = {}
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

    def with_groups(self, groups: Mapping[int, Fact]) -> Pieces:
        """The same pieces with groups in place of single steps, by the place of the first.  The
        places of all others are as before; those inside of a group are none."""
        found = copy(self)
        found._facts = self._facts.copy()
        ends, more = [], []
        for place, group in sorted(groups.items()):
            found._facts[place] = group
            ends.append(place + group.places)
            more.append(group.scratch_bytes - self._bytes_inside(place, ends[-1]))
        total = [*accumulate(more, initial=0)]

        def alive(begin: int, end: int) -> int:
            grown = total[bisect_right(ends, end)] - total[bisect_right(ends, begin)]
            return self._tensors.alive(begin, end) + grown

        found._tensors = replace(self._tensors, alive=alive)
        return found

    def _bytes_inside(self, begin: int, end: int) -> int:
        """Bytes of the tensors that nothing but these steps needs, scratch memory included."""
        if (begin, end) in self._inside:
            return self._inside[begin, end]
        facts = self._facts[begin:end]
        between = sum(self._tensors.size[fact.output] for fact in facts[:-1])
        self._inside[begin, end] = between + sum(fact.scratch_bytes for fact in facts)
        return self._inside[begin, end]

    def __len__(self) -> int:
        return len(self._facts)

    def after(self, place: int) -> int:
        """The place after the step at `place`."""
        return place + self._facts[place].places

    def places(self, begin: int, end: int) -> Iterator[int]:
        """Those of the steps from one place to another."""
        while begin < end:
            yield begin
            begin = self.after(begin)

    def layer_peak(self, place: int) -> int:
        """Bytes alive during one step whose output overlaps a dying input as far as possible."""
        fact, tensors, size = self._facts[place], self._program.graph.tensors, self._tensors.size
        saved, end = 0, self.after(place)
        if not can_overlap(fact.step, self._program):
            return self._tensors.alive(place, end)
        for tensor, stored in zip(row_inputs(fact.step), fact.inputs, strict=True):
            if self._tensors.last[stored] == place:
                overlap = overlap_of(fact.step, tensors[tensor], tensors[fact.step.output])
                saved = max(saved, overlap.saved_bytes(size[stored], size[fact.output]))
        return self._tensors.alive(place, end) - saved

    def growth(self, begin: int, *, is_pushed: bool = False, lends: bool = False) -> Growth:
        """The streams from `begin` on, none so far; the ring of pushed rows may be lent to the
        result."""
        covers_sources = lends if is_pushed else self._covers_sources
        return self._growth(begin, is_pushed, covers_sources, parts=0)

    def _growth(self, begin: int, is_pushed: bool, covers_sources: bool, parts: int) -> Growth:
        return Growth(
            self._facts,
            self._tensors,
            begin,
            is_pushed=is_pushed,
            covers_sources=covers_sources,
            parts=parts,
        )

    def forked(self, growth: Growth) -> Growth:
        """A stream of other pieces that goes on with these; all of its steps are theirs as well."""
        return growth.forked(self._facts, self._tensors)

    def streams(
        self,
        growth: Growth,
        *,
        most_bytes: int | None = None,
        is_end: Callable[[int], bool] = lambda _: True,
    ) -> Iterator[Stream]:
        """The streams of two steps or more, as it grows, that take no more than `most_bytes` and
        end where one may; a single step is a stream if rows are pushed."""
        in_pieces = self._in_pieces(growth, most_bytes)
        for end, peak in in_pieces.items():
            if is_end(end) and peak is not None:
                yield end, peak
        branched = []
        for end in growth.ends(most_bytes):
            is_one = end == self.after(growth.begin)
            if end in in_pieces or (is_one and not growth.is_pushed) or not is_end(end):
                continue
            peak = growth.peak(most_bytes)
            if peak is None:
                continue
            if growth.is_chain:
                yield end, peak
            elif growth.counted_rows <= COUNTED_ROWS // len(self):
                branched.append(end)
        for found in self._branched(growth, set(branched)):
            if most_bytes is None or found[1] <= most_bytes:
                yield found

    def _in_pieces(self, growth: Growth, most_bytes: int | None) -> dict[int, int | None]:
        """The streams from the same step that cut rows, by their ends; None: it takes more than
        `most_bytes`."""
        found = {}
        for parts in sorted({self.parts, min(self.parts, 1)} - {0}):
            divided = self._growth(growth.begin, growth.is_pushed, growth.covers_sources, parts)
            for end in divided.ends(most_bytes):
                if divided.has_shelf:
                    found[end] = divided.peak(most_bytes)
        return found

    def _branched(self, growth: Growth, ends: set[int]) -> Iterator[Stream]:
        """The peaks of streams with branches, from a dry run of the longest one."""
        if not ends:
            return
        begin, is_pushed = growth.begin, growth.is_pushed
        places = [*self.places(begin, max(ends))]
        task = whole_rings(self._program, [self._facts[place].step for place in places])
        assert task is not None, "steps that agree on rows have rings"
        wanted = {number for number, place in enumerate(places) if self.after(place) in ends}
        guests = guests_of(task, self._program)
        run = dry_run(task, self._program, guests=guests, is_pushed=is_pushed, ends=wanted)
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
        for number, place in enumerate(places):
            fact, end = self._facts[place], self.after(place)
            # the steps take turns in the largest of them
            saved_by_rings += fact.scratch_bytes - fact.kept_bytes
            scratch_bytes = max(scratch_bytes, fact.row_scratch_bytes)
            if number in wanted:
                peak = self._tensors.alive(begin, end) - saved_by_rings
                peak += fact.sums_bytes + scratch_bytes
                saved = 0
                if growth.covers_sources:
                    dying = [
                        (size_bytes, self._tensors.last[each] < end)
                        for each, size_bytes in sources.items()
                    ]
                    saved = _covered(run, number, dying, size[fact.output], inside)
                yield end, peak - saved
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
