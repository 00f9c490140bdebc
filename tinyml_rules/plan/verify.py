"""Proof of a memory plan, written apart from the planner: it replays the program."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import MemoryPlan

_NOBODY = -1


def verify_plan(program: Program, plan: MemoryPlan) -> None:
    """Assert that every step finds its inputs, and the caller the outputs, as they were written.

    The arena is cut wherever a tensor begins or ends, and each piece remembers which tensor wrote
    it last; a step may not write where one of its own inputs lies.
    """

    def bytes_of(tensor: int) -> tuple[int, int]:
        stored = program.storage(tensor)
        begin = plan.offsets[stored]
        end = begin + program.graph.tensors[stored].count
        assert begin >= 0 and end <= plan.arena_bytes, f"tensor {tensor} leaves the arena"
        return begin, end

    cuts = np.array(sorted({cut for tensor in plan.offsets for cut in bytes_of(tensor)}))
    owner = np.full(len(cuts), _NOBODY)

    def pieces_of(tensor: int) -> slice:
        begin, end = np.searchsorted(cuts, bytes_of(tensor))
        return slice(int(begin), int(end))

    def written(tensor: int) -> None:
        owner[pieces_of(tensor)] = program.storage(tensor)

    def intact(tensor: int) -> None:
        stored = program.storage(tensor)
        assert (owner[pieces_of(tensor)] == stored).all(), f"tensor {tensor} was overwritten"

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
