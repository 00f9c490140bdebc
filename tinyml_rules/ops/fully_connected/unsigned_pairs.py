"""FULLY_CONNECTED of two outputs at a time, on 8-bit AVR: when that pays, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.cores.avr.sizes import FULLY_CONNECTED_PAIRS as SIZES
from tinyml_rules.ir.c_struct import Int, Int8, UInt8
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    outputs_from,
    outputs_up_to,
    values_up_to,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.positive_records import POSITIVE, are_shifted
from tinyml_rules.ops._shared.signed_records import SIGNED
from tinyml_rules.ops._shared.unsigned_pairs import (
    MOST_CHANNELS,
    POSITIVES,
    SIGNS,
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


def _pack(work: Work[Sums]) -> Packed:
    packed, shifting = _packed(work.facts, POSITIVES), None
    if are_shifted(work.facts):
        shifting = replace(packed, weights=in_pairs_of_records(work.facts, is_shift=True))
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


_PLAIN = (BYTES, values_up_to(SIZES.most_inputs), outputs_up_to(MOST_CHANNELS))

KERNEL = Kernel(
    name="fully_connected_unsigned_pairs",
    template=Path(__file__).parent / "kernels" / "unsigned_pairs.c.j2",
    form=Form.POINTWISE,
    requires=frozenset((Feature.AVR,)),
    can=(*_PLAIN, POSITIVE),
    pays=(outputs_from(SIZES.least_outputs),),
    runtime=("channel_pairs", "widen_unsigned"),
    has_far_form=True,
    variant=POSITIVES,
    pack=_pack,
)
SIGNED_KERNEL = replace(
    KERNEL,
    name="fully_connected_unsigned_pairs_signed",
    can=(*_PLAIN, SIGNED),
    runtime=(SIGNS.piece("channel_pairs"), "widen_unsigned"),
    variant=SIGNS,
    is_for_speed=True,
    pack=lambda work: Packed(_packed(work.facts, SIGNS), has_own_rounding=True),
)
