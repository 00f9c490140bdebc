"""Alternatives for a model that does not fit: other settings, and parts with enough room.

Every figure is that of a plan that was made.  Nothing of this runs for a model that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from tinyml_rules.compiler import plan_program, select_program
from tinyml_rules.errors import DoesNotFitError, Problem, Shortage, TinymlError, Way
from tinyml_rules.fitting.int4_savings import int4_lines
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.reporting.advice import LARGEST_PROGRAM, PACKED_COST
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.target.parts import FLASH, RAM, parts_beside, room_of
from tinyml_rules.target.target import Target

MOST_PARTS = 3
"""Parts with room that are named, the smallest of the same architecture first."""


@dataclass(frozen=True)
class _Need:
    """Planned bytes of flash and of RAM, by these names, and of a weights file."""

    memories: Mapping[str, int]
    external_bytes: int


@dataclass(frozen=True)
class _Setting:
    """A field of Request, and what it may be set to for the sake of a memory."""

    name: str
    value: Mode | Weights | bool
    saves: str
    cost: str = ""
    """Its cost other than memory."""


_SETTINGS = (
    _Setting("schedule", Mode.AUTO, RAM),
    _Setting("push_rows", True, RAM),
    _Setting("weights", Weights.PACKED, FLASH, cost=PACKED_COST),
    _Setting("weights", Weights.EXTERNAL, FLASH),
)
Chosen = tuple[_Setting, ...]


@dataclass(frozen=True)
class _Misfit:
    """A request, what it takes, and the room for it besides `other` bytes, which were measured:
    code, stack, and the rest of the firmware."""

    request: Request
    now: _Need
    room: Mapping[str, int]
    other: Mapping[str, int]
    short: tuple[str, ...]

    def lacking(self, need: _Need) -> tuple[str, ...]:
        """The memories that would be too small for it."""
        taken = {each: need.memories[each] + self.other[each] for each in self.room}
        return tuple(each for each in taken if taken[each] > self.room[each])


@contextmanager
def explained(request: Callable[[], Request]) -> Iterator[None]:
    """A DoesNotFitError from inside gets `ways`, and a hint with them."""
    try:
        yield
    except DoesNotFitError as error:
        raise with_ways(error, request()) from error


def with_ways(error: DoesNotFitError, request: Request) -> DoesNotFitError:
    """The error with what `request` would take otherwise; as it is where no figures are known, and
    where the program is so large that planning it again would take long."""
    shortages = [each.shortage for each in error.problems if each.shortage]
    found = {each.memory: each for each in shortages if each.memory in (FLASH, RAM)}
    program = select_program(request)
    if not found or len(program.steps) > LARGEST_PROGRAM:
        return error
    misfit = _misfit(request, _need(request, program), found)
    ways = (*_other_settings(misfit), *_other_parts(misfit))
    narrow = _by_int4(misfit, program)
    return DoesNotFitError(_with_hint(error.problems, misfit, ways, narrow), ways=ways)


def _by_int4(misfit: _Misfit, program: Program) -> tuple[str, ...]:
    """What int4 weights would save, if flash alone is too small."""
    if misfit.short != (FLASH,):
        return ()
    missing = misfit.now.memories[FLASH] + misfit.other[FLASH] - misfit.room[FLASH]
    return int4_lines(program, misfit.request.operators, missing)


def with_shared_arena(error: DoesNotFitError, reports: Sequence[Report]) -> DoesNotFitError:
    """The error of a program of several models with what one arena for all that can share one would
    save; variables are never in it."""
    arenas = {
        each.model: each.arena_bytes - each.variable_bytes
        for each in reports
        if _can_share(each) and each.arena_bytes > each.variable_bytes
    }
    places = [place for place, each in enumerate(error.problems) if _memory_of(each) == RAM]
    if len(arenas) < 2 or not places:
        return error
    hint = (
        f"--arena={ArenaMode.SHARED.value}: one arena of {max(arenas.values()):,} "
        f"bytes for {' and '.join(arenas)}, which run in turn, instead of "
        f"{sum(arenas.values()):,} bytes"
    )
    problems = list(error.problems)
    problems[places[-1]] = replace(problems[places[-1]], hint=hint)
    return DoesNotFitError(problems)


def _can_share(report: Report) -> bool:
    """Whether the model keeps nothing but variables, in an arena of its own."""
    is_stream = report.interface.slide or report.event_bytes or report.microphone
    return report.arena is ArenaMode.STATIC and not is_stream


def settings_for(
    request: Request, *, room: Mapping[str, int], other: Mapping[str, int]
) -> tuple[Way, ...]:
    """Alternatives that take less of the memories in `room` that are too small, with `other` bytes
    of each in use; none if the program is so large that planning it again would take long."""
    program = select_program(request)
    if len(program.steps) > LARGEST_PROGRAM:
        return ()
    misfit = _Misfit(request, _need(request, program), room, other, ())
    return tuple(_other_settings(replace(misfit, short=misfit.lacking(misfit.now))))


def misfit_data(error: DoesNotFitError) -> dict[str, Any]:
    """The error for a program to read: memories that are too small, and what would fit."""
    shortages = [each.shortage for each in error.problems if each.shortage]
    return {
        "error": str(error),
        "shortages": [dict(vars(each)) for each in shortages],
        "ways": [dict(vars(each)) for each in error.ways],
    }


def _misfit(request: Request, now: _Need, found: Mapping[str, Shortage]) -> _Misfit:
    memory = request.target.memory
    room = {} if memory is None else {FLASH: memory.flash.bytes, RAM: memory.ram.bytes}
    room |= {each.memory: each.available_bytes for each in found.values()}
    other = dict.fromkeys(room, 0)
    for each in found.values():
        if not each.is_least:
            other[each.memory] = each.needed_bytes - now.memories[each.memory]
    return _Misfit(request, now, room, other, tuple(found))


def _need(request: Request, program: Program | None = None) -> _Need:
    """Raises UnsupportedError where the model cannot be compiled in that way."""
    program = program or select_program(request)
    steps, plan = plan_program(program, request)
    memories = {FLASH: steps.program.constant_bytes, RAM: plan.ram_bytes}
    return _Need(memories, len(program.external))


def _other_settings(misfit: _Misfit) -> Iterator[Way]:
    """The fewest settings that make it fit; where none do, all that save something."""
    needs: dict[Chosen, _Need] = {(): misfit.now}
    fitting: list[Chosen] = []
    possible = [
        each
        for each in _SETTINGS
        if each.saves in misfit.short and vars(misfit.request)[each.name] != each.value
    ]
    for count in range(1, len(possible) + 1):
        for chosen in combinations(possible, count):
            if len({each.name for each in chosen}) < count:
                continue
            fewer = list(combinations(chosen, count - 1))
            if any(set(each) <= set(chosen) for each in fitting) or not set(fewer) <= set(needs):
                continue
            need = _need_with(misfit.request, chosen)
            if need is None or not _saves(misfit, need, [needs[each] for each in fewer]):
                continue
            needs[chosen] = need
            if not misfit.lacking(need):
                fitting.append(chosen)
            yield _way(misfit, need, chosen)


def _need_with(request: Request, chosen: Chosen) -> _Need | None:
    changes: dict[str, Any] = {each.name: each.value for each in chosen}
    try:
        return _need(replace(request, **changes))
    except TinymlError:
        return None  # the model has no rows to push


def _saves(misfit: _Misfit, need: _Need, others: Sequence[_Need]) -> bool:
    """Whether it takes less of a memory that is too small than all the others."""
    return all(
        any(need.memories[each] < other.memories[each] for each in misfit.short) for other in others
    )


def _way(misfit: _Misfit, need: _Need, chosen: Chosen) -> Way:
    return Way(
        target=misfit.request.target.name,
        settings=tuple(map(_spelled, chosen)),
        needed_bytes=need.memories,
        external_bytes=need.external_bytes,
        available_bytes=misfit.room,
        lacking=misfit.lacking(need),
    )


def _spelled(setting: _Setting) -> str:
    option = f"--{setting.name.replace('_', '-')}"
    return option if setting.value is True else f"{option}={setting.value}"


def _other_parts(misfit: _Misfit) -> Iterator[Way]:
    """The smallest parts with room for the model as it is asked for; none against a limit that is
    the user's own."""
    request = misfit.request
    if request.target.memory is None or misfit.room != room_of(request.target):
        return
    needs = {request.target.features: misfit.now}
    count = 0
    for part in parts_beside(request.target):
        if part.features not in needs:
            need = _need_on(part, request)
            if need is None:
                continue
            needs[part.features] = need
        there = replace(misfit, request=replace(request, target=part), room=room_of(part))
        if not there.lacking(needs[part.features]):
            yield _way(there, needs[part.features], ())
            count += 1
        if count == MOST_PARTS:
            return


def _need_on(part: Target, request: Request) -> _Need | None:
    try:
        return _need(replace(request, target=part))
    except TinymlError:
        return None  # it lacks the memory region in which a tensor is to be placed


def _with_hint(
    problems: Sequence[Problem], misfit: _Misfit, ways: Sequence[Way], narrow: Sequence[str]
) -> Iterator[Problem]:
    """The problems; the last one for which there are ways names them."""
    last = max(place for place, each in enumerate(problems) if _memory_of(each) in misfit.short)
    for place, each in enumerate(problems):
        has_hint = place == last and (ways or narrow)
        yield replace(each, hint=_hint(misfit, ways, narrow)) if has_hint else each


def _memory_of(problem: Problem) -> str:
    return problem.shortage.memory if problem.shortage else ""


def _hint(misfit: _Misfit, ways: Sequence[Way], narrow: Sequence[str]) -> str:
    what = ["what takes less"] if narrow or any(way.settings for way in ways) else []
    if not all(way.settings for way in ways):
        is_planned = not any(misfit.other.values())
        what.append(f"parts with room{' (code and stack not counted)' * is_planned}")
    told = [_setting_line(misfit, way) if way.settings else _part_line(way) for way in ways]
    count = sum(bool(way.settings) for way in ways)
    return "\n    ".join([f"{', and '.join(what)}:", *told[:count], *narrow, *told[count:]])


def _setting_line(misfit: _Misfit, way: Way) -> str:
    told = []
    for memory, content in ((FLASH, "constants"), (RAM, "the model")):
        needed, now = way.needed_bytes[memory], misfit.now.memories[memory]
        if needed != now:
            # the needs of a linked firmware include everything that is in it
            before = f" for {content} instead of {now:,}" if misfit.other.get(memory) else ""
            told.append(f"{needed:,} bytes of {memory}{before}")
        if memory == FLASH and way.external_bytes != misfit.now.external_bytes:
            told.append(f"{way.external_bytes:,} in a weights file")
    told += [each.cost for each in _SETTINGS if each.cost and _spelled(each) in way.settings]
    still = f"; still too much {' and '.join(way.lacking)}" if way.lacking else ""
    return f"{' '.join(way.settings)}: {', '.join(told)}{still}"


def _part_line(way: Way) -> str:
    has = way.available_bytes
    return f"{way.target}: has {has[FLASH]:,} bytes of {FLASH} and {has[RAM]:,} of {RAM}"
