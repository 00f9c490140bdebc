"""Which kernels a target has for each node of a model, and why one was chosen: lines, and data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tinyml_rules.compiler import select_program
from tinyml_rules.ir.text import operator_name
from tinyml_rules.lower.reasons import NodeVerdicts, verdicts
from tinyml_rules.passes.calls import called_graphs
from tinyml_rules.request.request import Request

_MARK = "*"


def kernels_of(request: Request) -> tuple[NodeVerdicts, ...]:
    """Of every node of a model that has a kernel chosen, those of the graphs that nodes run
    included.  Raises what choosing them raises."""
    program, operators, choice = select_program(request), request.operators, request.choice
    numbers = called_graphs(program.graph, operators)
    found = list(verdicts(program, operators, choice.of_model(numbers)))
    for number, called in zip(numbers, program.called, strict=True):
        found += verdicts(called, operators, choice.of_graph(number), f"{number}:")
    return tuple(found)


def kernel_lines(found: Sequence[NodeVerdicts]) -> Iterator[str]:
    """A line for each kernel, below one for its node; the chosen one is marked."""
    for node in found:
        yield f"node {node.label} ({operator_name(node.operator)})"
        width = max(len(each.kernel) for each in node.verdicts)
        for each in node.verdicts:
            mark = _MARK if each.is_chosen else " "
            yield f"  {mark} {each.kernel:{width}}  {each.against or 'chosen'}"


def kernel_data(found: Sequence[NodeVerdicts]) -> list[dict[str, Any]]:
    """The same for a program."""
    return [
        {
            "node": node.label,
            "op": node.operator,
            "kernels": [
                {"name": each.kernel, "is_chosen": each.is_chosen, "against": each.against}
                for each in node.verdicts
            ],
        }
        for node in found
    ]
