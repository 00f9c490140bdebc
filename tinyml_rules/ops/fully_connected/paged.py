"""FULLY_CONNECTED with weights outside flash: its constants as one record an output."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tinyml_rules.arithmetic.nibbles import from_nibbles
from tinyml_rules.ir.c_struct import Int, Int8, Int32, UInt32
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.records import records
from tinyml_rules.ops.fully_connected.op import Params


@dataclass(frozen=True)
class PagedParams:
    """Members of the C struct.  A record is the output's bias and its weights; where weights are
    quantized per axis, multiplier and shift follow the bias instead of being members."""

    weights: UInt32
    input_count: Int
    output_count: Int
    record_bytes: UInt32
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


@dataclass(frozen=True)
class PerTensorPagedParams(PagedParams):
    """The same for weights with one scale."""

    multiplier: Int32
    shift: Int8


def pack(work: Work) -> Packed:
    """The records of a prepared node, and the struct that describes them.

    Weights of four bits are bytes here: it is flash that they save."""
    params = work.params
    assert isinstance(params, Params)
    if params.has_nibbles:
        params = replace(params, weights=from_nibbles(params.weights, params.input_count))
    multiplier, shift = params.multiplier, params.shift
    if isinstance(multiplier, int):
        assert isinstance(shift, int)
        data = records(params.bias, params.weights)
        members = _members(params, data)
        return Packed(PerTensorPagedParams(**members, multiplier=multiplier, shift=shift), data)
    assert not isinstance(shift, int)
    data = records(params.bias, multiplier, shift, params.weights)
    return Packed(PagedParams(**_members(params, data)), data)


def _members(params: Params, data: bytes) -> dict[str, int]:
    return {
        "weights": 0,
        "input_count": params.input_count,
        "output_count": params.output_count,
        "record_bytes": len(data) // params.output_count,
        "output_zero_point": params.output_zero_point,
        "clamp_min": params.clamp_min,
        "clamp_max": params.clamp_max,
    }
