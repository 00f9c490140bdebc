"""Programs whose steps need scratch memory that no kernel asked for, to be planned and not run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tinyml_rules.ir.buffers import Buffer, Scratch
from tinyml_rules.ir.program import Program, Step


def with_scratch(program: Program, sizes: Sequence[int], *, alignment: int = 4) -> Program:
    """The program whose steps need so many bytes, in turn; 0: none."""
    first = max(*program.buffers, len(program.graph.tensors)) + 1
    buffers = dict(program.buffers)
    steps: list[Step] = []
    for place, step in enumerate(program.steps):
        size = sizes[place % len(sizes)]
        if size == 0 or step.scratch:
            steps.append(step)
            continue
        buffers[first + place] = Buffer(size, alignment)
        steps.append(replace(step, scratch=(Scratch(size, alignment),), workspace=(first + place,)))
    return replace(program, steps=tuple(steps), buffers=buffers)
