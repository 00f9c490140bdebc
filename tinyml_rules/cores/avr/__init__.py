"""8-bit AVR with a multiplier."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tinyml_rules.cores.core import Core, Qualifiers
from tinyml_rules.cores.finish import Bounds, Finish
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.rounding import Rounding


def _factors(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For a processor without a shifter: the doubled multiplier, and the power of 2 whose product
    is shifted right by 8; it is odd where the shift is one by 8 more."""
    is_long = np.asarray(right, np.int64) >= 8
    power = np.left_shift(1, np.where(is_long, 16 - right, 8 - right))
    factor = np.where(right == 8, 1, power + is_long)
    return (multiplier.astype(np.int64) << 1).astype(np.uint32).view(np.int32), factor


def _short_products(right: Array) -> Array:
    """For a processor without a shifter: the power of 2 whose product is shifted right by 8, of a
    shift by one more; the negative of it where the shift is one by 8 more still."""
    shift = np.asarray(right, np.int64) + 1
    is_long = shift > 8
    power = np.left_shift(1, np.where(is_long, 16, 8) - shift)
    return np.where(is_long, -power, power)


CORE = Core(
    name="avr",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.AVR,)),
    beats=frozenset(("avr_plain", "plain")),
    finish=Finish(
        Bounds(bits=23, shifts=range(2, 16), saturating_shift=14),
        _factors,
        last=Rounding.ONCE,
        shifting=Bounds(bits=23, shifts=range(1, 16), saturating_shift=14),
        shifting_forms=(Rounding.SHIFT,),
        stored_shifts=_short_products,
    ),
    # 32 registers of 8 bits do not hold two kernels' worth of values at once
    qualifiers=Qualifiers(
        flash="__flash ", table="__flash ", outlined="__attribute__((noinline)) "
    ),
)
