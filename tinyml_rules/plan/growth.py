"""A stream that grows by one step at a time, and its bytes at each length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from tinyml_rules.plan.division import Division
from tinyml_rules.plan.facts import Fact
from tinyml_rules.plan.overlap import Overlap
from tinyml_rules.plan.reach import Counts, Turns
from tinyml_rules.plan.streams import Rows
from tinyml_rules.plan.tasks import Ring, may_cover

LONGEST_STREAM = 100
"""Steps that may run together."""


@dataclass(frozen=True)
class Tensors:
    """By stored tensor, and by place, for a schedule in which no steps run together: `size` in
    bytes, `last` the last step that reads it (their number for an output), `alive` the bytes of all
    that are alive at any of the places begin .. end - 1."""

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
        self._facts, self._tensors = facts, tensors
        self._parts, self._division = parts, Division(parts)
        self.begin = begin
        self.is_pushed = is_pushed
        self.covers_sources = covers_sources
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
        self._inner_bytes = self._whole_bytes = 0
        """Of what is not whole, and of the whole tensors that it begins with."""
        self._scratch_bytes = self._kept_scratch = 0
        """Of the step that needs most; they take turns.  And what all of them keep."""
        self._reads: dict[int, int] = {}
        """Steps that read each tensor."""
        self._inside_bytes = 0
        """Those of the row that the last step reads where it makes its own; not in `kept`."""
        self._inside_from = begin
        """The step that is the first to write where the last one makes its row."""
        self._sources: list[int] = []
        self._last = self._last_reader = self.end = begin
        self._steps = 0
        self._made: Counts | None = None
        """Rows of the first step by the rows of the last one, none at first."""

    def forked(self, facts: Sequence[Fact], tensors: Tensors) -> Growth:
        """The stream as it is now, which goes on with other steps."""
        found = copy(self)
        found._facts, found._tensors = facts, tensors
        found._rows, found._kept_rows = self._rows.copy(), self._kept_rows.copy()
        found._reads, found._shared = self._reads.copy(), self._shared.copy()
        found._sources = self._sources.copy()
        found._division = self._division.copy()
        return found

    def ends(self, most_bytes: int | None, last: int | None = None) -> Iterator[int]:
        """The ends of all streams, up to the `last`; the figures are those of the one yielded.
        Stops when the rings and what the stream begins with take more than `most_bytes`."""
        last = len(self._facts) if last is None else last
        while self._steps < LONGEST_STREAM and self.end < last:
            before = self._facts[self._last] if self._steps else None
            if not self._append(self.end, before):
                return
            if before is not None:
                self._last_reader = max(self._last_reader, self._tensors.last[before.output])
            if self._last_reader >= len(self._facts):  # an output between two steps
                return
            if most_bytes is not None and self._kept_bytes + self._whole_bytes > most_bytes:
                return
            if self._last_reader < self.end:
                yield self.end

    def _append(self, place: int, before: Fact | None) -> bool:
        """Take one more step, after the one `before`; False if no stream can go through it."""
        fact = self._facts[place]
        if fact.rows is None or (before is not None and before.takes_pieces):
            return False
        if before is not None:
            self._inner_bytes += self._tensors.size[before.output]
        self._inner_bytes += fact.scratch_bytes
        self._scratch_bytes = max(self._scratch_bytes, fact.row_scratch_bytes)
        self._kept_scratch += fact.kept_bytes
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
        self._last, self.end = place, place + fact.places
        self._steps += 1
        self.counted_rows += turns.count * (1 + len(self._sources))
        return True

    def _read(self, tensor: int, rows: Rows) -> bool:
        """Whether reader and maker agree on the rows, and pushed rows come from one tensor."""
        if tensor not in self._rows:
            self._rows[tensor] = rows.input_rows or 1
            self._sources.append(tensor)
            self._whole_bytes += 0 if self.is_pushed else self._tensors.size[tensor]
            return not self.is_pushed or len(self._sources) == 1
        return rows.input_rows in (None, self._rows[tensor])

    def _grow_rings(self, fact: Fact, before: Fact | None, turns: Turns) -> None:
        """The rings of what a step reads, and the rows that the first one has made by then."""
        for tensor in dict.fromkeys(fact.inputs):
            if tensor in self._sources and not self.is_pushed:
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
            self._made = turns.counts if self._made is None else self._made[turns.counts]

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

    def peak(self, most_bytes: int | None) -> int | None:
        """Bytes alive while the stream runs: exact for a chain, else a lower bound; None where they
        are more than `most_bytes`."""
        peak, covered = self._peak_apart(), 0
        dying = [
            each
            for each in self._sources
            if self.covers_sources and self._tensors.last[each] <= self._last
        ]
        fact = self._facts[self._last]
        if dying:
            covered = min(max(map(self._source_bytes, dying)), self._tensors.size[fact.output])
            is_enough = most_bytes is None or peak - covered <= most_bytes
            if self.is_chain and is_enough:
                covered = self._covered_bytes(fact, dying[0])
        return peak - covered if most_bytes is None or peak - covered <= most_bytes else None

    def _peak_apart(self) -> int:
        """The same where the result overlaps nothing."""
        fact, size = self._facts[self._last], self._tensors.size
        peak = self._tensors.alive(self.begin, self.end) - self._inner_bytes
        peak += self._kept_bytes + fact.sums_bytes
        peak += self._division.shelf_bytes if self._parts else self._scratch_bytes
        peak += self._kept_scratch
        if self.is_pushed:
            peak -= size[self._sources[0]]
        return peak

    def _covered_bytes(self, fact: Fact, source: int) -> int:
        """Bytes of the source that the result may overlap; where the row that the last step reads
        is in the result, and that leaves too few, those that are left if it does not."""
        if self._parts:  # what is inside another row stays there
            return self._saved_bytes(fact, source, is_early=True)
        late = self._saved_bytes(fact, source, is_early=False)
        if not self._inside_bytes:
            return late
        return max(self._saved_bytes(fact, source, is_early=True), late - self._inside_bytes)

    def _saved_bytes(self, fact: Fact, source: int, *, is_early: bool) -> int:
        distance = max(self._distance(fact, source, is_early=is_early), 0)
        sizes = self._source_bytes(source), self._tensors.size[fact.output]
        return Overlap(ascending=distance).saved_bytes(*sizes)

    def _source_bytes(self, source: int) -> int:
        """Bytes that are kept of what the stream begins with."""
        size, rows = self._tensors.size[source], self._rows[source]
        return size // rows * self._kept_rows[source] if self.is_pushed else size

    def _distance(self, fact: Fact, source: int, *, is_early: bool) -> int:
        """Least distance in bytes from the source's first byte down to the result's at which no row
        is overwritten before it is read; `is_early`: by the first that writes into the result."""
        if fact.takes_pieces:  # written once all has been read
            return self._tensors.size[fact.output] - self._source_bytes(source)
        first, rows = self._facts[self.begin], self._rows[source]
        assert first.rows is not None and fact.rows is not None
        turns, row_bytes = first.turns(rows), self._tensors.size[source] // rows
        made = np.arange(turns.count) if self._made is None else self._made[1:]
        done = made
        if self._made is None or (is_early and self._inside_from == self.begin):
            # the first step writes it, before its turn counts
            is_covered = self._parts < 2 and may_cover(
                first.step, row_bytes, first.rows.output_row_bytes
            )
            turn = made if self._made is None else np.maximum(made - 1, 0)
            done = turn + is_covered
        ends = fact.row_ends
        if self._parts > 1 and self._made is not None:  # before the last piece of each row
            done = np.append(done, np.maximum(done - 1, 0))
            made = np.append(made, made)
            ends = np.append(ends, ends - self._division.last_bytes(fact.rows.output_row_bytes))
        kept = turns.oldest[done]
        if self.is_pushed:  # a later row is not there yet, and the ring is the end of its tensor
            pushed = turns.needed if self._made is None else turns.counts[made]
            kept = np.maximum(np.minimum(kept, pushed) - rows + self._kept_rows[source], 0)
        return int((ends - kept * row_bytes).max())
