"""An LSTM of int8 or int16: its constants, and what may be wrong with it.

A gate is two sums, each brought to units of 2^-12 by itself; the functions of gates are TFLM's of
int16, whose results have units of 2^-15.  The scale of the cell is a power of two, so that what is
multiplied with it is only shifted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    INT32_MIN,
    Int64Array,
    of_16_bits,
    quantize_multiplier,
    wrap_int32,
)
from tinyml_rules.arithmetic.interpolated import SIGMOIDS
from tinyml_rules.ir.c_struct import Int, Int8, Int16, Int32, Result, Short
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ops._shared.accumulate import beyond_int32, ends_of_sums
from tinyml_rules.ops._shared.constraints import MAX_FACTOR
from tinyml_rules.ops._shared.operands import Operands, plain, quantized, value_of
from tinyml_rules.ops._weighted.int16x8 import overflow_of_rescaled
from tinyml_rules.ops.unidirectional_sequence_lstm.op import (
    BIASES,
    RECURRENT,
    WEIGHTS,
    attrs_of,
    check_reference,
    is_single,
    layout,
    macs,
    operands_of,
    units_of,
)

_GATE_BITS = 12
_UNIT_BITS = 15
_POWERS = range(-15, 1)
"""Of two: scales of a cell that converters give, and whose products have a shift of 15 or more."""
_MOST_FACTOR = 2.0**7
"""What TFLM multiplies sums of 64 bits with is shifted by at most 7 to the left."""
_MOST_PRODUCT = 2**30 - 1
"""In size, of two numbers of 2^-15."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    weights is [units][4][input_count] and recurrent [units][4][units], until a kernel has another
    order: the rows of a unit's four gates one after the other.  The input's zero point is folded
    into the bias, that of the hidden state into recurrent_bias.  The first four multipliers and
    shifts are for sums over the input, the last four for those over the hidden state; `multiplier`
    and `shift` are for what becomes the hidden state.  A unit of work is a vector of a single
    sequence, or `vectors` of each of several; the steps are in vectors."""

    weights: Array
    recurrent: Array
    bias: Array
    recurrent_bias: Array
    gate_multipliers: Array
    gate_shifts: Array
    sigmoids: Array
    multiplier: Int32
    shift: Int8
    output_zero_point: Int8
    clamp_min: Result
    clamp_max: Result
    update_shift: Int8
    """Beyond 15, of the input gate's product."""
    cell_min: Int16
    cell_max: Int16
    tanh_multiplier: Int16
    tanh_half: Int16
    tanh_shift: Int8
    sequences: Int
    vectors: Int
    input_count: Int
    units: Int
    sequence_step: Int
    vector_step: Int


@dataclass(frozen=True)
class Gates:
    """What kernels ask of a node's sums."""

    bits: int
    """Of the largest sum after its shift to the left."""
    is_wide: bool
    """Whether a sum can leave int32."""


def operands_for(value: DType, bias: DType) -> Operands:
    """Activations and biases of these types."""
    return operands_of(
        value=value_of(value),
        weights=quantized(DType.INT8, is_constant=True, centred=(DType.INT8,)),
        bias=plain(bias, is_constant=True),
        cell=value_of(DType.INT16),
    )


def check(view: NodeView) -> Iterator[str]:
    """Scales that TFLM's arithmetic is for."""
    yield from check_reference(view)
    cell = view["cell state"]
    if math.frexp(cell.scale)[0] != 1 / 2 or _power(cell) not in _POWERS:
        yield (
            f"cell state tensor {cell} has scale {cell.scale:g}, expected a power of two from "
            f"2^{_POWERS[0]} to 2^{_POWERS[-1]}"
        )
    for sources, name in ((WEIGHTS, "input"), (RECURRENT, "hidden state")):
        for weights in sources:
            factor = view[name].scale * view[weights].scale * 2.0**_GATE_BITS
            most = _MOST_FACTOR if view["input"].dtype is DType.INT16 else MAX_FACTOR
            if factor >= most:
                yield (
                    f"{weights} tensor {view[weights]} has scale {view[weights].scale:g}, too large"
                    f" for the {name}'s {view[name].scale:g}: sums are multiplied with {factor:g}, "
                    f"expected less than {most:g}"
                )


def _power(cell: Tensor) -> int:
    return math.frexp(cell.scale)[1] - 1


def _side_by_side(view: NodeView, names: tuple[str, ...]) -> Int64Array:
    """The rows, or the values, of four gates, unit by unit."""
    data = [view[name].data for name in names]
    assert all(each is not None for each in data)
    stacked = np.stack([np.asarray(each, np.int64) for each in data], axis=1)
    return stacked.reshape(4 * units_of(view), *stacked.shape[2:])


@dataclass(frozen=True, eq=False)
class _Sums:
    """The sums of all gates over one of the two inputs."""

    matrix: Int64Array
    bias: Int64Array
    limits: tuple[int, int]
    multipliers: Int64Array
    shifts: Int64Array

    @property
    def ends(self) -> tuple[Int64Array, Int64Array]:
        """The least and the greatest of each."""
        return ends_of_sums(self.matrix, self.bias, self.limits)

    @property
    def bits(self) -> int:
        """Of the largest after its shift to the left."""
        least, most = self.ends
        largest = np.maximum(most, -least) << np.tile(np.maximum(self.shifts, 0), units(self))
        return int(largest.max()).bit_length()


def units(sums: _Sums) -> int:
    """Of the layer."""
    return len(sums.matrix) // len(WEIGHTS)


def _sums(view: NodeView, source: Tensor, names: tuple[str, ...], bias: Int64Array) -> _Sums:
    matrix = _side_by_side(view, names)
    scales = [source.scale * view[name].scale / 2.0**-_GATE_BITS for name in names]
    pairs = np.array([quantize_multiplier(scale) for scale in scales], np.int64)
    folded = bias - source.zero_point * matrix.sum(axis=1)
    return _Sums(matrix, folded, source.dtype.limits, pairs[:, 0], pairs[:, 1])


def _both(view: NodeView) -> tuple[_Sums, _Sums]:
    bias = _side_by_side(view, BIASES)
    return (
        _sums(view, view["input"], WEIGHTS, bias),
        _sums(view, view["hidden state"], RECURRENT, np.zeros_like(bias)),
    )


def prepare(view: NodeView) -> Work[Gates]:
    """One vector after the other of a single sequence, or all of several at once."""
    both = _both(view)
    is_int16 = view["input"].dtype is DType.INT16
    states = (view["hidden state"].index, view["cell state"].index)
    ends = [end for each in both for end in each.ends]
    is_wide = min(end.min() for end in ends) < INT32_MIN or max(e.max() for e in ends) > INT32_MAX
    params = _params(view, both, is_wide=is_int16 and bool(is_wide))
    return Work(
        params=params,
        facts=Gates(bits=max(each.bits for each in both), is_wide=is_int16 and bool(is_wide)),
        inputs=(view["input"].index, *states),
        kept=states,
        units=layout(view)[1] if is_single(view) else 1,
        outputs=(view.output.index,),
        macs=macs(view),
        overflow=next(filter(None, (_overflow(each, is_int16=is_int16) for each in both)), ""),
        requantization=None if is_int16 else Requantization.of(params, _MOST_PRODUCT),
    )


def _overflow(sums: _Sums, *, is_int16: bool) -> str:
    every = [np.tile(each, units(sums)) for each in (sums.multipliers, sums.shifts)]
    if is_int16:
        return overflow_of_rescaled(*sums.ends, of_16_bits(every[0]), every[1])
    return beyond_int32(*sums.ends, *every, zero_point=0)


def _params(view: NodeView, both: tuple[_Sums, _Sums], *, is_wide: bool) -> Params:
    hidden, cell = view["hidden state"], view["cell state"]
    sequences, vectors, sequence_step, vector_step = layout(view)
    first, second = both
    least, most = map(Short if hidden.dtype is DType.INT16 else int, hidden.dtype.limits)
    multipliers = np.concatenate([first.multipliers, second.multipliers])
    multiplier, shift = quantize_multiplier(2.0**-_UNIT_BITS * 2.0**-_UNIT_BITS / hidden.scale)
    tanh_multiplier, tanh_shift = _to_tanh(_power(cell))
    cell_min, cell_max = _clip(attrs_of(view).cell_clip, cell.scale)
    return Params(
        weights=first.matrix.astype(np.int8),
        recurrent=second.matrix.astype(np.int8),
        bias=first.bias if is_wide else wrap_int32(first.bias).astype(np.int32),
        recurrent_bias=second.bias if is_wide else wrap_int32(second.bias).astype(np.int32),
        gate_multipliers=(
            of_16_bits(multipliers).astype(np.int16)
            if hidden.dtype is DType.INT16
            else multipliers.astype(np.int32)
        ),
        gate_shifts=np.concatenate([first.shifts, second.shifts]).astype(np.int8),
        sigmoids=SIGMOIDS,
        multiplier=multiplier,
        shift=shift,
        output_zero_point=hidden.zero_point,
        clamp_min=least,
        clamp_max=most,
        update_shift=_UNIT_BITS + _power(cell),
        cell_min=cell_min,
        cell_max=cell_max,
        tanh_multiplier=tanh_multiplier,
        tanh_half=1 << (tanh_shift - 1) if tanh_shift else 0,
        tanh_shift=tanh_shift,
        sequences=sequences,
        vectors=1 if is_single(view) else vectors,
        input_count=view["input"].shape[-1],
        units=units_of(view),
        sequence_step=sequence_step,
        vector_step=vector_step,
    )


def _to_tanh(power: int) -> tuple[int, int]:
    """(multiplier, shift to the right) from a cell's units to 1 / (3 * 2^12), the table's."""
    above = power + _GATE_BITS
    return (3 << above, 0) if above >= 0 else (3, -above)


def _clip(clip: float, scale: float) -> tuple[int, int]:
    """The ends of a cell's values, cut off as TFLM converts them."""
    low, high = DType.INT16.limits
    if clip <= 0:
        return low, high
    most = int(min(max(clip / scale, low), high))
    return -most, most
