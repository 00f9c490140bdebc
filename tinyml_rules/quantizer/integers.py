"""Plan and scheme -> the integer Graph: tensors of int8 and int16, weights of int8 or int4, biases
of int32 or, where the input is int16, of int64, and conversions around what stays float32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, Quantization, Tensor
from tinyml_rules.ops._shared.operator import Role
from tinyml_rules.ops._shared.quantization import Matrix
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.ranges import channels_first
from tinyml_rules.quantizer.scheme import Numbers, Scheme, nearest

_QUANTIZE, _DEQUANTIZE = "quantize", "dequantize"
_VERSIONS = {
    (_QUANTIZE, DType.INT8): 1,
    (_QUANTIZE, DType.INT16): 2,
    (_DEQUANTIZE, DType.INT8): 2,
    (_DEQUANTIZE, DType.INT16): 3,
}
"""The versions of conversions, by the integers that they make or take."""
_BIASES = {DType.INT8: DType.INT32, DType.INT16: DType.INT64}
"""The type of a bias by that of the input."""


def integer_graph(plan: Plan, scheme: Scheme) -> Graph:
    """The graph whose nodes are numbered in their order; tensors keep their numbers and names."""
    tensors = [_activation(plan, scheme, tensor) for tensor in plan.graph.tensors]
    for node in plan.weighted:
        for tensor in _constants(plan, scheme, node):
            tensors[tensor.index] = tensor
    for node, matrix in plan.matrices:
        for tensor in _matrix(plan, scheme, node, matrix):
            tensors[tensor.index] = tensor
    nodes = [each for node in plan.graph.nodes for each in _converted(plan, node, tensors)]
    numbered = (replace(node, index=place) for place, node in enumerate(nodes))
    return replace(plan.graph, tensors=tuple(tensors), nodes=tuple(numbered))


def _activation(plan: Plan, scheme: Scheme, tensor: Tensor) -> Tensor:
    """The tensor as integers, if it is of a group."""
    if tensor.index not in plan.group:
        return tensor
    group = plan.group[tensor.index]
    quantization, dtype = scheme.activations[group], plan.dtype_of_group(group)
    data = tensor.data
    if data is not None:
        with np.errstate(over="ignore"):  # the lowest number of float32 means "no value"
            data = quantize_real(
                data.astype(np.float32),
                scale=quantization.scales[0],
                zero_point=quantization.zero_points[0],
                dtype=str(dtype),
            )
    return replace(tensor, dtype=dtype, quantization=quantization, data=data)


def _constants(plan: Plan, scheme: Scheme, node: Node) -> Iterator[Tensor]:
    """Weights and bias of a node of weighted sums."""
    places = plan.weights(node)
    assert places is not None
    source, filters, bias = (
        node.inputs[place] for place in (places.source, places.weights, places.bias)
    )
    assert source is not None and filters is not None
    tensor, scales = plan.graph.tensors[filters], scheme.weights[filters]
    rows = scheme.filters.get(filters)
    rows = nearest(channels_first(plan, filters), scales) if rows is None else rows
    shape = np.moveaxis(np.empty(tensor.shape), places.axis, 0).shape
    integers = np.moveaxis(rows.reshape(shape), 0, places.axis).astype(np.int8)
    yield replace(
        tensor,
        dtype=DType.INT4 if filters in scheme.int4 else DType.INT8,
        data=np.ascontiguousarray(integers),
        quantization=_per_axis(scales, places.axis),
    )
    if bias is not None:
        of_sums = scheme.activations[plan.group[source]].scales[0] * scales
        yield _bias(plan, source, bias, scheme.biases[bias], of_sums)


def _matrix(plan: Plan, scheme: Scheme, node: Node, places: Matrix) -> Iterator[Tensor]:
    """The same of one of several sums, whose weights have one scale."""
    source, filters = node.inputs[places.source], node.inputs[places.weights]
    assert source is not None and filters is not None
    tensor, scales = plan.graph.tensors[filters], scheme.weights[filters]
    integers = nearest(channels_first(plan, filters), scales).reshape(tensor.shape)
    quantization = _per_axis(scales, 0)
    yield replace(
        tensor, dtype=DType.INT8, data=integers.astype(np.int8), quantization=quantization
    )
    bias = None if places.bias is None else node.inputs[places.bias]
    if bias is not None:
        data = plan.graph.tensors[bias].data
        assert data is not None
        of_sums = scheme.activations[plan.group[source]].scales[0] * scales
        yield _bias(plan, source, bias, data.astype(np.float64), of_sums)


def _bias(plan: Plan, source: int, bias: int, real: Numbers, of_sums: Numbers) -> Tensor:
    """Real numbers with the scale of the sums over a tensor."""
    dtype = _BIASES[plan.dtype_of_group(plan.group[source])]
    values = np.rint(real / of_sums)
    if dtype is DType.INT32:
        values = np.clip(values, *dtype.limits)
    return replace(
        plan.graph.tensors[bias],
        dtype=dtype,
        data=values.astype(dtype.numpy),
        quantization=_per_axis(of_sums, 0),
    )


def _per_axis(scales: np.typing.NDArray[np.float64], axis: int) -> Quantization:
    with np.errstate(over="ignore"):
        values = tuple(float(scale) for scale in scales.astype(np.float32))
    return Quantization(values, (0,) * len(values), axis)


def _converted(plan: Plan, node: Node, tensors: list[Tensor]) -> Iterator[Node]:
    """The node; one that stays float32 between its conversions."""
    rule = plan.rule(node)
    if plan.operators[node.op].role is Role.CONVERSION:
        yield _as_integers(plan, node, tensors)
        return
    if rule is not None or node.index not in plan.in_float:
        yield replace(node, version=_version(plan, node, tensors))
        return

    def in_float(index: int) -> int:
        """The tensor of the same values in float32."""
        tensor = plan.graph.tensors[index]
        name = f"{tensor.name}_float32"
        found = next((each.index for each in tensors if each.name == name), None)
        if found is None:
            found = len(tensors)
            tensors.append(replace(tensor, index=found, name=name))
        return found

    inputs, outputs = list(node.inputs), list(node.outputs)
    for place, index in enumerate(node.inputs):
        if index in plan.group and index is not None:
            inputs[place] = in_float(index)
            yield _conversion(plan, _DEQUANTIZE, index, in_float(index))
    after = []
    for place, index in enumerate(node.outputs):
        if index in plan.group:
            outputs[place] = in_float(index)
            after.append(_conversion(plan, _QUANTIZE, in_float(index), index))
    yield replace(node, inputs=tuple(inputs), outputs=tuple(outputs))
    yield from after


def _as_integers(plan: Plan, node: Node, tensors: list[Tensor]) -> Node:
    """A conversion of the file: QUANTIZE once both of its tensors are integers."""
    (source, *_), (result, *_) = node.inputs, node.outputs
    assert source is not None
    is_real = any(tensors[index].dtype.is_real for index in (source, result))
    return node if is_real else _conversion(plan, _QUANTIZE, source, result)


def _version(plan: Plan, node: Node, tensors: Sequence[Tensor]) -> int:
    """The first version that takes the node's types."""
    rule, places = plan.rule(node), plan.weights(node)
    if rule is None:
        return node.version
    filters = None if places is None else node.inputs[places.weights]
    if places is not None and filters is not None and tensors[filters].dtype is DType.INT4:
        return max(node.version, places.int4_version)
    is_int16 = node.index in plan.in_int16 and rule.int16_version > 0
    return max(node.version, rule.int16_version if is_int16 else rule.version)


def _conversion(plan: Plan, name: str, source: int, result: int) -> Node:
    """Between a tensor of integers and another of integers or real numbers."""
    group = plan.group.get(result if name == _QUANTIZE else source, -1)
    version = _VERSIONS[name, plan.dtype_of_group(group)]
    return Node(0, name, version, (source,), (result,), plan.operators[name].attrs())
