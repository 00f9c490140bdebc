"""Where each tensor's bytes are, and when, while the generated code runs: what a runner can read.

A step's output is read after the step, before the next one may take its bytes over; of a ring each
row as soon as it is made.  Tensors without bytes of their own, such as the parts of a SPLIT, are in
others', and are there once the last step has written to theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tinyml_rules.emit.names import Names
from tinyml_rules.ir.accounts import first_accounts
from tinyml_rules.ir.buffers import Life
from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.ir.watch import Watch
from tinyml_rules.plan.planned import Planned
from tinyml_rules.plan.tasks import Ring, Schedule


@dataclass(frozen=True)
class _Memory:
    """The place of something: so many bytes after a C symbol."""

    symbol: str
    offset: int


_Place = Callable[[int], _Memory]
"""The place of the memory of a buffer."""


@dataclass(frozen=True, eq=False)
class _Made:
    """A step by its account, and how often it ends: with rows of a ring, or at once."""

    account: int
    step: Step
    ring: Ring | None = None
    first: int = 0


def watches_of(names: Names, called: Mapping[int, Planned]) -> tuple[Watch, ...]:
    """For the model, then for the graphs that its nodes run; not for those that several nodes run,
    each in memory of its own."""
    first = first_accounts(names.schedule.program, tuple(called))
    found = list(_of_graph(names.schedule, 0, first[0], _main(names)))
    for number, place in _places(names, called).items():
        found += _of_graph(called[number].schedule, number, first[number], place)
    return tuple(found)


def _main(names: Names) -> _Place:
    return lambda buffer: _Memory(*names.symbol_of(buffer))


def _places(names: Names, called: Mapping[int, Planned]) -> dict[int, _Place]:
    """The memory of each graph that a single node runs, callers before callees."""
    programs = {0: names.schedule.program}
    programs |= {number: each.schedule.program for number, each in called.items()}
    calls: dict[int, list[tuple[int, int]]] = {number: [] for number in called}
    for caller, program in programs.items():
        for step in program.steps:
            for callee in dict.fromkeys(step.calls):
                calls[callee].append((caller, step.workspace[-1]))
    places: dict[int, _Place] = {0: _main(names)}
    for number, planned in reversed(list(called.items())):  # which has callees before their callers
        (caller, buffer), *more = calls[number]
        if not more and caller in places:
            places[number] = _inside(places[caller](buffer), planned)
    del places[0]
    return places


def _inside(memory: _Memory, planned: Planned) -> _Place:
    """A graph's buffers in the memory that its caller gives it."""
    return lambda buffer: _Memory(memory.symbol, memory.offset + planned.plan.offsets[buffer])


def _of_graph(schedule: Schedule, number: int, account: int, place: _Place) -> Iterator[Watch]:
    program = schedule.program
    made = list(_made(schedule, account))
    for index, layout in program.layouts.items():
        tensor = program.graph.tensors[index]
        if program.buffers[layout.buffer].life is Life.MODEL:
            last = _last(each for each in made if tensor.is_variable and index in each.step.tensors)
        else:
            last = _last(each for each in made if _writes(program, each.step, index))
        if last is None:
            continue
        memory = place(layout.buffer)
        watch = Watch(
            last.account,
            number,
            tensor,
            memory.symbol,
            memory.offset + layout.offset_bytes,
            row_bytes=tensor.size_bytes,
            first=last.first,
            channels=program.graph.left_channels.get(index, ()),
        )
        ring = last.ring
        if ring is not None:
            watch = replace(
                watch,
                row_bytes=ring.row_bytes,
                rows=ring.rows,
                capacity=ring.capacity,
                gap_bytes=ring.gap_bytes,
            )
        yield watch


def _last(made: Iterable[_Made]) -> _Made | None:
    found = list(made)
    return found[-1] if found else None


def _writes(program: Program, step: Step, index: int) -> bool:
    """Whether a step writes some bytes of a tensor, in its own buffer."""
    return any(_meet(program, each, index) for each in step.outputs)


def _meet(program: Program, one: int, other: int) -> bool:
    (first, begin, end), (second, start, stop) = (_bytes(program, each) for each in (one, other))
    return first == second and begin < stop and start < end


def _bytes(program: Program, index: int) -> tuple[int, int, int]:
    layout, size = program.layouts[index], program.graph.tensors[index].size_bytes
    return layout.buffer, layout.offset_bytes, layout.offset_bytes + size


def _made(schedule: Schedule, first_account: int) -> Iterator[_Made]:
    """The steps in the order in which they run."""
    names = [step.name for step in schedule.program.steps]
    for task in schedule.tasks:
        for place, step in enumerate(task.steps):
            account = first_account + names.index(step.name)
            if not task.is_streamed:
                yield _Made(account, step)
            elif step.kernel.form is Form.ROWS:  # a mark after its begin and after each row
                source = task.rings[task.position(schedule.program.buffer_of(step.inputs[0]))]
                yield _Made(account, step, first=1 + source.rows)
            else:
                yield _Made(account, step, ring=task.results[place])
