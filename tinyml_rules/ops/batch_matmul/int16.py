"""BATCH_MATMUL of int16: the constants of its kernels.

Two products fill 31 bits, so that sums have 64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tinyml_rules.arithmetic.fixed_point import of_16_bits, quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Int16
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import quantized
from tinyml_rules.ops._shared.scales import product
from tinyml_rules.ops._weighted.int16x8 import MOST_FACTOR, overflow_of_rescaled
from tinyml_rules.ops.batch_matmul.direct import Direct, kernels_of, work_of
from tinyml_rules.ops.batch_matmul.matrices import matrices_of
from tinyml_rules.ops.batch_matmul.op import RANKS, Attrs, Steps, steps_of
from tinyml_rules.ops.batch_matmul.op import check as check_matrices

_WIDE = (DType.INT16,)
OPERANDS = {
    "first input": quantized(*_WIDE, centred=_WIDE, ranks=RANKS),
    "second input": quantized(*_WIDE, centred=_WIDE, ranks=RANKS),
    "output": quantized(*_WIDE, centred=_WIDE),
}


@dataclass(frozen=True, eq=False)
class Params(Steps):
    """Members of the C struct: the walk, and what a sum is multiplied with."""

    multiplier: Int16
    shift: Int8

    is_constant: ClassVar[bool] = False
    """The rows are a table."""


@dataclass(frozen=True, eq=False)
class ConstantParams(Params):
    """The same with the rows of all matrices."""

    weights: Array

    is_constant: ClassVar[bool] = True


def check(view: NodeView) -> Iterator[str]:
    """Matrices that go together, and a factor of sums that TFLM can multiply with."""
    first, second = view["first input"], view["second input"]
    found = list(check_matrices(view))
    yield from found or constraints.rescaling(first, view.output, weights=second, most=MOST_FACTOR)


def prepare(view: NodeView) -> Work[Params]:
    """Everything that does not depend on the inputs' values."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    matrices = matrices_of(view, attrs.adj_x, attrs.adj_y)
    factor = product(view, matrices.rows.scale, matrices.vectors.scale) / result.scale
    multiplier, shift = quantize_multiplier(factor)
    found = {
        **vars(steps_of(matrices, result.shape)),
        "multiplier": int(of_16_bits(multiplier)),
        "shift": shift,
    }
    constant = matrices.constant
    params = Params(**found) if constant is None else ConstantParams(**found, weights=constant)
    low, high = (np.array([matrices.depth * each]) for each in _ends_of_products())
    rescaled = (np.atleast_1d(params.multiplier), np.atleast_1d(shift))
    overflow = overflow_of_rescaled(low, high, *rescaled)
    return work_of(view, matrices, params, overflow=overflow)


def _ends_of_products() -> tuple[int, int]:
    low, high = DType.INT16.limits
    return low * high, low * low


KERNELS = kernels_of(
    "batch_matmul_int16",
    Direct(
        called="int16",
        value="int16_t",
        sum="int64_t",
        zero="0",
        product="(int32_t)*factor * *value",
        result="@requantize_int16_wide(sum, params->multiplier, params->shift, 0, "
        "INT16_MIN, INT16_MAX)",
    ),
    "requantize_int16_wide",
)
