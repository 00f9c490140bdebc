"""A stream that grows by one step at a time, and its bytes at each length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.plan.division import Division
from tinyml_rules.plan.facts import Fact
from tinyml_rules.plan.overlap import Overlap
from tinyml_rules.plan.reach import Counts, Turns
from tinyml_rules.plan.streams import Rows
from tinyml_rules.plan.tasks import Ring, may_cover


@dataclass(frozen=True)
class Tensors:
    """By stored tensor, and by step, for a schedule in which no steps run together: `size` in
    bytes, `last` the last step that reads it (their number for an output), `alive` the bytes of all
    that are alive at any of the steps begin .. end - 1."""

    size: Mapping[int, int]
    last: Mapping[int, int]
    alive: Callable[[int, int], int]


class Growth:
    """The streams from step `begin` on.  A chain's figures are exact at every length: each step but
    the first reads the one before it alone, and the first one whole tensor.  With `parts` rows are
    made in so many pieces, and streams end where no chain of steps can do that."""

    def __init__(
        self,
        facts: Sequence[Fact],
        tensors: Tensors,
        begin: int,
        *,
        is_pushed: bool,
        covers_sources: bool,
        parts: int = 0,
    ) -> None:
        self._facts = facts
        self._parts = parts
        self._division = Division(parts)
        self._tensors = tensors
        self._begin = begin
        self._is_pushed = is_pushed
        self._covers_sources = covers_sources
        self.is_chain = True
        self.counted_rows = 0
        """Rows that a dry run would count."""
        self._rows: dict[int, int] = {}
        self._shared: set[int] = set()
        """What all rows of a step read, which is whole before the stream begins."""
        self._kept_rows: dict[int, int] = {}
        """Rows kept of each tensor between two steps: a lower bound, exact in a chain."""
        self._kept_bytes = self._ring_bytes = 0
        """In all, and those of what the last step reads."""
        self._inner_bytes = 0
        self._scratch_bytes = 0
        """Of the step that needs most; they take turns."""
        self._reads: dict[int, int] = {}
        """Steps that read each tensor."""
        self._inside_bytes = 0
        """Those of the row that the last step reads where it makes its own; not in `kept`."""
        self._inside_from = begin
        """The step that is the first to write where the last one makes its row."""
        self._sources: list[int] = []
        self._last = begin
        self._made: Counts | None = None
        """Rows of the first step by the rows of the last one, none at first."""

    def ends(self, longest: int, most_bytes: int | None) -> Iterator[int]:
        """The ends of all streams; the figures are those of the last one yielded.  Stops when the
        rings alone take more than `most_bytes`."""
        last_reader = self._begin
        for place in range(self._begin, min(self._begin + longest, len(self._facts))):
            if not self._append(place):
                return
            if place > self._begin:
                last_reader = max(last_reader, self._tensors.last[self._facts[place - 1].output])
            if last_reader >= len(self._facts):  # an output between two steps
                return
            if most_bytes is not None and self._kept_bytes > most_bytes:
                return
            if last_reader <= place:
                yield place + 1

    def _append(self, place: int) -> bool:
        """Take one more step; False if no stream can go through it."""
        fact = self._facts[place]
        before = self._facts[place - 1] if place > self._begin else None
        if fact.rows is None or (before is not None and before.takes_pieces):
            return False
        if before is not None:
            self._inner_bytes += self._tensors.size[before.output]
        self._inner_bytes += fact.scratch_bytes
        self._scratch_bytes = max(self._scratch_bytes, fact.row_scratch_bytes)
        self._shared.update(fact.shared)
        if not all(self._read(tensor, fact.rows) for tensor in dict.fromkeys(fact.inputs)):
            return False
        turns = fact.turns(self._rows[fact.inputs[0]])
        self._grow_rings(fact, before, turns)
        if self._parts and not (self.is_chain and self._take_pieces(fact, before)):
            return False
        self._put_inside(fact, place)
        self._rows[fact.output] = fact.rows.output_rows
        if not self._shared.isdisjoint(self._rows):
            return False
        self._last = place
        self.counted_rows += turns.count * (1 + len(self._sources))
        return True

    def _read(self, tensor: int, rows: Rows) -> bool:
        """Whether reader and maker agree on the rows, and pushed rows come from one tensor."""
        if tensor not in self._rows:
            self._rows[tensor] = rows.input_rows or 1
            self._sources.append(tensor)
            return not self._is_pushed or len(self._sources) == 1
        return rows.input_rows in (None, self._rows[tensor])

    def _grow_rings(self, fact: Fact, before: Fact | None, turns: Turns) -> None:
        """The rings of what a step reads, and the rows that the first one has made by then."""
        for tensor in dict.fromkeys(fact.inputs):
            if tensor in self._sources and not self._is_pushed:
                continue
            kept = min(max(turns.span, self._kept_rows.get(tensor, 0)), self._rows[tensor])
            row_bytes = self._tensors.size[tensor] // self._rows[tensor]
            self._kept_bytes += (kept - self._kept_rows.get(tensor, 0)) * row_bytes
            self._kept_rows[tensor], self._ring_bytes = kept, kept * row_bytes
        if before is None:
            self.is_chain = len(fact.inputs) == 1
        elif fact.inputs != (before.output,):
            self.is_chain = False
        elif self.is_chain and not fact.takes_pieces:
            counts = np.append(0, turns.needed)
            self._made = counts if self._made is None else self._made[counts]

    def _take_pieces(self, fact: Fact, before: Fact | None) -> bool:
        """Whether a step makes rows in pieces of those of the step before, whose ring then holds
        less."""
        ring = None
        if before is not None:
            tensor = before.output
            kept = self._kept_rows[tensor]
            ring = Ring(tensor, self._rows[tensor], kept, self._ring_bytes // kept)
        size_bytes = self._division.take(
            fact.step,
            fact.columns,
            ring,
            scratch_bytes=fact.row_scratch_bytes,
            alignment=fact.alignment,
        )
        if ring is not None and size_bytes is not None:
            self._kept_bytes += size_bytes - self._ring_bytes
        return size_bytes is not None

    def _put_inside(self, fact: Fact, place: int) -> None:
        """Take off the row that a step reads where it makes its own."""
        for tensor in dict.fromkeys(fact.inputs):
            self._reads[tensor] = self._reads.get(tensor, 0) + 1
        source = fact.inputs[0]
        is_only = self._reads[source] == 1 and self._tensors.last[source] == place
        if fact.takes_inside and is_only and source not in self._sources:
            self._inside_bytes = 0 if self._parts else self._ring_bytes
            self._kept_bytes -= self._inside_bytes
            if self._parts:
                self._division.put_inside()
        else:
            self._inside_bytes, self._inside_from = 0, place

    @property
    def has_shelf(self) -> bool:
        """Whether some step but the last makes its rows there."""
        return self._division.has_shelf

    def peak(self) -> int:
        """Bytes alive while the stream runs: exact for a chain, else a lower bound."""
        fact, size = self._facts[self._last], self._tensors.size
        peak = self._tensors.alive(self._begin, self._last + 1) - self._inner_bytes
        peak += self._kept_bytes + fact.sums_bytes
        peak += self._division.shelf_bytes if self._parts else self._scratch_bytes
        if self._is_pushed:
            peak -= size[self._sources[0]]
        if not self._covers_sources:
            return peak
        dying = [each for each in self._sources if self._tensors.last[each] <= self._last]
        if not self.is_chain:
            return peak - min(max(map(self._source_bytes, dying), default=0), size[fact.output])
        for source in dying:
            peak -= self._covered_bytes(fact, source)
        return peak

    def _covered_bytes(self, fact: Fact, source: int) -> int:
        """Bytes of the source that the result may overlap; where the row that the last step reads
        is in the result, and that leaves too few, those that are left if it does not."""
        result_bytes = self._tensors.size[fact.output]
        if self._parts:  # what is inside another row stays there
            distance = max(self._distance(fact, source, is_early=True), 0)
            return Overlap(distance).saved_bytes(self._source_bytes(source), result_bytes)
        early, late = (
            Overlap(ascending=max(self._distance(fact, source, is_early=is_early), 0)).saved_bytes(
                self._source_bytes(source), result_bytes
            )
            for is_early in (True, False)
        )
        return max(early, late - self._inside_bytes) if self._inside_bytes else late

    def _source_bytes(self, source: int) -> int:
        """Bytes that are kept of what the stream begins with."""
        size, rows = self._tensors.size[source], self._rows[source]
        return size // rows * self._kept_rows[source] if self._is_pushed else size

    def _distance(self, fact: Fact, source: int, *, is_early: bool) -> int:
        """Least distance in bytes from the source's first byte down to the result's at which no row
        is overwritten before it is read; `is_early`: by the first that writes into the result."""
        if fact.takes_pieces:  # written once all has been read
            return self._tensors.size[fact.output] - self._source_bytes(source)
        assert fact.rows is not None
        first, rows = self._facts[self._begin], self._rows[source]
        assert first.rows is not None
        turns, row_bytes = first.turns(rows), self._tensors.size[source] // rows
        made = np.arange(turns.count) if self._made is None else self._made[1:]
        done = made
        if self._made is None or (is_early and self._inside_from == self._begin):
            # the first step writes it, before its turn counts
            is_covered = self._parts < 2 and may_cover(
                first.step, row_bytes, first.rows.output_row_bytes
            )
            turn = made if self._made is None else np.maximum(made - 1, 0)
            done = turn + is_covered
        ends = np.arange(1, fact.rows.output_rows + 1) * fact.rows.output_row_bytes
        if self._parts > 1 and self._made is not None:  # before the last piece of each row
            done = np.append(done, np.maximum(done - 1, 0))
            made = np.append(made, made)
            ends = np.append(ends, ends - self._division.last_bytes(fact.rows.output_row_bytes))
        kept = turns.oldest[done]
        if self._is_pushed:  # a later row is not there yet, and the ring is the end of its tensor
            pushed = turns.needed if self._made is None else np.append(0, turns.needed)[made]
            kept = np.maximum(np.minimum(kept, pushed) - rows + self._kept_rows[source], 0)
        return int((ends - kept * row_bytes).max())
