"""Graph -> Graph without the conversions in its middle, and the ranges that those say.

A model that was trained for quantization and exported without conversion has QUANTIZE and
DEQUANTIZE around its float layers; one that was quantized in part has them around a float island.
The pairs are taken off, and the tensors that they stood at have the ranges that the file says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, Quantization, Tensor
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.quantizer.real_constants import as_float32, is_quantized_constant
from tinyml_rules.quantizer.scheme import Range, asymmetric


@dataclass(frozen=True, eq=False)
class Given:
    """The graph; of its float32 tensors, `ranges` has the quantization as int8 that the file says.
    `raw` are inputs that are integers in the file and float32 here, as they are there."""

    graph: Graph
    ranges: Mapping[int, Quantization]
    raw: Mapping[int, Tensor]


def given_ranges(graph: Graph, operators: Operators) -> Given:
    """The graph in which no value goes to integers and back, nor comes from a quantized constant or
    input to float32 alone."""
    pairs = _Pairs(graph, operators)
    nodes = tuple(kept for node in graph.nodes if (kept := pairs.kept(node)) is not None)
    outputs = pairs.outputs(nodes)
    return Given(
        replace(graph, tensors=tuple(pairs.tensors), nodes=nodes, outputs=outputs),
        {index: as_int8(tensor) for index, tensor in pairs.ranges.items()},
        pairs.raw,
    )


def ends_of_int8(quantization: Quantization) -> Range:
    """The real numbers of -128 and 127."""
    (scale,), (zero_point,) = quantization.scales, quantization.zero_points
    return (INT8_MIN - zero_point) * scale, (INT8_MAX - zero_point) * scale


def as_int8(tensor: Tensor) -> Quantization:
    """The int8 quantization with a quantized tensor's range."""
    scale, zero_point = tensor.scale, tensor.zero_point
    if tensor.dtype is DType.INT16:
        ends = np.iinfo(np.int16)
        return asymmetric((ends.min - zero_point) * scale, (ends.max - zero_point) * scale)
    return Quantization((scale,), (zero_point + (INT8_MIN if tensor.dtype is DType.UINT8 else 0),))


class _Pairs:
    """Known ranges of the graph, node after node."""

    def __init__(self, graph: Graph, operators: Operators) -> None:
        self.graph, self.operators = graph, operators
        self.tensors = list(graph.tensors)
        self.stands_for: dict[int, int] = {}
        """The tensor that is read in the place of another."""
        self.made_of: dict[int, int] = {}
        """By a quantized tensor: the float32 tensor whose values it has."""
        self.ranges: dict[int, Tensor] = {}
        self.raw: dict[int, Tensor] = {}
        for index in graph.inputs:
            if self._is_input_of_reals(index):
                self.raw[index] = self.ranges[index] = graph.tensors[index]
                self.made_of[index] = index
                self.tensors[index] = _in_float32(graph.tensors[index])

    def kept(self, node: Node) -> Node | None:
        """The node with its new inputs; None for a conversion that is no longer needed."""
        inputs = (None if index is None else self._read(index) for index in node.inputs)
        if _is_conversion(node, self.operators) and self._is_taken_off(node):
            return None
        return replace(node, inputs=tuple(inputs))

    def outputs(self, nodes: tuple[Node, ...]) -> tuple[int, ...]:
        """The float32 tensors in the place of outputs that are made of them, under their names."""
        read = {index for node in nodes for index in node.inputs}
        found = []
        for index in self.graph.outputs:
            place = self._read(index)
            if place not in read:
                place = self.made_of.get(place, place)
            if place != index and place not in self.graph.inputs:
                name = self.graph.tensors[index].name
                self.tensors[place] = replace(self.tensors[place], name=name)
            found.append(place)
        return tuple(found)

    def _read(self, index: int) -> int:
        return self.stands_for.get(index, index)

    def _is_taken_off(self, node: Node) -> bool:
        (source, *_), (result, *_) = node.inputs, node.outputs
        assert source is not None
        before, after = self.graph.tensors[source], self.graph.tensors[result]
        if after.dtype is not DType.FLOAT32:
            if before.dtype is DType.FLOAT32 and _has_range(after):
                place = self._read(source)
                self.made_of[result] = place
                self.ranges.setdefault(place, after)
            return False
        if is_quantized_constant(before):
            self.tensors[result] = replace(after, data=as_float32(before).data)
            return True
        if source in self.made_of:
            self.stands_for[result] = self.made_of[source]
            return True
        if _has_range(before):
            self.ranges.setdefault(result, before)
        return False

    def _is_input_of_reals(self, index: int) -> bool:
        """Whether all that reads an integer input are conversions to float32."""
        graph = self.graph
        readers = [node for node in graph.nodes if index in node.inputs]
        return (
            bool(readers)
            and index not in graph.outputs
            and _has_range(graph.tensors[index])
            and all(_is_conversion(node, self.operators) for node in readers)
            and all(graph.tensors[node.outputs[0]].dtype is DType.FLOAT32 for node in readers)
        )


def _is_conversion(node: Node, operators: Operators) -> bool:
    is_known = node.op in operators and operators[node.op].role is Role.CONVERSION
    return is_known and len(node.inputs) == 1 and len(node.outputs) == 1


def _has_range(tensor: Tensor) -> bool:
    """Whether it is quantized, with one scale."""
    quantization = tensor.quantization
    is_one = quantization is not None and not quantization.is_per_axis and tensor.scale > 0
    return is_one and tensor.dtype in (DType.INT8, DType.UINT8, DType.INT16)


def _in_float32(tensor: Tensor) -> Tensor:
    return replace(tensor, dtype=DType.FLOAT32, quantization=None)
