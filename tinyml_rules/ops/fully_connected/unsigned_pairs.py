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
from tinyml_rules.ops._shared.positive_records import are_positive, are_shifted
from tinyml_rules.ops._shared.unsigned_pairs import MOST_CHANNELS, in_pairs_of_records, twos_of
from tinyml_rules.ops.fully_connected.op import Params


@dataclass(frozen=True, eq=False)
class RecordParams:
    """Members of the C struct; `weights` are records of two outputs, `twos` how many two input
    values there are, `limit` how far the upper clamp is above the zero point."""

    weights: Array
    input_count: Int
    output_count: Int
    output_zero_point: Int8
    twos: UInt8
    limit: UInt8


def _takes(params: object) -> bool:
    return (
        isinstance(params, Params)
        and not params.has_nibbles
        and params.input_count <= SIZES.most_inputs
        and SIZES.least_outputs <= params.output_count <= MOST_CHANNELS
        and are_positive(params, axis=0)
    )


def _pack(work: Work) -> Packed:
    params = work.params
    assert isinstance(params, Params)
    packed = RecordParams(
        weights=in_pairs_of_records(params),
        input_count=params.input_count,
        output_count=params.output_count,
        output_zero_point=params.output_zero_point,
        twos=twos_of(params.weights),
        limit=params.clamp_max - params.output_zero_point,
    )
    shifting = None
    if are_shifted(params, axis=0):
        shifting = replace(packed, weights=in_pairs_of_records(params, is_shift=True))
    return Packed(packed, has_own_rounding=True, shifting=shifting)


KERNEL = Kernel(
    name="fully_connected_unsigned_pairs",
    template=Path(__file__).parent / "kernels" / "unsigned_pairs.c.j2",
    form=Form.POINTWISE,
    requires=frozenset((Feature.AVR,)),
    when=_takes,
    runtime=("channel_pairs", "widen_unsigned"),
    has_far_form=True,
    pack=_pack,
)
