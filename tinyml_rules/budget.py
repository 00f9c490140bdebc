"""Refuse a model whose constants or activations alone exceed the target, before any C is made."""

from __future__ import annotations

from tinyml_rules.emit.c_text import struct_arrays
from tinyml_rules.errors import DoesNotFitError, Problem
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.target import Target


def constant_bytes(program: Program) -> int:
    """Bytes of all tables: weights, biases, multipliers and the like."""
    return sum(step_constant_bytes(step) for step in program.steps)


def step_constant_bytes(step: Step) -> int:
    """Bytes of one step's tables."""
    return sum(values.nbytes for values in struct_arrays("", step.params).values())


def check_ram_limit(name: str, plan: MemoryPlan, limit_bytes: int | None) -> None:
    """Raise DoesNotFitError where no schedule was found that keeps to the user's limit."""
    if limit_bytes is not None and plan.arena_bytes > limit_bytes:
        raise DoesNotFitError.at(
            name,
            f"needs {plan.arena_bytes} bytes for activations, expected at most {limit_bytes}",
        )


def check_budget(program: Program, plan: MemoryPlan, target: Target) -> None:
    """Raise DoesNotFitError with the figures and the largest consumer of each memory."""
    if target.memory is None:
        return
    graph = program.graph
    problems = []
    constants = constant_bytes(program)
    if constants > target.memory.flash.bytes:
        step = max(program.steps, key=step_constant_bytes)
        problems.append(
            Problem(
                graph.name,
                f"needs {constants} bytes of flash for constants alone, "
                f"target '{target.name}' has {target.memory.flash.bytes}",
                f"largest: node {step.node.index} ({step.node.op}) "
                f"with {step_constant_bytes(step)} bytes",
            )
        )
    if plan.arena_bytes > target.memory.ram.bytes:
        largest = max(plan.lifetimes, key=lambda lifetime: lifetime.size_bytes)
        problems.append(
            Problem(
                graph.name,
                f"needs {plan.arena_bytes} bytes of RAM for activations alone, target "
                f"'{target.name}' has {target.memory.ram.bytes}",
                f"largest tensor: {graph.tensors[largest.tensor]} with {largest.size_bytes} bytes, "
                f"live from step {max(largest.first, 0)} to {largest.last}",
            )
        )
    if problems:
        raise DoesNotFitError(problems)
