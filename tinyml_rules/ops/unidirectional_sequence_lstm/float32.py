"""An LSTM of real numbers: its constants, and the same in numpy, by the sums of TFLM's reference
kernels.  A gate's products with the input are added in order, then the bias; to that the sum of
those with the hidden state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.real_hyperbolic import real_tanh
from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.operands import real
from tinyml_rules.ops._shared.products import sums_of_products
from tinyml_rules.ops._shared.real_maps import real_logistic
from tinyml_rules.ops.unidirectional_sequence_lstm.op import (
    BIASES,
    GATES,
    RECURRENT,
    WEIGHTS,
    Attrs,
    attrs_of,
    is_single,
    layout,
    macs,
    operands_of,
    units_of,
)
from tinyml_rules.ops.unidirectional_sequence_lstm.oracle import Numbers, in_steps

_MOST = np.finfo(np.float32).max
_CONSTANT = real(is_constant=True)
OPERANDS = operands_of(value=real(), weights=_CONSTANT, bias=_CONSTANT, cell=real())


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; weights is [units][4][input_count], recurrent [units][4][units]."""

    weights: Array
    recurrent: Array
    bias: Array
    clip: Float32
    """The largest size of a cell's value; 0 for any."""
    sequences: Int
    vectors: Int
    input_count: Int
    units: Int
    sequence_step: Int
    vector_step: Int


def takes(view: NodeView) -> bool:
    """Whether the input is float32."""
    return view["input"].dtype is DType.FLOAT32


def _side_by_side(view: NodeView, names: tuple[str, ...]) -> Array:
    """Unit by unit, the rows or the values of its four gates."""
    data = [view[name].data for name in names]
    stacked = np.stack([np.asarray(each, np.float32) for each in data], axis=1)
    return stacked.reshape(len(names) * units_of(view), *stacked.shape[2:])


def prepare(view: NodeView) -> Work:
    """One vector after the other of a single sequence, or all of several at once."""
    sequences, vectors, sequence_step, vector_step = layout(view)
    states = (view["hidden state"].index, view["cell state"].index)
    params = Params(
        weights=_side_by_side(view, WEIGHTS),
        recurrent=_side_by_side(view, RECURRENT),
        bias=_side_by_side(view, BIASES).reshape(-1),
        clip=attrs_of(view).cell_clip,
        sequences=sequences,
        vectors=1 if is_single(view) else vectors,
        input_count=view["input"].shape[-1],
        units=units_of(view),
        sequence_step=sequence_step,
        vector_step=vector_step,
    )
    return Work(
        params=params,
        inputs=(view["input"].index, *states),
        kept=states,
        units=layout(view)[1] if is_single(view) else 1,
        outputs=(view.output.index,),
        macs=macs(view),
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """The output, and both new states."""
    with np.errstate(all="ignore"):
        return in_steps(view, values, partial(_step, view, values))


def cells(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Every value of the cell on the way, [time, sequence, units]."""
    found = []

    def step(vectors: Numbers, hidden: Numbers, cell: Numbers) -> tuple[Numbers, Numbers]:
        hidden, cell = _step(view, values, vectors, hidden, cell)
        found.append(cell)
        return hidden, cell

    with np.errstate(all="ignore"):
        in_steps(view, values, step)
    return np.stack(found)


def _step(
    view: NodeView, values: Mapping[int, Array], vectors: Numbers, hidden: Numbers, cell: Numbers
) -> tuple[Numbers, Numbers]:
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    clip = np.float32(attrs.cell_clip)
    into, forget, fresh, out = (_gate(view, values, name, vectors, hidden) for name in GATES)
    cell = real_logistic(forget) * cell + real_logistic(into) * real_tanh(fresh)
    if clip > 0:
        cell = np.maximum(np.minimum(clip, cell), -clip)
    return real_tanh(cell) * real_logistic(out), cell


def _gate(
    view: NodeView, values: Mapping[int, Array], name: str, vectors: Numbers, hidden: Numbers
) -> npt.NDArray[np.float32]:
    weights, bias, recurrent = (
        values[view[f"{name} {of}"].index] for of in ("weights", "bias", "recurrent weights")
    )
    own = sums_of_products(vectors, weights) + bias.reshape(-1)
    other = sums_of_products(hidden, recurrent)
    return np.asarray(np.clip(own, -_MOST, _MOST) + np.clip(other, -_MOST, _MOST), np.float32)
