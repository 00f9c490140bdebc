"""The bytes that weights of four bits would save, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.text import node_numbers
from tinyml_rules.ops._shared.operator import Operators

BY_QUANTIZE = "if quantize makes them of the float model (--flash)"


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


def fewest_layers(savings: Mapping[int, int], missing: int) -> tuple[int, ...]:
    """The fewest nodes that save so many bytes, those that save most; none where all are not
    enough."""
    nodes, saved = [], 0
    for node, size in sorted(savings.items(), key=lambda item: (-item[1], item[0])):
        if saved < missing:
            nodes.append(node)
            saved += size
    return tuple(sorted(nodes)) if saved >= missing else ()


def int4_lines(program: Program, operators: Operators, missing: int) -> tuple[str, ...]:
    """The fewest layers whose int4 weights save so many bytes, as a line; none where all are not
    enough."""
    savings = int4_savings(program, operators)
    nodes = fewest_layers(savings, missing)
    if not nodes:
        return ()
    saved = sum(savings[node] for node in nodes)
    return (f"int4 weights in {node_numbers(nodes)}, {BY_QUANTIZE}: about {saved:,} bytes less",)
