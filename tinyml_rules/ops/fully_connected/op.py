"""FULLY_CONNECTED: options, what may be wrong with a node, and its constants.

acc[o] = bias[o] + sum over i of weights[o][i] * (input[i] - input_zero_point); the zero-point term
does not depend on the input's values and is folded into the bias here.  Weights are without their
own zero point, if they have one and are int8 then; all else is in `centred.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.nibbles import in_nibbles
from tinyml_rules.ir.c_struct import Int, Int8, Int32, Result
from tinyml_rules.ir.contract import (
    BIAS_MOST,
    CLAMPED,
    CLAMPS,
    PRODUCT_MOST,
    Biases,
    Contract,
    Elements,
    Multipliers,
    Pointer,
    Products,
    RunningSums,
    Shifts,
    Size,
)
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import (
    SumBounds,
    single_multiplier,
    weighted_macs,
)
from tinyml_rules.ops._shared.accumulate import multipliers as channel_multipliers
from tinyml_rules.ops._shared.operands import Operand, int8, plain
from tinyml_rules.ops._shared.quantization import Numbers
from tinyml_rules.ops._weighted.of_node import sums_of_node

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

    weights is [output_channels][input_channels], of four bits two a byte, a row from a byte on;
    multiplier and shift are numbers, or with weights quantized per axis arrays with an entry for
    every output.
    """

    weights: Annotated[Array, Elements("output_channels * input_channels")]
    bias: Annotated[Array, Elements("output_channels"), Biases]
    multiplier: Annotated[Int32 | Array, Elements("output_channels"), Multipliers]
    shift: Annotated[Int8 | Array, Elements("output_channels"), Shifts]
    input_channels: Annotated[Int, Products]
    output_channels: Annotated[Int, Size]
    output_zero_point: Int8
    clamp_min: Result
    clamp_max: Result


CONTRACT = Contract(
    reads=(Pointer("input", "input_channels"),),
    writes=Pointer("output", "output_channels"),
    requires=(CLAMPS,),
    result=CLAMPED,
    products="input_channels",
)
CONTRACT_OF_PIECES = replace(
    CONTRACT,
    reads=(Pointer("piece"),),
    products="",
    sums=RunningSums(most=BIAS_MOST, more=PRODUCT_MOST, values="input_channels"),
)
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


def seen(view: NodeView, vectors: Numbers) -> Numbers:
    """What the weights are multiplied with: every vector, by all outputs."""
    return vectors.reshape(1, -1, view["weights"].shape[-1])


def prepare(view: NodeView) -> Work[Sums]:
    """One unit is one input vector."""
    return work_of(view, weighted_sums(view, matrix_of(view), multipliers_of(view)))


def work_of(view: NodeView, sums: Sums) -> Work[Sums]:
    """That of sums which the plain kernels can do."""
    source, result = view["input"], view.output
    vectors = source.count // sums.values
    return Work(
        params=struct_of(sums),
        facts=sums,
        inputs=(source.index,),
        outputs=(result.index,),
        units=vectors,
        patch=sums.values,
        sums=sums.outputs if vectors == 1 else 0,
        weights=view["weights"].index,
        macs=weighted_macs(view),
        kind=WorkKind.of_sums(vectors),
        overflow=sums.overflow,
        requantization=sums.requantization,
    )


def without_zero_point(weights: Tensor) -> npt.NDArray[np.int16]:
    """Constants as what is multiplied; all outputs have the same zero point."""
    assert weights.data is not None and weights.quantization is not None
    return weights.data.astype(np.int16) - np.int16(weights.quantization.zero_points[0])


def matrix_of(view: NodeView) -> npt.NDArray[np.int8]:
    """Weights without their zero point, of which all are int8 then."""
    return without_zero_point(view["weights"]).astype(np.int8)


def multipliers_of(view: NodeView) -> tuple[int | Array, int | Array]:
    """(multiplier, shift): numbers, or with weights quantized per axis one of each an output."""
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.quantization is not None
    if weights.quantization.is_per_axis:
        return channel_multipliers(view, channels=weights.shape[0])
    return single_multiplier(source, weights, result)


def weighted_sums(
    view: NodeView,
    matrix: Array,
    scale: tuple[int | Array, int | Array],
    bounds: SumBounds | None = None,
) -> Sums:
    """Everything that does not depend on the input's values; `bounds` are as `sums_of_node` has
    them."""
    attrs, inputs = view.node.attrs, matrix.shape[1]
    assert isinstance(attrs, Attrs)
    return sums_of_node(
        view,
        matrix,
        scale,
        activation=attrs.activation,
        channels=inputs,
        group=inputs,
        bounds=bounds,
    )


def struct_of(sums: Sums) -> Params:
    """What the plain kernels read."""
    found = sums.requantization
    is_packed = sums.element is Element.INT4
    return Params(
        weights=in_nibbles(sums.matrix) if is_packed else sums.matrix,
        bias=sums.bias,
        multiplier=sums.multiplier,
        shift=found.shift,
        input_channels=sums.values,
        output_channels=sums.outputs,
        output_zero_point=found.output_zero_point,
        clamp_min=found.clamp_min,
        clamp_max=found.clamp_max,
    )
