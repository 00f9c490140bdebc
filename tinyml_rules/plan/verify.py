"""Proof of a memory plan, written apart from the planner: it replays the program byte by byte."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import MemoryPlan

_NOBODY = -1


def verify_plan(program: Program, plan: MemoryPlan) -> None:
    """Assert that every step finds its inputs, and the caller the outputs, as they were written.

    Each byte of an arena remembers which tensor wrote it last; a step may not write where one of
    its own inputs lies.
    """
    owner = np.full(plan.arena_bytes, _NOBODY)

    def bytes_of(tensor: int) -> slice:
        stored = program.storage(tensor)
        begin = plan.offsets[stored]
        end = begin + program.graph.tensors[stored].count
        assert begin >= 0 and end <= plan.arena_bytes, f"tensor {tensor} leaves the arena"
        return slice(begin, end)

    def written(tensor: int) -> None:
        owner[bytes_of(tensor)] = program.storage(tensor)

    def intact(tensor: int) -> None:
        stored = program.storage(tensor)
        assert (owner[bytes_of(tensor)] == stored).all(), f"tensor {tensor} was overwritten"

    for tensor in program.graph.inputs:
        written(tensor)
    for step in program.steps:
        for tensor in step.inputs:
            intact(tensor)
        written(step.output)
        for tensor in step.inputs:
            intact(tensor)
    for tensor in program.graph.outputs:
        intact(tensor)
