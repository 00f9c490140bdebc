"""What weights of four bits would save: the quantizer makes them of the float model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.compiler import select_program
from tinyml_rules.fitting.fit import Fit, Requested, before_smallest
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Program
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.target.parts import FLASH, RAM


@dataclass(frozen=True)
class ByInt4:
    """A part that is too small, the nodes whose weights would have to be int4, the fewest, and the
    bytes that this saves, without what other kernels and padding take."""

    fit: Fit
    nodes: tuple[int, ...]
    saved_bytes: int


def by_int4(requested: Requested, found: Sequence[Fit]) -> Iterator[ByInt4]:
    """The parts before the smallest that the model fits on for which int4 weights would be enough;
    the largest of each target."""
    for each in before_smallest(found):
        assert each.need is not None
        missing = each.need.flash_bytes[1] - each.room[FLASH]
        if missing <= 0 or each.need.ram_bytes[1] > each.room[RAM]:
            continue
        request = requested(each.part.target)
        savings = int4_savings(select_program(request), request.operators)
        nodes, saved = [], 0
        for node, size in sorted(savings.items(), key=lambda item: (-item[1], item[0])):
            if saved < missing:
                nodes.append(node)
                saved += size
        if saved >= missing:
            yield ByInt4(each, tuple(sorted(nodes)), saved)


def int4_savings(program: Program, operators: Operators) -> dict[int, int]:
    """{node: bytes} of those with constant weights of int8 that may be int4."""
    found = {}
    for step in program.all_steps:
        rule = operators[step.node.op].quantization
        places = None if rule is None else rule.weights
        if places is None or not places.int4_version:
            continue
        indices = step.node.inputs[places.source], step.node.inputs[places.weights]
        source, weights = (program.graph.tensors[each] for each in indices if each is not None)
        if weights.is_constant and (source.dtype, weights.dtype) == (DType.INT8, DType.INT8):
            found[step.node.index] = weights.count // 2
    return found
