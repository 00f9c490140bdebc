"""Program -> MemoryPlan: the order of the steps, where everything is, and whether it fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from tinyml_rules.ir.program import Program
from tinyml_rules.lower.groups import Grouping
from tinyml_rules.plan.budget import check_budget, check_ram_limit
from tinyml_rules.plan.groups import Ram, chosen
from tinyml_rules.plan.inside import with_places
from tinyml_rules.plan.int_range import check_int_range
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import KEPT, MemoryPlan
from tinyml_rules.plan.packed_pieces import pack_for_pieces
from tinyml_rules.plan.place import place
from tinyml_rules.plan.planned import Planned
from tinyml_rules.plan.regions import choose_regions
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.slide import slide
from tinyml_rules.plan.state import page_ram_bytes, state_bytes
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.target.target import Target

_PART_OF_MODEL = 15 / 16
"""Of the part's RAM: what a model may take before groups are looked for; the rest is for the stack
and for the firmware's own variables."""

_PARTS = (1, 2, 3, 4, 5, 6, 8)
"""Into how many pieces rows may be cut; of small ones each takes almost as long as a large one."""
_MOST_STEPS = 300
"""Of a program whose rows may be cut: it is planned for each of these numbers."""

_Plan = tuple[Schedule, MemoryPlan]


def plan_program(
    program: Program,
    target: Target,
    *,
    mode: Mode,
    is_pushed: bool,
    hop: int | None,
    is_sliced: bool,
    ram: Ram | int,
    places: Sequence[tuple[str, str]],
    page_bytes: int,
    kept_bytes: int,
    is_shared: bool = False,
    grouping: Grouping | None = None,
    may_divide: bool = False,
) -> _Plan:
    """The schedule, and where everything is.  `hop`: windows slide by so many pushed rows;
    `is_sliced`: it can stop after any layer or row; `ram`: its limit, or what counts; `places`: the
    region of some tensors; `page_bytes`: of external weights, read at a time; `kept_bytes`: what
    decisions over time keep; `is_shared`: other models overwrite the main arena, not its variables;
    `grouping` makes groups; `may_divide`: rows may be made in pieces."""

    def planned(program: Program, limit: int | None = None, parts: int = 0) -> _Plan:
        if hop is None:
            steps = schedule(program, mode=mode, is_pushed=is_pushed, ram_bytes=limit, parts=parts)
        else:
            steps = slide(program, hop)
        steps = replace(pack_for_pieces(steps), is_sliced=is_sliced, kept_bytes=kept_bytes)
        regions = dict.fromkeys(steps.program.variables if is_shared else (), KEPT)
        regions |= choose_regions(steps.program, places, target)
        steps = with_places(steps, regions) if regions else steps
        found = place(steps, lifetimes(steps), regions=regions, state_bytes=state_bytes(steps))
        return steps, replace(found, page_bytes=page_ram_bytes(program, page_bytes))

    first, most_bytes = _first(planned, program, ram), _most_bytes(ram, target)
    if mode is not Mode.AUTO or hop is not None or most_bytes is None:
        return first
    may_divide = may_divide and not (is_sliced or places or is_shared)
    divided = partial(planned, program, most_bytes) if may_divide else None
    return _smaller(first, most_bytes, planned, divided=divided, grouping=grouping)


def _smaller(
    first: _Plan,
    most_bytes: int,
    planned: Callable[..., _Plan],
    *,
    divided: Callable[[int], _Plan] | None,
    grouping: Grouping | None,
) -> _Plan:
    """One with pieces, or else with groups, where the first takes more than `most_bytes`."""
    pieces = first if divided is None else _divided(divided, first, most_bytes)
    if grouping is None or _ram_bytes(pieces) <= most_bytes:
        return pieces
    return min(pieces, chosen(grouping, planned, first, most_bytes=most_bytes), key=_ram_bytes)


def _first(planned: Callable[..., _Plan], program: Program, ram: Ram | int) -> _Plan:
    """The plan of whole rows, with as little streaming as the limit allows where there is one."""
    if not isinstance(ram, int):
        return planned(program)
    found = planned(program, ram)
    if _ram_bytes(found) <= ram:
        return found
    return planned(program)  # only now all that is no tensor is known: the least of all


def _ram_bytes(plan: _Plan) -> int:
    return plan[1].ram_bytes


def _divided(planned: Callable[[int], _Plan], first: _Plan, most_bytes: int) -> _Plan:
    """The plan with the fewest pieces to a row that takes at most `most_bytes`, or the one that
    takes least; `planned`: one with so many."""
    best = first
    for parts in _PARTS if len(first[0].program.steps) <= _MOST_STEPS else ():
        if _ram_bytes(best) <= most_bytes:
            break
        best = min(best, planned(parts), key=_ram_bytes)
    return best


def _most_bytes(ram: Ram | int, target: Target) -> int | None:
    """The RAM beyond which groups are looked for; None where there is no limit."""
    if isinstance(ram, int):
        return ram
    if ram == Ram.LEAST:
        return 0
    return int(target.memory.ram.bytes * _PART_OF_MODEL) if target.memory else None


def check_plan(
    steps: Schedule,
    plan: MemoryPlan,
    called: Iterable[Planned],
    target: Target,
    *,
    ram_bytes: int | None,
) -> None:
    """The plan is right, and the part and its `int` have room for it: raise DoesNotFitError or
    UnsupportedError where they have not."""
    verify_plan(steps, plan)
    check_ram_limit(steps.program.graph.name, plan, ram_bytes)
    check_budget(steps.program, plan, target)
    for each in (steps, *(planned.schedule for planned in called)):
        check_int_range(each, target)
