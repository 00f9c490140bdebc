"""Proof of a streamed task whose rows are made in pieces: what the C does, turn by turn.

Every pixel that a turn reads has to be where the code looks for it, in the row's slot or in the
strip on the shelf, and what a turn writes may overlap nothing that it still reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tinyml_rules.ir.buffers import Life, living
from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.ir.window import Window
from tinyml_rules.plan.contents import Arenas
from tinyml_rules.plan.tasks import Ring, Task
from tinyml_rules.plan.verify_layer import check_apart, keeps_sums, taps

_SCRATCH = -1
"""What a step's scratch memory holds."""


@dataclass(frozen=True)
class _Across:
    """What a step reads along a row: pixel x sees `size` pixels, `dilation` apart, from x * stride
    - pad on."""

    stride: int
    pad: int
    size: int
    dilation: int

    def first(self, x: int) -> int:
        return max(x * self.stride - self.pad, 0)

    def end(self, x: int) -> int:
        return x * self.stride - self.pad + (self.size - 1) * self.dilation + 1


@dataclass(frozen=True)
class _Stage:
    """The step at `place` reads rings[place] and makes rings[place + 1]; `rows` and `pixels` are
    those that it makes, or takes where it keeps sums."""

    step: Step
    place: int
    window: Window | None
    across: _Across
    rows: int
    pixels: int
    piece: int

    def bottom(self, y: int) -> int:
        """The last row that output row y reads, maybe outside the image."""
        return taps(self.step, y)[-1]


def verify_pieces(arenas: Arenas, task: Task, program: Program, *, is_pushed: bool) -> None:
    """Assert that every pixel is there when it is read, and that all get made."""
    assert len(task.sources) == 1
    assert all(step.kernel.rows_at_once == 1 for step in task.steps), "a piece is of one row"
    replay = _Replay(arenas, task, program, is_pushed=is_pushed)
    replay.run()
    for stage in replay.stages:
        assert replay.rows[stage.place + 1] == stage.rows, "the stream stands still"
    if keeps_sums(task.steps[-1]):
        arenas.write(task.results[-1].tensor, 0, 0, task.results[-1].row_bytes)


def _stages(task: Task) -> Iterator[_Stage]:
    for place, (step, ring) in enumerate(zip(task.steps, task.results, strict=True)):
        counted = task.rings[place] if keeps_sums(step) else ring
        window = step.window if step.kernel.form is Form.WINDOW else None
        across = _Across(1, 0, 1, 1)
        if window is not None:
            assert step.columns is not None
            each = step.columns
            across = _Across(each.stride, each.pad_before, each.size, each.dilation)
        yield _Stage(step, place, window, across, counted.rows, counted.pixels, counted.piece)


class _Replay:
    """`rows` counts the whole rows of each ring, `columns` the pixels of the next one."""

    def __init__(self, arenas: Arenas, task: Task, program: Program, *, is_pushed: bool) -> None:
        self._arenas = arenas
        self._program = program
        self._task = task
        self._rings = task.rings
        self._is_pushed = is_pushed
        self._makers = living(program.buffers, Life.INPUTS) if is_pushed else ()
        self.stages = tuple(_stages(task))
        self.rows = [0 if is_pushed else self._rings[0].rows, *[0] * len(self.stages)]
        self.columns = [0] * len(self._rings)
        self._shelf = task.shelf
        self._shelf_at = self._shelf.shelf_at
        saved = self._shelf.saved * self._shelf.pixel_bytes
        assert self._shelf_at >= self._shelf.capacity * self._shelf.row_bytes + saved

    def run(self) -> None:
        """The last step that can make a pixel goes first."""
        ring = self._rings[0]
        while True:
            for stage in reversed(self.stages):
                pixels = self._ready(stage)
                if pixels > 0:
                    self._turn(stage, pixels)
                    break
            else:
                if not self._is_pushed or self.rows[0] == ring.rows:
                    return
                for buffer in self._makers:
                    self._arenas.write_scratch(buffer)
                row = self.rows[0]
                begin, slot = row * ring.row_bytes, (row + ring.phase) % ring.capacity
                first, end = slot * ring.row_bytes, begin + ring.row_bytes
                self._arenas.write(ring.tensor, first, begin, end)
                self.rows[0] += 1

    def _ready(self, stage: _Stage) -> int:
        """How many pixels a step can make now."""
        place, source = stage.place, self._rings[stage.place]
        y, x = self.rows[place + 1], self.columns[place + 1]
        needed = min(stage.bottom(y) + 1, source.rows)
        if y == stage.rows or self.rows[place] < needed - 1:
            return 0
        there = self.columns[place] if self.rows[place] < needed else stage.across.end(stage.pixels)
        after = range(x, min(x + stage.piece, stage.pixels))
        return sum(stage.across.end(pixel) <= there for pixel in after)

    def _turn(self, stage: _Stage, pixels: int) -> None:
        scratch = [each.size_bytes for each in stage.step.scratch]
        assert len(scratch) <= 1
        at = self._shelf_at + self._rings[stage.place + 1].scratch_at
        for size in scratch:
            self._put(self._shelf.tensor, at, size, _SCRATCH, 0)
        self._read(stage, pixels)
        self._read_shared(stage, pixels)
        if not keeps_sums(stage.step):
            self._write(stage, pixels)
        self._move_strip(stage, pixels)
        self.columns[stage.place + 1] += pixels
        if self.columns[stage.place + 1] == stage.pixels:
            self.rows[stage.place + 1] += 1
            self.columns[stage.place + 1] = 0
        for size in scratch:
            self._arenas.check_as(self._shelf.tensor, at, size, _SCRATCH, 0)

    def _read(self, stage: _Stage, pixels: int) -> None:
        ring, y = self._rings[stage.place], self.rows[stage.place + 1]
        x = self.columns[stage.place + 1]
        width = self._pixels(stage)
        first, end = stage.across.first(x), min(stage.across.end(x + pixels - 1), width)
        if end <= first:
            return
        pixel_bytes = ring.row_bytes // width
        size = (end - first) * pixel_bytes
        for row in (each for each in taps(stage.step, y) if 0 <= each < ring.rows):
            begin, (holder, at) = row * width + first, self._place(stage, row, first, pixels)
            self._arenas.check_as(holder, at, size, ring.tensor, begin * pixel_bytes)
            if not keeps_sums(stage.step):
                self._check_apart(stage, pixels, holder, at, size)

    def _pixels(self, stage: _Stage) -> int:
        """Pixels of a row that it reads."""
        if stage.window is None:
            return stage.pixels
        assert stage.step.columns is not None
        return stage.step.columns.inputs

    def _place(self, stage: _Stage, row: int, column: int, pixels: int) -> tuple[int, int]:
        """The buffer, and the byte there, at which a step looks for a pixel of its input."""
        ring, y = self._rings[stage.place], self.rows[stage.place + 1]
        if ring.inside is not None or ring.capacity == 0:
            assert column == self.columns[stage.place + 1]
            return self._piece_of(stage.place, y, column, pixels)
        pixel_bytes = ring.row_bytes // self._pixels(stage)
        if ring.strip and row == stage.bottom(y):
            start = stage.across.first(self.columns[stage.place + 1])
            ahead = (column - start) * pixel_bytes
            return self._shelf.tensor, self._shelf_at + ring.strip_at + ahead
        slot = (row + ring.phase) % ring.capacity
        return ring.tensor, slot * ring.row_bytes + column * pixel_bytes

    def _piece_of(self, place: int, y: int, x: int, pixels: int) -> tuple[int, int]:
        """Where the code has a piece that is being made of rings[place], pixel (y, x) and so many:
        in the buffer of the ring that it is inside, at the end of the piece made of it."""
        ring = self._rings[place]
        if ring.inside is not None:
            host = self._rings[place + 1]
            assert host.tensor == ring.inside
            holder, at = self._piece_of(place + 1, y, x, pixels)
            return holder, at + pixels * (host.pixel_bytes - ring.pixel_bytes)
        if ring.capacity == 0:
            assert pixels <= ring.strip, "the strip is too short"
            return self._shelf.tensor, self._shelf_at + ring.strip_at
        if ring.strip:
            reader = self.stages[place]
            if reader.bottom(self.rows[place + 1]) == y:
                at = x - reader.across.first(self.columns[place + 1])
                assert at >= 0 and at + pixels <= ring.strip, "the strip is too short"
                at = self._shelf_at + ring.strip_at + at * ring.pixel_bytes
                return self._shelf.tensor, at
        return ring.tensor, y % ring.capacity * ring.row_bytes + x * ring.pixel_bytes

    def _write(self, stage: _Stage, pixels: int) -> None:
        place = stage.place + 1
        ring, y, x = self._rings[place], self.rows[place], self.columns[place]
        self._fill_strip(place)
        holder, at = self._piece_of(place, y, x, pixels)
        begin = (y * stage.pixels + x) * ring.pixel_bytes
        self._put(holder, at, pixels * ring.pixel_bytes, ring.tensor, begin)

    def _put(self, holder: int, at: int, size: int, tensor: int, begin: int) -> None:
        """Write bytes of a tensor into the buffer of a ring, or after it on the shelf."""
        ring = self._rings[[each.tensor for each in self._rings].index(holder)]
        is_in_slots = holder == self._shelf.tensor and at < self._shelf_at
        end = self._shelf_at if is_in_slots else ring.size_bytes
        assert at >= 0 and at + size <= end, f"buffer {holder} is too small"
        self._arenas.write_as(holder, at, size, tensor, begin)

    def _read_shared(self, stage: _Stage, pixels: int) -> None:
        tensors = self._program.graph.tensors
        for tensor in stage.step.shared:
            size, buffer = tensors[tensor].size_bytes, self._program.buffer_of(tensor)
            self._arenas.check(tensor, 0, 0, size)
            self._check_apart(stage, pixels, buffer, 0, size, is_whole=True)

    def _check_apart(
        self, stage: _Stage, pixels: int, holder: int, at: int, size: int, *, is_whole: bool = False
    ) -> None:
        """Assert this of the piece that a step makes, and bytes that it reads for it."""
        place = stage.place + 1
        made_in, to = self._piece_of(place, self.rows[place], self.columns[place], pixels)
        written = made_in, to, pixels * self._rings[place].pixel_bytes
        step = replace(stage.step, chunk=stage.step.chunk // stage.pixels * pixels)
        check_apart(self._arenas, step, written, (holder, at, size), is_whole=is_whole)

    def _fill_strip(self, place: int) -> None:
        """The pixels that were kept of a row which goes on are put in front of the strip, also
        where another ring's piece is made inside this one's."""
        ring = self._rings[place]
        if ring.inside is not None:
            self._fill_strip(place + 1)
        elif ring.strip and ring.capacity:
            row, reader = self.rows[place], self.stages[place]
            if reader.bottom(self.rows[place + 1]) == row:
                first = reader.across.first(self.columns[place + 1])
                kept = range(first, self.columns[place])
                saved = ring.capacity * ring.row_bytes
                strip = self._shelf_at + ring.strip_at
                self._move(ring, row, kept, (ring.tensor, saved), (self._shelf.tensor, strip))

    def _move_strip(self, stage: _Stage, pixels: int) -> None:
        """What the next turn does not read of the newest row goes to its slot, and the rest after
        the slots."""
        place, ring = stage.place, self._rings[stage.place]
        row = stage.bottom(self.rows[place + 1])
        if not ring.strip or ring.capacity == 0 or row >= ring.rows:
            return
        made = ring.pixels if self.rows[place] > row else self.columns[place]
        x = self.columns[place + 1]
        first, after = stage.across.first(x), x + pixels
        kept = made if after == stage.pixels else min(stage.across.first(after), made)
        shelf, strip = self._shelf.tensor, self._shelf_at + ring.strip_at
        slot = row % ring.capacity * ring.row_bytes + first * ring.pixel_bytes
        self._move(ring, row, range(first, kept), (shelf, strip), (ring.tensor, slot))
        gone, saved = (kept - first) * ring.pixel_bytes, ring.capacity * ring.row_bytes
        assert made - kept <= ring.saved, "too many pixels are left"
        self._move(ring, row, range(kept, made), (shelf, strip + gone), (ring.tensor, saved))

    def _move(
        self, ring: Ring, row: int, pixels: range, source: tuple[int, int], to: tuple[int, int]
    ) -> None:
        """Pixels of a row, from a byte of a buffer to another."""
        begin = (row * ring.pixels + pixels.start) * ring.pixel_bytes
        size = len(pixels) * ring.pixel_bytes
        if size:
            self._arenas.check_as(*source, size, ring.tensor, begin)
            self._put(*to, size, ring.tensor, begin)
