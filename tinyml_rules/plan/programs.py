"""The graphs of a file -> their programs: those that nodes run first, because their memory is their
callers' scratch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.lower.far_weights import move_weights_far, near_bytes_of
from tinyml_rules.lower.rounding import round_once
from tinyml_rules.lower.select import select
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.calls import called_graphs
from tinyml_rules.plan.planned import Planned, plan_called


def programs_of(
    graph: Graph,
    features: frozenset[Feature],
    operators: Operators,
    choice: Choice,
    *,
    is_exchangeable: bool,
) -> tuple[Program, Mapping[int, Planned]]:
    """The program of the model, and the graphs that its nodes run, by number, callees first.
    `is_exchangeable`: other constants may take the place of these."""
    called: dict[int, Planned] = {}
    memory: dict[int, Scratch] = {}
    external, near = b"", 0

    def selected(part: Graph, choice: Choice) -> Program:
        """With weights after those of the graphs before, in both kinds of memory."""
        nonlocal external, near
        first = len(external)
        program = select(part, features, operators, memory, first_byte=first, choice=choice)
        program = round_once(
            program, is_shared=choice.goal is Optimize.SIZE, is_exchangeable=is_exchangeable
        )
        if not is_exchangeable:
            program = move_weights_far(program, taken_bytes=near)
        external += program.external
        near += near_bytes_of(program)
        return program

    for number in called_graphs(graph, operators):
        called[number] = plan_called(selected(graph.other(number), choice.of_graph(number)))
        memory[number] = called[number].memory
    program = selected(graph, choice.of_model(called))
    programs = tuple(planned.schedule.program for planned in called.values())
    return replace(program, called=programs, external=external), called
