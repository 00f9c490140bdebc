"""Cuts the conversions from and to float32 off the model's ends; the caller does them.

A float32 input that QUANTIZE reads becomes the integer tensor after it, and a float32 output that
DEQUANTIZE writes the integer tensor before it.  The generated header offers both conversions to the
caller (the partition into quantize_inputs, quantized_main and dequantize_outputs of TVM).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node
from tinyml_rules.ops._shared.operator import Operators, Role


def partition_conversions(graph: Graph, operators: Operators) -> Graph:
    """The graph between the conversions at its ends; others stay."""
    reads = Counter(index for node in graph.nodes for index in {*node.inputs})
    inputs, outputs = list(graph.inputs), list(graph.outputs)
    kept: list[Node] = []
    for node in graph.nodes:
        if operators[node.op].role is not Role.CONVERSION:
            kept.append(node)
            continue
        (source, *_), (result, *_) = node.inputs, node.outputs
        assert source is not None
        tensor = graph.tensors[source]
        is_single = reads[source] == 1 and source not in graph.outputs
        if tensor.dtype.is_real and source in inputs and is_single:
            inputs[inputs.index(source)] = result
        elif (
            graph.tensors[result].dtype.is_real
            and result in outputs
            and not reads[result]
            and not tensor.is_constant
            and not tensor.is_variable
        ):
            outputs = [source if index == result else index for index in outputs]
        else:
            kept.append(node)
    return replace(
        graph,
        nodes=tuple(kept),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        file_inputs=graph.file_inputs or graph.inputs,
        file_outputs=graph.file_outputs or graph.outputs,
    )
