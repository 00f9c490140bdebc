"""The parts of the table with room for a model, found without a toolchain and without building it.

Planned bytes are exact: constants and tensors.  Code and stack are estimates with bounds; a part
for which these decide is reported as close, neither as fitting nor as too small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tinyml_rules.compiler import plan_program, select_program
from tinyml_rules.errors import TinymlError, Way
from tinyml_rules.fitting.estimate import Estimate, estimate
from tinyml_rules.fitting.ways import settings_for
from tinyml_rules.ir.features import Feature
from tinyml_rules.plan.int_range import check_int_range
from tinyml_rules.request.request import Request
from tinyml_rules.target.part_table import Part
from tinyml_rules.target.parts import FLASH, RAM

Requested = Callable[[str], Request]
"""Makes the request for a target."""
SMALLER_TARGETS = 3
"""Number of smaller targets for which alternatives are planned."""


class Result(StrEnum):
    """Whether a part has room."""

    FITS = "fits"
    CLOSE = "close"
    """The error of the estimate decides."""
    TOO_SMALL = "too small"
    NOT_FOR_IT = "not for it"
    """The model cannot be compiled for this core at all."""


@dataclass(frozen=True)
class Need:
    """What a model takes on one kind of core: planned bytes, and estimated ones."""

    constant_bytes: int
    planned_ram_bytes: int
    other: Estimate

    @property
    def flash_bytes(self) -> tuple[int, int]:
        """Constants and code, at least and at most."""
        code = self.other.least_code_bytes, self.other.most_code_bytes
        return self.constant_bytes + code[0], self.constant_bytes + code[1]

    @property
    def ram_bytes(self) -> tuple[int, int]:
        """Tensors, variables and stack, at least and at most."""
        ram = self.other.least_ram_bytes, self.other.most_ram_bytes
        return self.planned_ram_bytes + ram[0], self.planned_ram_bytes + ram[1]

    def result_on(self, room: dict[str, int]) -> Result:
        """The result for so many bytes of both memories."""
        needs = (self.flash_bytes, room[FLASH]), (self.ram_bytes, room[RAM])
        if any(least > bytes_there for (least, _), bytes_there in needs):
            return Result.TOO_SMALL
        is_sure = all(most <= bytes_there for (_, most), bytes_there in needs)
        return Result.FITS if is_sure else Result.CLOSE


@dataclass(frozen=True)
class Fit:
    """One part, and what the model takes of it; None where it cannot be compiled for the core, for
    the `reason` given.  `room`: bytes of both memories that the rest of the firmware leaves."""

    part: Part
    room: dict[str, int]
    need: Need | None
    reason: str = ""

    @property
    def result(self) -> Result:
        """Whether it fits."""
        return Result.NOT_FOR_IT if self.need is None else self.need.result_on(self.room)


def fits(
    requested: Requested, parts: Sequence[Part], *, other_flash: int = 0, other_ram: int = 0
) -> list[Fit]:
    """A line for each part, in their order.  The model is planned once for each kind of core."""
    known: dict[tuple[frozenset[Feature], str], Need | str] = {}
    found = []
    for part in parts:
        request = requested(part.target)
        kind = (request.features, repr(request.chosen))
        if kind not in known:
            known[kind] = _need_or_reason(request)
        need = known[kind]
        room = {FLASH: part.flash_bytes - other_flash, RAM: part.ram_bytes - other_ram}
        reason = need if isinstance(need, str) else ""
        found.append(Fit(part, room, None if isinstance(need, str) else need, reason))
    return found


def _need_or_reason(request: Request) -> Need | str:
    try:
        program = select_program(request)
        steps, plan = plan_program(program, request)
        check_int_range(steps, request.target)
    except TinymlError as error:
        return "; ".join(each.what for each in error.problems)
    other = estimate(steps.program, request.target)
    return Need(steps.program.constant_bytes, plan.ram_bytes, other)


def smallest(found: Sequence[Fit]) -> Fit | None:
    """The first part that fits."""
    return next((each for each in found if each.result is Result.FITS), None)


def ways_to_smaller(requested: Requested, found: Sequence[Fit]) -> Iterator[tuple[Fit, Way]]:
    """What would make the model fit on the parts before the smallest that it fits on, or on the
    largest ones: the largest of each target first, with the settings that do."""
    for each in before_smallest(found):
        assert each.need is not None
        other = {
            FLASH: each.need.other.most_code_bytes,
            RAM: each.need.other.most_ram_bytes,
        }
        for way in settings_for(requested(each.part.target), room=each.room, other=other):
            if not way.lacking:
                yield each, way


def before_smallest(found: Sequence[Fit]) -> Iterator[Fit]:
    """The parts before the smallest that the model fits on, or the largest ones: the largest of
    each target first, of few targets."""
    first = smallest(found)
    before = found[: found.index(first)] if first else found
    asked: list[str] = []
    for each in reversed(before):
        if each.need is None or each.part.target in asked:
            continue
        asked.append(each.part.target)
        if len(asked) > SMALLER_TARGETS:
            return
        yield each
