"""What packing the weights of a program would save, by the rules by which kernels are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.choice import candidates
from tinyml_rules.ops._shared.operator import Operators

PACKED = Feature.PACKED_WEIGHTS
"""The feature for which weights are packed."""


def packable(program: Program, operators: Operators) -> tuple[Step, ...]:
    """The steps that would have packed weights, with their `packing`, of a program with plain ones
    and of the graphs that its nodes run; none of a program with weights of another kind."""
    if PACKED in program.features or program.external:
        return ()
    return tuple(
        packed
        for each in (program, *program.called)
        for step in each.steps
        if step.weights is not None
        for packed in _packed(each.graph, step, program.features | {PACKED}, operators)
    )


def _packed(
    graph: Graph, step: Step, features: frozenset[Feature], operators: Operators
) -> Iterator[Step]:
    """Prepared once more, because the kernel that a step has may have its weights in an order of
    its own."""
    view = NodeView(graph, step.node)
    meaning = operators[step.node.op].meaning(view)
    assert meaning.prepare is not None
    work = meaning.prepare(view)
    kernel = candidates(meaning, work, features)[0]
    if PACKED in kernel.requires:
        assert kernel.pack is not None
        yield replace(step, packing=kernel.pack(work).packing)
