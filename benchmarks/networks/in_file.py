"""A network as a float32 .tflite file, with the operators that converters write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tflite

from benchmarks.networks.layers import EPSILON, Network, Value
from tests.quantizer.float_models import chain, ints, real
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec

Arrays = Mapping[str, Any]
Node = tuple[str, Sequence[TensorSpec], TensorSpec, Mapping[str, Any]]
SAME = tflite.Padding.SAME
_POOL = {"Padding": SAME, "StrideW": 2, "StrideH": 2, "FilterWidth": 2, "FilterHeight": 2}


def spec_of(network: Network, parameters: Arrays) -> ModelSpec:
    """The model with trained parameters, by name."""
    nodes: list[Node] = []
    tensors: list[TensorSpec] = []
    for value in network.values:
        sources = [tensors[place] for place in value.sources]
        if value.start is not None:
            tensors.append(_constant(value.name, parameters[value.name]))
        elif value.number is not None:
            tensors.append(_constant(value.name, [value.number]))
        else:
            tensors.append(real(value.name, value.shape))
            nodes += _nodes(value, sources, tensors[-1])
    found = chain(nodes)
    names = [found.tensors[place].name for place in found.outputs]
    assert names == [network.values[place].name for place in network.outputs]
    return found


def _nodes(value: Value, sources: Sequence[TensorSpec], result: TensorSpec) -> list[Node]:
    """What the file has for a value: nothing for an input."""
    if value.op == "input":
        return []
    if value.op == "batch_norm":
        return _batch_norm(sources, result)
    name, options_of = OPERATORS[value.op]
    further, options = options_of(value)
    if value.op == "doubled":  # its operands have another order
        x, weights, bias = sources
        return [(name, [*further, weights, x, bias], result, options)]
    return [(name, [*sources, *further], result, options)]


def _batch_norm(sources: Sequence[TensorSpec], result: TensorSpec) -> list[Node]:
    """Two operators with constants: a product and a sum."""
    x, *operands = sources
    factor, term, mean, variance = (np.asarray(each.data, np.float64) for each in operands)
    factor = factor / np.sqrt(variance + EPSILON)
    product = real(f"{result.name}/product", x.shape)
    factors = _constant(f"{result.name}/factors", factor)
    terms = _constant(f"{result.name}/terms", term - mean * factor)
    return [("MUL", [x, factors], product, {}), ("ADD", [product, terms], result, {})]


def _constant(name: str, values: Any) -> TensorSpec:
    array = np.ascontiguousarray(values, np.float32)
    return TensorSpec(name, array.shape, "float32", data=array)


Options = tuple[list[TensorSpec], Mapping[str, Any]]


def _plain(_value: Value) -> Options:
    return [], {}


def _window(value: Value) -> Options:
    height, width = value.options["stride"]
    strides = {"Padding": SAME, "StrideH": height, "StrideW": width}
    if value.op == "depthwise":
        return [], {**strides, "DepthMultiplier": 1}
    rows, columns = value.options["dilation"]
    return [], {**strides, "DilationHFactor": rows, "DilationWFactor": columns}


def _doubled(value: Value) -> Options:
    options = {"Padding": SAME, "StrideW": 2, "StrideH": 2}
    return [ints(f"{value.name}/shape", value.shape)], options


def _mean(value: Value) -> Options:
    return [ints(f"{value.name}/axes", value.options["axes"])], {"KeepDims": value.options["keep"]}


def _part(value: Value) -> Options:
    begins = [0] * len(value.shape)
    begins[value.options["axis"]] = value.options["begin"]
    return [ints(f"{value.name}/begin", begins), ints(f"{value.name}/size", value.shape)], {}


def _nearest(value: Value) -> Options:
    return [ints(f"{value.name}/size", value.shape[1:3])], {}


def _join(value: Value) -> Options:
    return [], {"Axis": len(value.shape) - 1}


def _reshape(value: Value) -> Options:
    return [ints(f"{value.name}/shape", value.shape)], {}


def _transpose(value: Value) -> Options:
    return [ints(f"{value.name}/order", value.options["order"])], {}


def _matmul(value: Value) -> Options:
    return [], {"AdjY": value.options["is_transposed"]}


OPERATORS: Mapping[str, tuple[str, Callable[[Value], Options]]] = {
    "conv": ("CONV_2D", _window),
    "depthwise": ("DEPTHWISE_CONV_2D", _window),
    "doubled": ("TRANSPOSE_CONV", _doubled),
    "dense": ("FULLY_CONNECTED", lambda v: ([], {"KeepNumDims": len(v.shape) > 2})),
    "softmax": ("SOFTMAX", lambda _: ([], {"Beta": 1.0})),
    "mean": ("MEAN", _mean),
    "average_pool": ("AVERAGE_POOL_2D", lambda _: ([], _POOL)),
    "max_pool": ("MAX_POOL_2D", lambda _: ([], _POOL)),
    "nearest": ("RESIZE_NEAREST_NEIGHBOR", _nearest),
    "join": ("CONCATENATION", _join),
    "reshape": ("RESHAPE", _reshape),
    "transpose": ("TRANSPOSE", _transpose),
    "matmul": ("BATCH_MATMUL", _matmul),
    "part": ("SLICE", _part),
    **{
        each: (each.upper(), _plain)
        for each in ("relu", "relu6", "hard_swish", "logistic", "tanh", "gelu", "rsqrt")
    },
    **{each: (each.upper(), _plain) for each in ("add", "sub", "mul", "squared_difference")},
}
"""By the op of a value: the operator, and what it has besides operands, constants and options."""
