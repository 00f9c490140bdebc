"""Refuses a model whose constants or variables alone exceed the target, before C is generated."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.errors import DoesNotFitError, Problem, Shortage
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import KEPT, MAIN, Lifetime, MemoryPlan
from tinyml_rules.target.target import Target

_LONGEST_NAME = 40
"""Characters of a tensor's name in an error."""


def check_ram_limit(name: str, plan: MemoryPlan, limit_bytes: int | None) -> None:
    """Raise DoesNotFitError if no schedule was found within the user's limit."""
    if limit_bytes is not None and plan.ram_bytes > limit_bytes:
        what = (
            f"needs {plan.ram_bytes:,} bytes of RAM for the model alone{_more_products(plan)}, "
            f"expected at most {limit_bytes:,}"
        )
        shortage = Shortage("RAM", plan.ram_bytes, limit_bytes, is_least=True)
        raise DoesNotFitError([Problem(name, what, shortage=shortage)])


def check_budget(program: Program, plan: MemoryPlan, target: Target) -> None:
    """Raise DoesNotFitError with the figures and the largest consumer of each memory."""
    if target.memory is None:
        return
    graph = program.graph
    problems = []
    constants, flash = program.constant_bytes, target.memory.flash
    if constants > flash.bytes:
        step = max(program.steps, key=lambda each: each.constant_bytes)
        problems.append(
            Problem(
                graph.name,
                f"needs {constants:,} bytes of flash for constants alone, "
                f"target '{target.name}' has {flash.bytes:,}; largest: node {step.node.index} "
                f"({step.node.op}) with {step.constant_bytes:,} bytes",
                shortage=Shortage("flash", constants, flash.bytes, is_least=True),
            )
        )
    problems += _ram_problems(graph, plan, target)
    if problems:
        raise DoesNotFitError(problems)


def _ram_problems(graph: Graph, plan: MemoryPlan, target: Target) -> Iterator[Problem]:
    """The memories that are too small for the model's variables in them."""
    assert target.memory
    demands = [(MAIN, "RAM", plan.ram_bytes, target.memory.ram.bytes)]
    for region, needed in plan.region_bytes.items():
        word = f"region '{region}'"
        demands.append((region, word, needed, target.memory.regions[region].bytes))
    for region, word, needed, available in demands:
        if needed > available:
            regions = (MAIN, KEPT) if region == MAIN else (region,)
            inside = [each for each in plan.lifetimes if plan.region(each.tensor) in regions]
            yield Problem(
                graph.name,
                f"needs {needed:,} bytes of {word} for the model alone{_more_products(plan)}, "
                f"target '{target.name}' has {available:,}; largest: {_largest(graph, inside)}",
                shortage=Shortage(word, needed, available, is_least=True),
            )


def _more_products(plan: MemoryPlan) -> str:
    """What the least RAM costs, where steps are computed again for it."""
    more = plan.more_products
    return f", even with {100 * more:.0f} % more products" if more > 0 else ""


def _largest(graph: Graph, lifetimes: list[Lifetime]) -> str:
    largest = max(lifetimes, key=lambda lifetime: lifetime.size_bytes)
    if largest.tensor >= len(graph.tensors):
        return f"scratch memory with {largest.size_bytes:,} bytes"
    tensor = graph.tensors[largest.tensor]
    # the last parts of a long name tell tensors apart, the first ones are often the same
    name = (
        tensor.name if len(tensor.name) <= _LONGEST_NAME else f"...{tensor.name[-_LONGEST_NAME:]}"
    )
    return f"tensor #{tensor.index} {name!r} with {largest.size_bytes:,} bytes"
