"""What LOGISTIC and TANH of int16 share: the input is multiplied to units of 1 / (3 * 2^12), and
the result is interpolated between 256 values of the sigmoid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Int64Array
from tinyml_rules.arithmetic.interpolated import SIGMOIDS, near_power_of_two
from tinyml_rules.ir.c_struct import Int8, Int16, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operands import quantized
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.pointwise import map_work

INT16_MAX = DType.INT16.limits[1]
_UNITS = 3 * 2.0**12
"""In 1."""
_FRACTION_BITS = 12
_OF_RESULT = 2.0**-15
_TOLERANCE = 0.00069 * _OF_RESULT
"""TFLM compares the logarithms of the scales, up to 0.001 of a bit."""
_MOST_SHIFT = 31
_LEAST_SCALE = 2.0**-_MOST_SHIFT / _UNITS
_MOST_SCALE = (INT16_MAX + 1) / _UNITS

_WIDE = (DType.INT16,)
OPERANDS = {
    "input": quantized(*_WIDE, centred=_WIDE),
    "output": quantized(*_WIDE, shape="input", fixed=(_OF_RESULT, 0), tolerance=_TOLERANCE),
}


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct: (x * multiplier + half) >> shift is in the table's units."""

    sigmoids: Array
    multiplier: Int16
    half: Int32
    shift: Int8


@dataclass(frozen=True, kw_only=True)
class Interpolated(Variant):
    """Words of the template."""

    called: str
    """Name of the operator in the comment."""
    function: str
    """The piece of C that interpolates."""


def check(view: NodeView) -> Iterator[str]:
    """The multiplier has 15 bits."""
    source = view["input"]
    if not _LEAST_SCALE <= source.scale < _MOST_SCALE:
        yield (
            f"input tensor {source} has scale {source.scale:g}, expected at least "
            f"{_LEAST_SCALE:.3g} and less than {_MOST_SCALE:.5g}: its multiplier has 15 bits"
        )


def sigmoid_meaning(name: str, oracle: Oracle, *, exact_shifts: tuple[int, ...]) -> Meaning:
    """The meaning for int16; `exact_shifts`: left shifts to 2^-12 that TFLM does by shifting."""

    def prepare(view: NodeView) -> Work:
        multiplier, shift = _multiplier(view["input"].scale, exact_shifts)
        half = 1 << (shift - 1) if shift else 0
        return map_work(view, Params(SIGMOIDS, multiplier, half, shift))

    function = f"interpolated_{name}"
    kernel = Kernel(
        name=f"{name}_int16",
        template=Path(__file__).parent / "kernels" / "interpolated.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        runtime=(function,),
        variant=Interpolated(called=name.upper(), function=function),
    )
    return Meaning(
        takes=lambda view: view["input"].dtype is DType.INT16,
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
    )


def _multiplier(scale: float, exact_shifts: tuple[int, ...]) -> tuple[int, int]:
    """(multiplier, shift to the right): a multiplier of 15 bits, truncated."""
    power = near_power_of_two(scale)
    if power is not None and power + _FRACTION_BITS in exact_shifts:
        return 3 << (power + _FRACTION_BITS), 0
    mantissa, exponent = math.frexp(scale * _UNITS)
    # TFLM doubles until a number is above 32767 / 2, which half of one above 32767 is already
    bits = INT16_MAX.bit_length() - (mantissa * (INT16_MAX + 1) > INT16_MAX)
    shift = min(max(bits - exponent, 0), _MOST_SHIFT)
    return int(scale * _UNITS * 2.0**shift), shift


def through_sigmoids(
    view: NodeView,
    values: Array,
    function: Callable[[Int64Array], Int64Array],
    *,
    exact_shifts: tuple[int, ...],
) -> Array:
    """The meaning in numpy; `reference_integer_ops::Logistic` and `Tanh` of TFLM for int16."""
    scale, wide = view["input"].scale, values.astype(np.int64)
    power = near_power_of_two(scale)
    if power is not None and power + _FRACTION_BITS in exact_shifts:
        return function(wide * 3 * 2 ** (power + _FRACTION_BITS)).astype(np.int16)
    factor, shift = scale * 4096.0 * 3.0, 0
    while factor <= INT16_MAX / 2 and shift < _MOST_SHIFT:
        factor, shift = factor * 2.0, shift + 1
    half = 2 ** (shift - 1) if shift > 0 else 0
    return function((wide * int(factor) + half) >> shift).astype(np.int16)
