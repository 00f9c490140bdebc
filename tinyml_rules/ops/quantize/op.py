"""QUANTIZE: what may be wrong with a node, its constants and its meaning.

A float32 input must be the model's own: the pass `partition_conversions` cuts such a node off and
leaves the conversion to the caller, so what reaches `params_of` goes from int8 to int8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, quantize_multiplier, requantize
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Int32
    shift: Int8
    input_zero_point: Int8
    output_zero_point: Int8


def check(view: NodeView) -> Iterator[str]:
    """int8 output; int8 input, or a float32 input of the model that nothing else reads."""
    source, result = view.input(0), view.output
    yield from constraints.quantized_activation(result, "output")
    yield from constraints.shaped(result, source.shape)
    if source.dtype is not DType.FLOAT32:
        yield from constraints.quantized_activation(source, "input")
        yield from constraints.rescaling(source, result)
        return
    graph = view.graph
    readers = [node.index for node in graph.nodes if source.index in node.inputs]
    if source.index not in graph.inputs:
        text = f"input tensor {source} is float32 inside the model, expected int8"
        yield constraints.WrongType(text, source)
    elif len(readers) > 1 or source.index in graph.outputs:
        text = f"input tensor {source} is float32 and read more than once, by nodes {readers}"
        yield constraints.WrongType(text, source)


def params_of(view: NodeView) -> Params:
    """`PrepareQuantizeReference` of TFLM: the quotient of the scales in double."""
    source, result = view.input(0), view.output
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    return Params(
        multiplier=multiplier,
        shift=shift,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    params = params_of(view)
    return requantize(
        values[view.input(0).index].astype(np.int64) - params.input_zero_point,
        params.multiplier,
        params.shift,
        zero_point=params.output_zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )
