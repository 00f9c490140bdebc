"""Graph -> bytes: a graph as the reader gives it, or made of one, as a .tflite file again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import tflite

from tinyml_rules.ir.graph import Graph, Node, Tensor
from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    TensorSpec,
    build_model,
)

_TABLES = {number: name for name, number in vars(tflite.BuiltinOptions).items()}


def write_graph(graph: Graph, options_types: dict[str, int], *, description: str = "") -> bytes:
    """The .tflite file of a graph of builtin operators, and of those that it runs; `options_types`
    has the schema's number of each operator's options table, 0 for none.  Tensors that no node has
    go, inputs and outputs stay."""
    others = tuple(_spec(each, options_types) for each in graph.others)
    return build_model(replace(_spec(graph, options_types), description=description, others=others))


def _spec(graph: Graph, options_types: dict[str, int]) -> ModelSpec:
    used = _used(graph)
    numbers = {index: place for place, index in enumerate(used)}
    return ModelSpec(
        tensors=tuple(_tensor(graph.tensors[index]) for index in used),
        operators=tuple(_operator(node, numbers, options_types[node.op]) for node in graph.nodes),
        inputs=tuple(numbers[index] for index in graph.inputs),
        outputs=tuple(numbers[index] for index in graph.outputs),
    )


def _used(graph: Graph) -> list[int]:
    """The tensors that a node, or the caller, has, in the order of the file."""
    indices: Iterable[int | None] = (
        *graph.inputs,
        *graph.outputs,
        *(index for node in graph.nodes for index in (*node.inputs, *node.outputs)),
    )
    return sorted({index for index in indices if index is not None})


def _tensor(tensor: Tensor) -> TensorSpec:
    quantization = tensor.quantization
    return TensorSpec(
        name=tensor.name,
        shape=tensor.shape,
        dtype=str(tensor.dtype),
        scales=() if quantization is None else quantization.scales,
        zero_points=() if quantization is None else quantization.zero_points,
        axis=0 if quantization is None else quantization.axis,
        data=tensor.data,
        is_variable=tensor.is_variable,
    )


def _operator(node: Node, numbers: dict[int, int], options_type: int) -> OperatorSpec:
    return OperatorSpec(
        name=node.op.upper(),
        inputs=tuple(OPTIONAL if index is None else numbers[index] for index in node.inputs),
        outputs=tuple(numbers[index] for index in node.outputs),
        options_table=_TABLES[options_type] if options_type else "",
        version=node.version,
        attrs=node.attrs,
    )
