"""FULLY_CONNECTED with weights outside flash: its constants as one record an output."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.c_struct import Int, Int8, Int32, UInt32
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ops._shared.records import records


@dataclass(frozen=True)
class PagedParams:
    """Members of the C struct.  A record is the output's bias and its weights; where weights are
    quantized per axis, multiplier and shift follow the bias instead of being members."""

    weights: UInt32
    input_channels: Int
    output_channels: Int
    record_bytes: UInt32
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


@dataclass(frozen=True)
class PerTensorPagedParams(PagedParams):
    """The same for weights with one scale."""

    multiplier: Int32
    shift: Int8


def pack(work: Work[Sums]) -> Packed:
    """The records of a prepared node, and the struct that describes them.

    Weights of four bits are bytes here: it is flash that they save."""
    sums = work.facts
    if sums.scale is Scale.EACH:
        data = records(sums.bias, sums.multipliers, sums.shifts, sums.matrix)
        return Packed(PagedParams(**_members(sums, data)), data)
    data, (multiplier, shift) = records(sums.bias, sums.matrix), sums.requantization.single
    members = _members(sums, data)
    return Packed(PerTensorPagedParams(**members, multiplier=multiplier, shift=shift), data)


def _members(sums: Sums, data: bytes) -> dict[str, int]:
    found = sums.requantization
    return {
        "weights": 0,
        "input_channels": sums.values,
        "output_channels": sums.outputs,
        "record_bytes": len(data) // sums.outputs,
        "output_zero_point": found.output_zero_point,
        "clamp_min": found.clamp_min,
        "clamp_max": found.clamp_max,
    }
