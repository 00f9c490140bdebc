"""How a program runs: its steps one after the other, or some of them together, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml_rules.ir.program import Form, Program, Step


@dataclass(frozen=True)
class Ring:
    """The rows of a tensor that exist at a time: row r is in slot (r + phase) % capacity.

    A whole tensor is a ring whose capacity is all its rows.  Of the caller's rows that `is_lent`,
    the last one is in the last slot: the slots die from the first one on, and the end of the
    stream's result may be written to them.
    """

    tensor: int
    rows: int
    capacity: int
    row_bytes: int
    inside: int | None = None
    """The tensor in whose slots its rows are, so that it takes no bytes: of its rows only the
    newest exists, until the row of that tensor in the same slot is made of it.  Both end together.
    """
    gap_bytes: int = 0
    """Bytes between two slots."""
    is_lent: bool = False
    pixels: int = 1
    """Of a row that is made in pieces."""
    piece: int = 0
    """The most pixels of one; 0: rows are made whole."""
    before_last: int = 0
    """The most pixels that there are of a row before its last piece."""
    saved: int = 0
    """Pixels of the newest row that are after the slots between two pieces (`plan/strips.py`)."""
    strip: int = 0
    """Pixels of the newest row that are on the shelf while a piece is made and taken."""
    strip_at: int = 0
    """The first byte of the shelf that those are in."""
    scratch_at: int = 0
    """The first byte there of the scratch memory of the step that makes the rows."""
    shelf_at: int = 0
    """The byte of the buffer from which on the shelf is after the ring."""
    shelf_bytes: int = 0
    """Bytes of the shelf; 0 where it is not after this ring."""

    @property
    def slot_bytes(self) -> int:
        """Bytes from one slot to the next."""
        return self.row_bytes + self.gap_bytes

    @property
    def size_bytes(self) -> int:
        if self.shelf_bytes:
            return self.shelf_at + self.shelf_bytes
        return self.capacity * self.slot_bytes - self.gap_bytes + self.saved * self.pixel_bytes

    @property
    def pixel_bytes(self) -> int:
        return self.row_bytes // self.pixels

    @property
    def strip_bytes(self) -> int:
        return self.strip * self.pixel_bytes

    @property
    def phase(self) -> int:
        """The slot of row 0."""
        return -self.rows % self.capacity if self.is_lent else 0

    @property
    def is_whole(self) -> bool:
        return self.capacity == self.rows and not self.strip


def may_cover(step: Step, input_bytes: int, output_bytes: int) -> bool:
    """Whether a step may overwrite the row that it reads with the one that it makes: it works value
    by value, and both have the same size."""
    kernel = step.kernel
    is_in_place = kernel.form is Form.POINTWISE and kernel.is_in_place
    return is_in_place and input_bytes == output_bytes


def _kept(step: Step) -> tuple[int, ...]:
    """The buffers that a step keeps from one row to the next."""
    pairs = zip(step.workspace, step.scratch, strict=True)
    return tuple(buffer for buffer, each in pairs if each.is_kept)


@dataclass(frozen=True, eq=False)
class Task:
    """Steps that run together.  A streamed task has `sources`, a ring for each tensor that comes
    from outside, and `results`, one for the output of each step; a task without rings is a single
    step on whole tensors."""

    steps: tuple[Step, ...]
    sources: tuple[Ring, ...] = ()
    results: tuple[Ring, ...] = ()

    @property
    def is_streamed(self) -> bool:
        return bool(self.results)

    @property
    def is_in_pieces(self) -> bool:
        """A turn of a step makes a piece of a row, from one pixel to all (`plan/strips.py`)."""
        return self.is_streamed and self.results[-1].piece > 0

    @property
    def has_parts(self) -> bool:
        """Some of those are not whole rows."""
        return any(0 < ring.piece < ring.pixels for ring in self.results)

    @property
    def rings(self) -> tuple[Ring, ...]:
        """All rings, sources first; a position here is the number of a counter of rows."""
        return (*self.sources, *self.results)

    @cached_property
    def workspace(self) -> tuple[int, ...]:
        """The buffers of its scratch memory.  The steps of a stream run one at a time, each in the
        buffer of the one that needs most, and each with what it keeps in its own."""
        if not self.is_streamed:
            return self.steps[0].workspace
        if self.is_in_pieces:  # on the shelf
            return ()
        kept = (buffer for step in self.steps for buffer in _kept(step))
        return (*self._in_turn, *kept)

    @cached_property
    def _in_turn(self) -> tuple[int, ...]:
        """The one among them in which the steps of a stream take turns."""
        needs = {
            buffer: each.size_bytes
            for step in self.steps
            for buffer, each in zip(step.workspace, step.scratch, strict=True)
            if not each.is_kept
        }
        return (max(needs, key=lambda buffer: needs[buffer]),) if needs else ()

    def workspace_of(self, step: Step) -> tuple[int, ...]:
        """The buffers among them that one of the steps of a stream uses, as its scratch memory has
        them."""
        if self.is_in_pieces:
            return ()
        kept = _kept(step)
        return (*(self._in_turn if len(kept) < len(step.scratch) else ()), *kept)

    @property
    def shelf(self) -> Ring:
        """The ring with the shelf of a stream in pieces."""
        return next(ring for ring in self.results if ring.shelf_bytes)

    def may_cover(self, place: int, ring: Ring) -> bool:
        """Whether a step of a stream may overwrite the row of `ring` that it reads."""
        return may_cover(self.steps[place], ring.row_bytes, self.results[place].row_bytes)

    @property
    def guests(self) -> dict[int, int]:
        """For the place of each step that makes its row where the row that it reads is: the place
        of the step that made that one."""
        places = {ring.tensor: place for place, ring in enumerate(self.results)}
        return {
            places[ring.inside]: place
            for place, ring in enumerate(self.results)
            if ring.inside is not None
        }

    def position(self, tensor: int) -> int:
        """The position of the ring of a stored tensor in `rings`."""
        return [ring.tensor for ring in self.rings].index(tensor)


@dataclass(frozen=True)
class Shared:
    """Which rows of a tensor windows share that overlap, in rows of a window: `first` .. `end` - 1
    read no padding, nor anything that does.  The others are edge rows, of one window each.

    Two rows are `stride` rows of the input apart; a shared row r is made when the window has r *
    stride + delay + 1 rows of the input.  `upper` and `lower` are the rows that are made for one
    window alone, once its upper edge rows can be made and at its end; they are in the ring `edge`.
    What is shared is in the ring of the task, which is kept from one pushed row to the next where
    `is_kept`; else `edge` is the same memory.  The rows of a step with sums are those of its input.
    """

    stride: int
    delay: int
    first: int
    end: int
    upper: range = range(0)
    lower: range = range(0)
    edge: Ring | None = None
    is_kept: bool = False


@dataclass(frozen=True)
class Slide:
    """Windows that overlap: one begins with every `hop`-th pushed row, and all of `in_flight` are
    computed together.  `shared` has an element for each ring of the first task.  The upper edge
    rows of a window are made when it has `upper_at` + 1 rows of the input; -1: there are none."""

    hop: int
    rows: int
    upper_at: int
    shared: tuple[Shared, ...]

    @property
    def in_flight(self) -> int:
        """The most windows of which some rows, but not all, are there."""
        return -(-self.rows // self.hop)


@dataclass(frozen=True, eq=False)
class Schedule:
    """Every step of the program in exactly one task.  With `is_pushed` the caller passes the
    input a row at a time, and the first task, which is streamed, starts with a ring of them; with
    `slide` its rows live on, and windows overlap."""

    program: Program
    tasks: tuple[Task, ...]
    is_pushed: bool = False
    slide: Slide | None = None
    is_sliced: bool = False
    """An inference can stop after any layer or row, and go on there."""
    kept_bytes: int = 0
    """What decisions over time keep from one result to the next."""

    @property
    def pushed_ring(self) -> Ring | None:
        """The ring of the caller's rows."""
        return self.tasks[0].sources[0] if self.is_pushed else None
