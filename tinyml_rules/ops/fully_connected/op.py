"""FULLY_CONNECTED: options, what may be wrong with a node, and its constants.

acc[o] = bias[o] + sum over i of weights[o][i] * (input[i] - input_zero_point); the zero-point term
does not depend on the input's values and is folded into the bias here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import (
    fold_bias,
    overflow,
    single_multiplier,
    weighted_macs,
)
from tinyml_rules.ops._shared.accumulate import multipliers as channel_multipliers


@dataclass(frozen=True)
class Attrs:
    activation: int = option(0, "int8")
    weights_format: int = option(1, "int8")
    keep_num_dims: bool = option(2, "bool", default=False)


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    weights is [output_count][input_count]; multiplier and shift are numbers, or with weights
    quantized per axis arrays with an entry for every output.
    """

    weights: Array
    bias: Array
    multiplier: Int32 | Array
    shift: Int8 | Array
    input_count: Int
    output_count: Int
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8

    @property
    def is_per_axis(self) -> bool:
        return not isinstance(self.multiplier, int)


def check(view: NodeView) -> Iterator[str]:
    """int8 input and output; constant weights [outputs][inputs]; the input divides into vectors."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    source, weights, result = view.input(0), view.input(1), view.output
    yield from constraints.quantized(source, "input")
    yield from constraints.quantized(result, "output")
    problems = list(constraints.weights(weights, axis=0, rank=2))
    yield from problems
    yield from constraints.fused_activation(attrs.activation, result)
    yield from constraints.rescaling(source, result, weights=weights)
    if len(weights.shape) != 2:
        return
    yield from check_vectors(view)
    output_count, _ = weights.shape
    wrong_bias = list(constraints.bias(view.optional_input(2), count=output_count))
    yield from wrong_bias
    if weights.quantization is not None and not problems and not wrong_bias:
        is_per_tensor = not weights.quantization.is_per_axis
        yield from constraints.bias_scale(view, is_always_needed=is_per_tensor)


def check_vectors(view: NodeView) -> Iterator[str]:
    """Weights [outputs][inputs] in their plain order; the input divides into vectors, and there is
    an output for each."""
    attrs, source, weights, result = view.node.attrs, view.input(0), view.input(1), view.output
    assert isinstance(attrs, Attrs)
    if attrs.weights_format != 0:
        yield f"weights format {attrs.weights_format}, expected the default row-major format"
    output_count, input_count = weights.shape
    if source.count % input_count:
        yield (
            f"input tensor {source} has {source.count} values, "
            f"expected a multiple of the {input_count} that weights tensor {weights} takes"
        )
        return
    vectors = source.count // input_count
    if result.shape[-1:] != (output_count,) or result.count != vectors * output_count:
        # the last dimension alone tells TFLM how many outputs a vector has
        yield (
            f"output tensor {result} has shape {list(result.shape)}, "
            f"expected {vectors} vectors of {output_count}"
        )


def prepare(view: NodeView) -> Work:
    """One unit is one input vector."""
    params = params_of(view)
    source, result = view.input(0), view.output
    return Work(
        params=params,
        inputs=(source.index,),
        outputs=(result.index,),
        units=source.count // params.input_count,
        sums=params.output_count if source.count == params.input_count else 0,
        macs=weighted_macs(view),
        overflow=overflow(view, params, axis=0),
    )


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    source, weights, result = view.input(0), view.input(1), view.output
    assert weights.data is not None and weights.quantization is not None
    output_count, input_count = weights.shape
    multiplier: int | Array
    shift: int | Array
    if weights.quantization.is_per_axis:
        multiplier, shift = channel_multipliers(source, weights, result, channels=output_count)
    else:
        multiplier, shift = single_multiplier(source, weights, result)
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        weights=weights.data,
        bias=fold_bias(
            view.optional_input(2),
            weight_sums=weights.data.astype(np.int64).sum(axis=1),
            input_zero_point=source.zero_point,
        ),
        multiplier=multiplier,
        shift=shift,
        input_count=input_count,
        output_count=output_count,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
