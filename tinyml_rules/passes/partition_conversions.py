"""Cut the conversions from and to float32 off the model's ends, so that the rest is integer-only.

A float32 input that QUANTIZE reads becomes the int8 tensor behind it, and a float32 output that
DEQUANTIZE writes the int8 tensor before it.  The generated header offers both conversions to the
caller (the partition into quantize_inputs, quantized_main and dequantize_outputs of TVM).
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph


def partition_conversions(graph: Graph) -> Graph:
    """The graph between its conversions; it has been checked, so each stands at an end."""
    moved: dict[int, int] = {}
    kept = []
    for node in graph.nodes:
        (source, *_), (result, *_) = node.inputs, node.outputs
        assert source is not None
        if graph.tensors[source].dtype is DType.FLOAT32:
            moved[source] = result
        elif graph.tensors[result].dtype is DType.FLOAT32:
            moved[result] = source
        else:
            kept.append(node)
    return replace(
        graph,
        nodes=tuple(kept),
        inputs=tuple(moved.get(tensor, tensor) for tensor in graph.inputs),
        outputs=tuple(moved.get(tensor, tensor) for tensor in graph.outputs),
        file_inputs=graph.inputs,
        file_outputs=graph.outputs,
    )
