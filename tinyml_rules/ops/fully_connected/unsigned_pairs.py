"""FULLY_CONNECTED of two outputs at a time, on 8-bit AVR: when that pays, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.cores.avr.sizes import FULLY_CONNECTED_PAIRS as SIZES
from tinyml_rules.ir.c_struct import Int, Int8, UInt8
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    outputs_from,
    outputs_up_to,
    values_up_to,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.positive_records import are_shifted
from tinyml_rules.ops._shared.unsigned_pairs import (
    ALL,
    MOST_CHANNELS,
    Records,
    in_pairs_of_records,
    twos_of,
)


@dataclass(frozen=True, eq=False)
class RecordParams:
    """Members of the C struct; `weights` are records of two outputs, `twos` how many two input
    values there are, `limit` how far the upper clamp is above the zero point."""

    weights: Array
    input_channels: Int
    output_channels: Int
    output_zero_point: Int8
    twos: UInt8
    limit: UInt8


def _pack(work: Work[Sums], records: Records) -> Packed:
    packed, shifting = _packed(work.facts, records), None
    if are_shifted(work.facts) and not records.is_signed:
        weights = in_pairs_of_records(work.facts, records, is_shift=True)
        shifting = replace(packed, weights=weights)
    return Packed(packed, has_own_rounding=True, shifting=shifting)


def _packed(sums: Sums, records: Records) -> RecordParams:
    found = sums.requantization
    return RecordParams(
        weights=in_pairs_of_records(sums, records),
        input_channels=sums.values,
        output_channels=sums.outputs,
        output_zero_point=found.output_zero_point,
        twos=twos_of(sums.values),
        limit=found.clamp_max - found.output_zero_point,
    )


def _kernel(records: Records) -> Kernel[Sums]:
    """The kernel for such records; of both signs it is larger than what it replaces."""
    return Kernel(
        name=f"fully_connected_unsigned_pairs{records.records}",
        template=Path(__file__).parent / "kernels" / "unsigned_pairs.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((Feature.AVR,)),
        can=(values_up_to(SIZES.most_inputs), outputs_up_to(MOST_CHANNELS), *records.asks),
        pays=(outputs_from(SIZES.least_outputs),),
        runtime=(records.piece("channel_pairs"), "widen_unsigned"),
        has_far_form=True,
        variant=records,
        is_for_speed=records.is_signed,
        pack=partial(_pack, records=records),
    )


KERNELS = tuple(map(_kernel, ALL))
