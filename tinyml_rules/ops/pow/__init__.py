"""POW: a power of two tensors, broadcast if their shapes differ; LiteRT's.

LiteRT ends an inference at a negative exponent of int32: a constant one is refused here, a computed
one counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.real_power import real_power
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.broadcast import check_broadcast, has_single_constants
from tinyml_rules.ops._shared.in_numpy import evaluated
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import MOST_SIMPLE_RANK, plain_operands, takes_type
from tinyml_rules.ops._shared.real_maps import Float32Array
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning


def check_int32(view: NodeView) -> Iterator[str]:
    """A constant exponent has no negative values."""
    yield from check_broadcast(view, most_rank=MOST_SIMPLE_RANK)
    exponent = view["second input"]
    if exponent.data is not None:
        least = min(exponent.data.reshape(-1).tolist(), default=0)
        if least < 0:
            yield (
                f"second input tensor {exponent} has the exponent {least}, expected none below 0 "
                "of int32"
            )


def check_real(view: NodeView) -> Iterator[str]:
    """Shapes that broadcast."""
    yield from check_broadcast(view, most_rank=MOST_SIMPLE_RANK)


_MODULO = np.vectorize(
    lambda base, exponent: pow(int(base), max(int(exponent), 0), 2**32), otypes=[np.int64]
)
_GREATEST = np.finfo(np.float32).max
_CLOSE = np.float32(1e-5)


def of_int32(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The power of int32, which wraps; a negative exponent counts as 0."""
    return evaluated(_MODULO, view, values)


def of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`BroadcastPow4D` of LiteRT, which multiplies if a single exponent is close to a whole number;
    otherwise the power is that of the C library."""

    def function(base: Any, exponent: Any) -> Array:
        times = _whole(exponent) if base.shape != exponent.shape else 0
        if times:
            return np.broadcast_to(_product(base, times), view.output.shape)
        return real_power(base, exponent)

    return evaluated(function, view, values)


def _whole(exponent: Array) -> int:
    """The positive whole number that a single exponent is close to; 0 if there is none."""
    if exponent.size != 1:
        return 0
    value = np.float32(exponent.item())
    nearest = np.round(value)
    is_close = 1 <= nearest < 2**31 and np.abs(value - nearest) < _CLOSE
    return int(nearest) if is_close else 0


def _product(base: Float32Array, times: int) -> Float32Array:
    """`IntegerExponentPow` of LiteRT: by squaring, in float32, clamped to finite numbers."""
    if times == 1:
        return base
    root = _product(base, times // 2)
    square = (root * root).clip(-_GREATEST, _GREATEST)
    return (base * square).clip(-_GREATEST, _GREATEST) if times % 2 else square


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct."""

    is_single: Int
    """Whether all bases have one exponent."""


def real_params(view: NodeView) -> RealParams:
    """Of shapes alone: two single numbers are not broadcast."""
    base, exponent = view["first input"], view["second input"]
    return RealParams(is_single=int(exponent.count == 1 and base.shape != exponent.shape))


_VALUES = Values(
    "pow/kernels/value.c.j2", operands=("int32_t", "int32_t"), result="int32_t", takes_params=False
)
_REAL_VALUES = Values(
    "pow/kernels/real.c.j2",
    operands=("float", "float"),
    result="float",
    runtime=("real_power", "real_round"),
)

OP = Op(
    name="pow",
    builtin_code=78,
    options_type=56,
    inputs=("first input", "second input"),
    summary="int32, an exponent below 0 as 0; float32; broadcast up to 4 dimensions; either input "
    "constant",
    is_map=has_single_constants,
    meanings=(
        value_meaning(
            "pow",
            _VALUES,
            of_int32,
            takes=takes_type(DType.INT32),
            operands=plain_operands(DType.INT32, DType.INT32),
            check=check_int32,
        ),
        value_meaning(
            "pow_real",
            _REAL_VALUES,
            of_real,
            takes=takes_type(DType.FLOAT32),
            operands=plain_operands(DType.FLOAT32, DType.FLOAT32),
            check=check_real,
            params_of=real_params,
        ),
    ),
)
