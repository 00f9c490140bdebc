"""A stream in pieces as it grows by one step at a time: how each makes its rows, and the shelf."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from tinyml_rules.ir.buffers import aligned
from tinyml_rules.ir.program import Step
from tinyml_rules.ir.window import Reach
from tinyml_rules.plan.strips import Cut, first_cut, held, next_cut, shelf_of
from tinyml_rules.plan.tasks import Ring


class Division:
    """Of the rows of a chain of steps, into about `parts` pieces each."""

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self._cut: Cut | None = None
        """How the last step makes its rows."""
        self._strips: list[int | None] = []
        """By step but the last, the bytes of what it has on the shelf; None: inside the next
        one's."""
        self._scratch: list[int] = []
        """By step, those of its scratch memory there."""

    def copy(self) -> Division:
        """The same, to which other steps can be appended."""
        found = copy(self)
        found._strips, found._scratch = self._strips.copy(), self._scratch.copy()
        return found

    def take(
        self,
        step: Step,
        columns_of: Callable[[int | None], Reach | None],
        ring: Ring | None,
        *,
        scratch_bytes: int,
        alignment: int,
    ) -> int | None:
        """Append a step, which reads `ring` of the step before if there is one: the bytes that the
        ring takes apart from the shelf; None where it cannot take pieces."""
        before, size_bytes = self._cut, 0
        columns = columns_of(None if before is None else before.pixels)
        if columns is None:
            return None
        self._cut = first_cut(columns, self._parts) if before is None else next_cut(columns, before)
        if ring is not None and before is not None:
            found = held(ring, step, columns, before)
            if found is None:
                return None
            self._strips.append(aligned(found.strip_bytes, alignment))
            size_bytes = found.size_bytes
        self._scratch.append(scratch_bytes)
        return None if self._cut is None else size_bytes

    def put_inside(self) -> None:
        """The step makes its row where the one that it reads is."""
        self._strips[-1] = None

    @property
    def has_shelf(self) -> bool:
        """Whether some step but the last makes its rows there."""
        return any(strip is not None for strip in self._strips)

    @property
    def shelf_bytes(self) -> int:
        return shelf_of((*self._strips, 0), self._scratch).size_bytes

    def last_bytes(self, row_bytes: int) -> int:
        """The least bytes of the last piece of a row of the last step."""
        assert self._cut is not None
        return (self._cut.pixels - self._cut.before_last) * (row_bytes // self._cut.pixels)
