"""FULLY_CONNECTED: options, what may be wrong with a node, and its constants.

acc[o] = bias[o] + sum over i of weights[o][i] * (input[i] - input_zero_point); the zero-point term
does not depend on the input's values and is folded into the bias here.  Weights are without their
own zero point, if they have one and are int8 then; all else is in `centred.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.arithmetic.nibbles import in_nibbles
from tinyml_rules.arithmetic.packed_blocks import Blocks, in_blocks
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import (
    Sums,
    fold_bias,
    single_multiplier,
    sums_of,
    weighted_macs,
)
from tinyml_rules.ops._shared.accumulate import multipliers as channel_multipliers
from tinyml_rules.ops._shared.operands import Operand, int8, plain

WEIGHTS = (DType.INT8, DType.INT4)
"""Element types."""


@dataclass(frozen=True)
class Attrs:
    activation: int = option(0, "int8")
    weights_format: int = option(1, "int8")
    keep_num_dims: bool = option(2, "bool", default=False)


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    weights is [output_count][input_count], of four bits two a byte, a row from a byte on;
    multiplier and shift are numbers, or with weights quantized per axis arrays with an entry for
    every output.
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

    @property
    def has_nibbles(self) -> bool:
        """Weights of four bits."""
        return self.weights.dtype == np.uint8

    @cached_property
    def blocks(self) -> Blocks:
        """The weights of eight bits, in blocks."""
        return in_blocks(self.weights)


OPERANDS = {
    "input": int8(),
    "weights": Operand(
        types=WEIGHTS,
        is_constant=True,
        computed=(DType.INT8,),
        ranks=range(2, 3),
        axis=0,
        may_have_zero_point=True,
    ),
    "bias": plain(DType.INT32, count=lambda view: view["weights"].shape[0]),
    "output": int8(),
}


def check_options(view: NodeView) -> Iterator[str]:
    """A fused activation that clamps, and weights [outputs][inputs] in their plain order."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    yield from constraints.fused_activation(attrs.activation, view.output)
    if attrs.weights_format != 0:
        yield f"weights format {attrs.weights_format}, expected the default row-major format"


def check(view: NodeView) -> Iterator[str]:
    """Scales that agree; the input divides into vectors."""
    weights = view["weights"]
    yield from constraints.rescaling(view["input"], view.output, weights=weights)
    yield from check_vectors(view)
    is_per_tensor = weights.quantization is not None and not weights.quantization.is_per_axis
    yield from constraints.bias_scale(view, is_always_needed=is_per_tensor)


def check_vectors(view: NodeView) -> Iterator[str]:
    """The input divides into vectors, and there is an output for each."""
    source, weights, result = view["input"], view["weights"], view.output
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
    return work_of(view, params, sums_of(view, params, axis=0))


def work_of(view: NodeView, params: Params, sums: Sums) -> Work:
    """The same with other params, whose weights are int8."""
    source, result = view["input"], view.output
    vectors = source.count // params.input_count
    return Work(
        params=_stored(params, view["weights"].dtype),
        inputs=(source.index,),
        outputs=(result.index,),
        units=vectors,
        patch=params.input_count,
        sums=params.output_count if vectors == 1 else 0,
        weights=view["weights"].index,
        macs=weighted_macs(view),
        kind=WorkKind.of_sums(vectors),
        overflow=sums.overflow,
        most_sum=sums.most,
    )


def without_zero_point(weights: Tensor) -> npt.NDArray[np.int16]:
    """Constants as what is multiplied; all outputs have the same zero point."""
    assert weights.data is not None and weights.quantization is not None
    return weights.data.astype(np.int16) - np.int16(weights.quantization.zero_points[0])


def _stored(params: Params, dtype: DType) -> Params:
    """The params with weights as they lie in flash: of four bits where they still are."""
    low, high = params.weights.min(), params.weights.max()
    if dtype is not DType.INT4 or int(low) < -8 or int(high) > 7:
        return params
    return replace(params, weights=in_nibbles(params.weights))


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values; weights as int8."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.quantization is not None
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
    matrix = without_zero_point(weights).astype(np.int8)
    return Params(
        weights=matrix,
        bias=fold_bias(
            view.optional("bias"),
            weight_sums=matrix.astype(np.int64).sum(axis=1),
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
