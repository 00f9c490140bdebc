"""TFLM's functions of int16 that interpolate between the entries of a table: the sigmoid, the
hyperbolic tangent, and those of SOFTMAX."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Int64Array
from tinyml_rules.arithmetic.real_exponential import real_exp

Int16Array = npt.NDArray[np.int16]

_LAST: Final = 255
"""From this step on the sigmoid counts as 1."""
_ENTRIES = """
32768 33451 34133 34813 35493 36169 36843 37513 38180 38841 39498 40149 40794 41432
42064 42688 43304 43912 44511 45102 45683 46255 46817 47369 47911 48443 48964 49475
49975 50464 50942 51409 51865 52311 52745 53169 53581 53983 54374 54755 55125 55485
55834 56174 56503 56823 57133 57433 57724 58007 58280 58544 58800 59048 59288 59519
59743 59959 60168 60370 60565 60753 60935 61110 61279 61441 61599 61750 61896 62036
62172 62302 62428 62549 62666 62778 62886 62990 63090 63186 63279 63368 63454 63536
63615 63691 63765 63835 63903 63968 64030 64090 64148 64204 64257 64308 64357 64405
64450 64494 64536 64576 64614 64652 64687 64721 64754 64786 64816 64845 64873 64900
64926 64950 64974 64997 65019 65039 65060 65079 65097 65115 65132 65149 65164 65179
65194 65208 65221 65234 65246 65258 65269 65280 65291 65301 65310 65319 65328 65337
65345 65352 65360 65367 65374 65381 65387 65393 65399 65404 65410 65415 65420 65425
65429 65433 65438 65442 65445 65449 65453 65456 65459 65462 65465 65468 65471 65474
65476 65479 65481 65483 65485 65488 65489 65491 65493 65495 65497 65498 65500 65501
65503 65504 65505 65507 65508 65509 65510 65511 65512 65513 65514 65515 65516 65517
65517 65518 65519 65520 65520 65521 65522 65522 65523 65523 65524 65524 65525 65525
65526 65526 65526 65527 65527 65528 65528 65528 65529 65529 65529 65529 65530 65530
65530 65530 65531 65531 65531 65531 65531 65532 65532 65532 65532 65532 65532 65533
65533 65533 65533 65533 65533 65533 65533 65534 65534 65534 65534 65534 65534 65534
65534 65534 65534 65535
"""
SIGMOIDS: Final = np.array(_ENTRIES.split(), np.uint16)
"""sigmoid(i / 24) in units of 2^-16, for i from 0 to 255.  No rounding of the function gives all of
TFLM's entries."""

_NEAR_POWER = np.float32(1e-3)
_STEPS = 512
_FRACTION_BITS = 7
"""Bits of an int16 value below the index of a table of 513 entries."""


def near_power_of_two(scale: float) -> int | None:
    """The exponent of a power of two that TFLM takes the scale for, or None; `CheckedLog2`, whose
    logarithm is float32."""
    per_bit = np.float32(1) / np.float32(math.log(2))
    exponent = np.float32(math.log(np.float32(scale))) * per_bit
    rounded = round(float(exponent))
    return rounded if abs(exponent - np.float32(rounded)) < _NEAR_POWER else None


def interpolated_logistic(distances: Int64Array) -> Int64Array:
    """The sigmoid in units of 2^-15 of numbers in units of 1 / (3 * 2^12); both ends saturate
    within int16."""
    size = np.abs(distances)
    between = _between(size, bits=9)
    found = np.where(size >> 9 >= _LAST, 0x7FFF << 10, between)
    return np.where(distances >= 0, found + 2**9, 2**25 - found + 2**9 - 1) >> 10


def interpolated_tanh(distances: Int64Array) -> Int64Array:
    """The same of the hyperbolic tangent, 2 sigmoid(2 x) - 1."""
    size = np.abs(distances)
    between = _between(size, bits=8)
    found = np.where(size >> 8 >= _LAST, 0xFFFF << 8, between)
    return np.where(distances >= 0, found - 2**23 + 2**7, 2**23 - found + 2**7 - 1) >> 8


def _between(size: Int64Array, *, bits: int) -> Int64Array:
    """The table at a place with so many bits after the point, with as many more bits."""
    table = SIGMOIDS.astype(np.int64)
    place = np.minimum(size >> bits, _LAST - 1)
    low, high = table[place], table[place + 1]
    return np.asarray((low << bits) + (size & (2**bits - 1)) * (high - low), np.int64)


def softmax_tables(*, in_double: bool) -> tuple[Int16Array, Int16Array]:
    """The tables of SOFTMAX of int16: exp from -10 to 0, and 1 / (1 + x) from 0 to 1, with 15 bits
    after the point.  TFLM makes them in float32, LiteRT in double."""
    number, exp = (np.float64, np.exp) if in_double else (np.float32, real_exp)
    return (
        _table_of(exp, number, zero_point=2**15 - 1, width=10.0),
        _table_of(lambda x: 1 / (1 + x), number, zero_point=-(2**15), width=1.0),
    )


def _table_of(function: Any, number: Any, *, zero_point: int, width: float) -> Int16Array:
    """513 entries, as `LUTPopulate` makes them in the type `number`: 65535 steps of the input have
    this `width`, those of the result are 2.

    An entry is moved by half of the error in the middle between it and the next one."""
    unit, result_unit = number(width) / number(65535), number(2) / number(65535)
    least, most = (unit * number(end - zero_point) for end in (-(2**15), 2**15 - 1))
    ends = [result_unit * number(end) for end in (-(2**15), 2**15 - 1)]
    factor = number(2**16) / (ends[1] - ends[0])
    step = (most - least) / number(_STEPS)
    indices = np.arange(_STEPS, dtype=number)
    places = least + indices * step
    entries = _rounded(function(places) * factor)
    following = function(least + (indices + number(1)) * step) * factor
    middle = _rounded((following + entries) / number(2))
    error = middle - _rounded(function(places + step / number(2)) * factor)
    last = _rounded(function(np.array([most], number)) * factor)
    found = np.concatenate([entries - _rounded(error / number(2)), last])
    return np.asarray(np.clip(found, -(2**15), 2**15 - 1), np.int16)


def interpolated(values: Int64Array, table: Int16Array) -> Int64Array:
    """A table of 513 entries at values of int16; `LUTLookup` of TFLM."""
    entries = table.astype(np.int64)
    place = (values >> _FRACTION_BITS) + _STEPS // 2
    rise = (entries[place + 1] - entries[place]) * (values & (2**_FRACTION_BITS - 1))
    return np.asarray(entries[place] + ((rise + 2 ** (_FRACTION_BITS - 1)) >> _FRACTION_BITS))


def _rounded(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """To whole numbers, ties away from zero."""
    return np.asarray(np.copysign(np.floor(np.abs(values) + values.dtype.type(0.5)), values))
