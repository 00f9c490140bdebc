"""FULLY_CONNECTED of four outputs at a time, on 8-bit AVR: where one multiplier is for all of them.

Where no result is below the zero point, it is floor((sum * b + c) / 2^32) with b = multiplier *
2^(1 - shift), rounded, and a c that is found by trying all sums; where there is none, another
kernel is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MIN, multiply_by_quantized_multiplier
from tinyml_rules.cores.avr.order import FOUR, OFFSET, TWO, in_fours
from tinyml_rules.cores.avr.sizes import FULLY_CONNECTED_FOURS as SIZES
from tinyml_rules.ir.c_struct import Int8, UInt8
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    Ask,
    of_scale,
    outputs_from,
    outputs_up_to,
    values_up_to,
)
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ops._shared.positive_records import (
    POSITIVE,
    Bytes,
    are_shifted,
    bias_bytes,
    fits_records,
    in_bytes,
    powers_of_shifts,
)
from tinyml_rules.ops._shared.unsigned_pairs import MOST_CHANNELS, POSITIVES, SIGNS, Records

_SHIFTS = range(1, 8)
"""To the right.  With more, sums of 16 bits do not reach the end of int8."""
_MOST_RESULT = 255
_UNIT = 2**32
_ROUNDS_UNIT = 2**16
_MOST_ROUNDS = 0xFD00
"""Two carries are added to its upper byte."""


@dataclass(frozen=True, eq=False)
class RecordParams:
    """Members of the C struct; `weights` are the multiplier, what rounds, and records of four
    outputs, `limit` is how far the upper clamp is above the zero point."""

    weights: Array
    input_channels: UInt8
    output_channels: UInt8
    output_zero_point: Int8
    limit: UInt8


@lru_cache(maxsize=256)
def one_rounding(multiplier: int, shift: int, *, is_signed: bool = False) -> tuple[int, int] | None:
    """b, and c in units of 2^16, which give TFLM's result of every sum of 16 bits, or one as far
    beyond int8, and where it `is_signed` the size of that of every negated sum; None where there
    are none.  `shift` is to the right."""
    factor = (2 * multiplier + (1 << shift - 1)) >> shift
    sums = np.arange(2**16, dtype=np.int64)
    products = sums * factor - (sums & 0xFF) * (factor & 0xFF)
    least, end = 0, _UNIT
    for sign in (1, -1) if is_signed else (1,):
        exact = sign * multiply_by_quantized_multiplier(sign * sums, multiplier, -shift)
        results = np.minimum(exact, _MOST_RESULT)
        least = max(least, int((results * _UNIT - products).max()))
        inside = results < _MOST_RESULT
        end = min(end, int(((results + 1) * _UNIT - products)[inside].min()))
    rounds = -(-least // _ROUNDS_UNIT)
    if rounds * _ROUNDS_UNIT >= end or rounds > _MOST_ROUNDS:
        return None
    return factor, rounds


def _rounding_of(sums: Sums, records: Records) -> tuple[int, int] | None:
    multiplier, shift = sums.requantization.single
    if -shift not in _SHIFTS:
        return None
    return one_rounding(multiplier, -shift, is_signed=records is SIGNS)


def _is_exact(sums: Sums) -> bool:
    return _rounding_of(sums, POSITIVES) is not None


def _is_exact_of_both_signs(sums: Sums) -> bool:
    is_whole = sums.requantization.clamp_min == INT8_MIN
    return is_whole and fits_records(sums) and _rounding_of(sums, SIGNS) is not None


def _pays(sums: Sums) -> bool:
    """What fours save outweighs the sums that they make in vain and pairs do not."""
    inputs, outputs = sums.values, sums.outputs
    if outputs < SIZES.many_outputs and inputs > SIZES.few_inputs:
        return False
    in_vain = -(-outputs // FOUR) * FOUR - -(-outputs // TWO) * TWO
    return inputs * in_vain <= SIZES.inputs_an_output * outputs


def _in_fours(sums: Sums, records: Records = POSITIVES, *, is_shift: bool = False) -> Bytes:
    """Four bytes of b, two of c, or the power of a shift alone, then the biases and the weights,
    input after input, of each four outputs; the last are padded with what gives nothing."""
    weights, shift = sums.matrix.astype(np.int64), sums.requantization.shift
    missing = -len(weights) % FOUR
    bias = sums.bias.astype(np.int64) - OFFSET * weights.sum(axis=1)
    biases = bias_bytes(bias, shift, is_shift=is_shift)
    biases = np.pad(biases, ((0, missing), (0, 0))).reshape(-1, 3 * FOUR)
    fours = np.hstack([biases, in_fours(weights)])
    return np.concatenate([_rounding(sums, records, is_shift=is_shift), fours.reshape(-1)])


def _rounding(sums: Sums, records: Records, *, is_shift: bool) -> Bytes:
    """What the records begin with."""
    if is_shift:
        _, shift = sums.requantization.single
        return in_bytes(np.atleast_1d(powers_of_shifts(shift)), 1).reshape(-1)
    rounding = _rounding_of(sums, records)
    assert rounding is not None
    factor, rounds = (np.array([value], np.int64) for value in rounding)
    return np.concatenate([in_bytes(factor, 4), in_bytes(rounds, 2)], axis=1).reshape(-1)


def _pack(work: Work[Sums]) -> Packed:
    sums, shifting = work.facts, None
    packed = _packed(sums, POSITIVES)
    if are_shifted(sums):
        shifting = replace(packed, weights=_in_fours(sums, is_shift=True))
    return Packed(packed, has_own_rounding=True, shifting=shifting)


def _packed(sums: Sums, records: Records) -> RecordParams:
    found = sums.requantization
    return RecordParams(
        weights=_in_fours(sums, records),
        input_channels=sums.values,
        output_channels=sums.outputs,
        output_zero_point=found.output_zero_point,
        limit=found.clamp_max - found.output_zero_point,
    )


_PLAIN = (
    BYTES,
    of_scale(Scale.ONE),
    values_up_to(SIZES.most_inputs),
    outputs_up_to(MOST_CHANNELS),
)
_INEXACT = "no single rounding gives the results of this multiplier and shift"

KERNEL = Kernel(
    name="fully_connected_unsigned_fours",
    template=Path(__file__).parent / "kernels" / "unsigned_fours.c.j2",
    form=Form.POINTWISE,
    requires=frozenset((Feature.AVR,)),
    can=(*_PLAIN, POSITIVE, Ask(_is_exact, _INEXACT)),
    pays=(
        outputs_from(SIZES.least_outputs),
        Ask(_pays, "too many sums would be made in vain"),
    ),
    runtime=("channel_fours", "widen_unsigned"),
    has_far_form=True,
    variant=POSITIVES,
    pack=_pack,
)
SIGNED_KERNEL = replace(
    KERNEL,
    name="fully_connected_unsigned_fours_signed",
    can=(*_PLAIN, Ask(_is_exact_of_both_signs, _INEXACT)),
    runtime=(SIGNS.piece("channel_fours"), "widen_unsigned"),
    variant=SIGNS,
    is_for_speed=True,
    pack=lambda work: Packed(_packed(work.facts, SIGNS), has_own_rounding=True),
)
