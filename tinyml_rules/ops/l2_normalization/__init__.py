"""L2_NORMALIZATION: vectors along the last dimension, each divided by its length: each value times
the inverse square root of the sum of squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, Activation, requantize
from tinyml_rules.arithmetic.inverse_square_root import inverse_square_roots
from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operands import int8, real
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import vector_work
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32, in_order
from tinyml_rules.ops.l2_normalization.layer_norm import layer_norm

OUTPUT_SCALE = 1 / 128
RANKS = range(1, 5)
MOST_DEPTH = 2**15
"""Each square is below 2^16, and int32 holds their sum."""


@dataclass(frozen=True)
class Attrs:
    activation: int = option(0, "int8")


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    depth: Int
    zero_point: Int8


OPERANDS = {
    "input": int8(ranks=RANKS),
    "output": int8(shape="input", fixed=(OUTPUT_SCALE, 0)),
}
REAL_OPERANDS = {"input": real(ranks=RANKS), "output": real(shape="input")}


def check_options(view: NodeView) -> Iterator[str]:
    """No fused activation."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.activation != Activation.NONE:
        yield f"fused activation {attrs.activation}, expected none"


def check(view: NodeView) -> Iterator[str]:
    """int32 holds the sum of squares."""
    yield from constraints.depth(view["input"], most=MOST_DEPTH)


def prepare(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    source = view["input"]
    return vector_work(view, Params(depth=source.shape[-1], zero_point=source.zero_point))


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct for real numbers."""

    depth: Int


def prepare_real(view: NodeView) -> Work:
    """The same of real numbers."""
    return vector_work(view, RealParams(depth=view["input"].shape[-1]))


FRACTION_BITS = 7
"""Fraction bits of the output."""
_LEAST_LENGTH = np.float32(1e-6)
"""The divisor for a shorter vector."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
    centred = values[source.index].astype(np.int64) - source.zero_point
    multipliers, shifts = inverse_square_roots((centred**2).sum(axis=-1, keepdims=True))
    return requantize(
        centred,
        multipliers,
        shifts + FRACTION_BITS,
        zero_point=0,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )


def oracle_of_uint8(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same as `reference_ops::L2Normalization` of LiteRT rounds uint8: the fraction bits are
    there before the product, not after it."""
    source = view["input"]
    centred = values[source.index].astype(np.int64) - source.zero_point
    scale = inverse_square_roots((centred**2).sum(axis=-1, keepdims=True))
    return requantize(
        centred << FRACTION_BITS, *scale, zero_point=0, clamp_min=INT8_MIN, clamp_max=INT8_MAX
    )


@in_float32
def oracle_of_real(values: Float32Array, _attrs: object) -> Array:
    """`reference_ops::L2Normalization` of TFLM."""
    lengths = np.sqrt(in_order(values * values))
    return values / np.fmax(lengths, _LEAST_LENGTH)


@dataclass(frozen=True)
class Order(Variant):
    """Words of the template."""

    is_scaled_first: bool
    """Whether values get the fraction bits before the product, rather than after it."""


def _kernel(name: str, *, is_scaled_first: bool) -> Kernel:
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "l2_normalization.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        runtime=("inverse_square_root", "requantize"),
        variant=Order(is_scaled_first),
    )


OP = Op(
    name="l2_normalization",
    builtin_code=11,
    options_type=12,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int8; output scale 1/128 and zero point 0; float32; up to 4 dimensions",
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(
                Kernel(
                    name="l2_normalization_real",
                    template=Path(__file__).parent / "kernels" / "float32.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("real_sqrt",),
                ),
            ),
        ),
        Meaning(
            takes=lambda view: view.is_of_uint8,
            operands=OPERANDS,
            check=check,
            oracle=oracle_of_uint8,
            prepare=prepare,
            kernels=(_kernel("l2_normalization_scaled_first", is_scaled_first=True),),
        ),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(_kernel("l2_normalization", is_scaled_first=False),),
        ),
    ),
    quantization=replace(fixed(1 / 128, 0), form=layer_norm),
)
