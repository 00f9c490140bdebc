"""Program -> lifetimes of the tensors that need bytes of their own."""

from __future__ import annotations

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import Lifetime


def lifetimes(program: Program) -> tuple[Lifetime, ...]:
    """One lifetime for each stored tensor; a view prolongs the tensor that it looks at.

    An output is kept until the caller has read it, an input from before the first step.
    """
    graph = program.graph
    first: dict[int, int] = {program.storage(tensor): -1 for tensor in graph.inputs}
    last = dict(first)
    for number, step in enumerate(program.steps):
        for tensor in (*step.inputs, step.output):
            stored = program.storage(tensor)
            first.setdefault(stored, number)
            last[stored] = number
    for tensor in graph.outputs:
        last[program.storage(tensor)] = len(program.steps)
    return tuple(
        Lifetime(tensor, graph.tensors[tensor].count, first[tensor], last[tensor])
        for tensor in first
    )
