"""FULLY_CONNECTED of real numbers: what may be wrong with a node, and its constants.

The sums are float32, in the order of the inputs; the bias is added last, as in TFLM, so that every
machine with IEEE arithmetic gives the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.accumulate import has_computed_constants, weighted_macs
from tinyml_rules.ops._shared.activated import plain_bounds
from tinyml_rules.ops._shared.computed_operands import ComputedNames, computed
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.real_weights import (
    RealParams,
    RealSums,
    WeightWords,
    in_fours,
    narrow_too,
    real_operands,
    real_params,
    takes_real_weights,
)
from tinyml_rules.ops.fully_connected.op import Attrs, check_vectors
from tinyml_rules.ops.fully_connected.oracle import oracle_of_real


@dataclass(frozen=True, eq=False)
class OperandParams:
    """Members of the C struct where weights or bias are computed: None for what is an operand."""

    weights: Array | None
    bias: Array | None
    clamp_min: Float32
    clamp_max: Float32
    vectors: Int
    input_channels: Int
    output_channels: Int


@dataclass(frozen=True, eq=False)
class Params(RealParams):
    """Members of the C struct; weights is [output_channels][input_channels]."""

    input_channels: Int
    output_channels: Int


OPERANDS = real_operands(axis=0, ranks=None, rank=2, is_constant=False)


def prepare(view: NodeView) -> Work[RealSums]:
    """One unit is one input vector."""
    attrs, source, weights = view.node.attrs, view["input"], view["weights"]
    assert isinstance(attrs, Attrs) and weights.data is not None
    output_count, input_count = weights.shape
    shared = real_params(
        view, weights=weights.data, outputs=output_count, activation=attrs.activation
    )
    params = Params(
        **vars(shared),
        input_channels=input_count,
        output_channels=output_count,
    )
    return Work(
        params=params,
        facts=RealSums((weights.data,)),
        inputs=(source.index,),
        outputs=(view.output.index,),
        units=source.count // input_count,
        macs=weighted_macs(view),
    )


def takes_operands(view: NodeView) -> bool:
    """Real numbers, of which weights or bias are computed."""
    return takes_real_weights(view) and has_computed_constants(view)


def prepare_operands(view: NodeView) -> Work[ComputedNames]:
    """All vectors at once, because weights and bias are the same for each."""
    attrs, source, weights = view.node.attrs, view["input"], view["weights"]
    assert isinstance(attrs, Attrs)
    output_count, input_count = weights.shape
    bias = view.optional("bias")
    values = np.zeros(output_count, np.float32) if bias is None else bias.data
    clamp_min, clamp_max = plain_bounds(attrs.activation, DType.FLOAT32)
    params = OperandParams(
        weights=weights.data,
        bias=None if values is None else values.reshape(-1),
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        vectors=source.count // input_count,
        input_channels=input_count,
        output_channels=output_count,
    )
    operands = [source, weights, *([] if bias is None else [bias])]
    return Work(
        params=params,
        facts=computed(weights=params.weights, bias=params.bias),
        inputs=tuple(each.index for each in operands if each is source or not each.is_constant),
        outputs=(view.output.index,),
        macs=weighted_macs(view),
    )


_KERNEL = Kernel[RealSums](
    name="fully_connected_real",
    template=Path(__file__).parent / "kernels" / "float32.c.j2",
    form=Form.POINTWISE,
    variant=WeightWords(),
)
MEANINGS = narrow_too(
    Meaning(
        takes=takes_real_weights,
        operands=OPERANDS,
        check=check_vectors,
        oracle=oracle_of_real,
        prepare=prepare,
        kernels=(replace(in_fours(_KERNEL), runtime=("real_sums",)), _KERNEL),
    ),
    _KERNEL,
    axis=0,
)
"""Of constant weights and bias."""
