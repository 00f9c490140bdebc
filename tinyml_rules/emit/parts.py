"""The graphs of a model as C has them: the model itself, and a function for each that nodes run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.emit.calls import layer_call
from tinyml_rules.emit.names import Names
from tinyml_rules.ir.accounts import GOES_ON, first_accounts
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.plan.planned import Planned


@dataclass(frozen=True)
class Operand:
    """A tensor that is handed to a graph or taken from it."""

    offset: int
    size_bytes: int


@dataclass(frozen=True)
class Callee:
    """A graph as a C function of its memory."""

    name: str
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]


@dataclass(frozen=True)
class Call:
    """A node that runs graphs, as a C function of its operands and of memory for them."""

    name: str
    node: str
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    callees: tuple[Callee, ...]


@dataclass(frozen=True)
class Part:
    """One graph: how its C calls things, and the graph's number, 0 for the model."""

    names: Names
    number: int = 0

    @property
    def steps(self) -> tuple[Step, ...]:
        """In the order in which they run, those of a group before it, then what gives variables
        their values."""
        schedule = self.names.schedule
        steps = [step for task in schedule.tasks for step in task.steps]
        inside = (each for step in steps for each in (*step.inner, step))
        return (*inside, *schedule.program.resets)


def steps_of(parts: Sequence[Part]) -> list[Step]:
    """Of all graphs."""
    return [step for part in parts for step in part.steps]


def parts_of(names: Names, called: Mapping[int, Planned]) -> tuple[Part, ...]:
    """Every graph, callees before their callers and the model last."""
    marked = {}
    if names.first_account is not None:
        marked = first_accounts(names.schedule.program, tuple(called))
    return (
        *(Part(_names(names, number, called, marked), number) for number in called),
        Part(names),
    )


def _names(
    names: Names, number: int, called: Mapping[int, Planned], marked: Mapping[int, int]
) -> Names:
    """A graph's names: the kernels are those of all, its memory comes from its caller."""
    return replace(
        names,
        schedule=called[number].schedule,
        plan=called[number].plan,
        prefix=f"{names.prefix}graph_{number}_",
        kernel_prefix=names.prefix,
        arena=ArenaMode.CALLER,
        is_checked=False,
        has_hooks=False,
        first_account=marked.get(number),
    )


def graph_function(part: Part) -> str:
    """The C text that runs a called graph once."""
    names = part.names
    tasks = range(len(names.schedule.tasks))
    lines = [line for number in tasks for line in layer_call(names, number)]
    body = "\n".join(f"    {line}" for line in lines)
    unused = "" if "arena" in body else "    (void)arena;\n"
    name = callee_name(names.kernel_prefix, part.number)
    return f"static void {name}(int8_t *arena)\n{{\n{unused}{body}\n}}"


def callee_name(prefix: str, number: int) -> str:
    """The C function that runs a graph."""
    return f"{prefix}graph_{number}"


def calls_of(part: Part, called: Mapping[int, Planned], prefix: str) -> Iterator[tuple[Step, Call]]:
    """The steps of a graph that run others."""
    program = part.names.schedule.program
    for step in part.steps:
        if step.kernel.form is Form.CALL:
            yield (
                step,
                Call(
                    name=part.names.function(step),
                    node=step.name,
                    inputs=_operands(step.inputs, program.graph.tensors),
                    outputs=_operands(step.outputs, program.graph.tensors),
                    callees=tuple(
                        _callee(_entry(part, step, prefix, number), called[number])
                        for number in step.calls
                    ),
                ),
            )


def _operands(indices: tuple[int, ...], tensors: tuple[Tensor, ...]) -> tuple[Operand, ...]:
    return tuple(Operand(0, tensors[index].size_bytes) for index in indices)


def _entry(part: Part, step: Step, prefix: str, number: int) -> str:
    """What a step calls to run a graph."""
    if not part.names.counts:
        return callee_name(prefix, number)
    return f"{part.names.function(step)}_graph_{number}"


def marked_entries(part: Part, prefix: str) -> Iterator[str]:
    """Where the code has marks: for each step and graph that it runs a C function, which counts for
    the step again once the graph has run."""
    if not part.names.counts:
        return
    for step in part.steps:
        mark = part.names.mark(step, flag=GOES_ON) if step.calls else ""
        for number in dict.fromkeys(step.calls):
            head = f"{_entry(part, step, prefix, number)}(int8_t *memory)"
            lines = f"    {callee_name(prefix, number)}(memory);\n    {mark}"
            yield f"static inline __attribute__((always_inline)) void {head}\n{{\n{lines}\n}}"


def _callee(name: str, planned: Planned) -> Callee:
    graph = planned.schedule.program.graph

    def operands(indices: tuple[int, ...]) -> tuple[Operand, ...]:
        return tuple(
            Operand(planned.offset(index), graph.tensors[index].size_bytes) for index in indices
        )

    return Callee(name, operands(graph.inputs), operands(graph.outputs))
