"""What RNN and UNIDIRECTIONAL_SEQUENCE_RNN share: one layer whose last outputs are inputs too.

Sums are in the order of LiteRT: to the bias it adds the products with the input, then those with
the state; of either the sum of four sums, of every fourth product, then the products left over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.arithmetic.real_hyperbolic import real_tanh
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.activated import activation_of
from tinyml_rules.ops._shared.operands import Operands, real
from tinyml_rules.ops._shared.operator import Meaning, Oracle

INPUTS = ("input", "weights", "recurrent weights", "bias", "state")
TANH = 4
"""The number of a fused hyperbolic tangent in the schema."""
_LANES = 4
Float32Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Activated(Variant):
    """Words of the template."""

    expression: str
    """C expression of `sum`, with @ before the name of a piece that it calls."""


_ACTIVATIONS: Mapping[int, tuple[str, str]] = {
    Activation.NONE: ("", "sum"),
    Activation.RELU: ("_relu", "sum > 0.0f ? sum : 0.0f"),
    Activation.RELU_N1_TO_1: ("_relu_n1_to_1", "!(sum > -1.0f) ? -1.0f : sum < 1.0f ? sum : 1.0f"),
    Activation.RELU6: ("_relu6", "!(sum > 0.0f) ? 0.0f : sum < 6.0f ? sum : 6.0f"),
    TANH: ("_tanh", "@real_tanh(sum)"),
}
"""By its number: the end of a kernel's name, and the result of a sum."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    weights is [units][input_count], recurrent [units][units]; the steps are in values, from one
    sequence to the next and from one vector of a sequence to its next.
    """

    weights: Array
    recurrent: Array
    bias: Array
    sequences: Int
    vectors: Int
    input_count: Int
    units: Int
    sequence_step: Int
    vector_step: Int


Layout = tuple[int, int, int, int]
"""Sequences, vectors in each; how many vectors are from one to the next of either."""


def operands_of(rank: int) -> Operands:
    """float32; the state is a variable."""
    matrix = range(2, 3)
    return {
        "input": real(ranks=range(rank, rank + 1)),
        "weights": real(ranks=matrix, is_constant=True),
        "recurrent weights": real(
            is_constant=True, ranks=matrix, shape=lambda view: (_units(view), _units(view))
        ),
        "bias": real(is_constant=True, count=_units),
        "state": real(is_state=True, ranks=matrix),
        "output": real(shape=lambda view: (*view["input"].shape[:-1], _units(view))),
    }


def _units(view: NodeView) -> int:
    return view["weights"].shape[0]


def macs(view: NodeView) -> int:
    """Multiply-accumulates: every weight once a vector."""
    vectors = view["input"].count // max(view["input"].shape[-1:], default=1)
    return vectors * (view["weights"].count + view["recurrent weights"].count)


def check_activation(view: NodeView) -> Iterator[str]:
    """A fused activation that LiteRT has for such layers."""
    activation = activation_of(view)
    if activation not in _ACTIVATIONS:
        expected = ", ".join(f"{each:d}" for each in _ACTIVATIONS)
        yield f"fused activation {activation}, expected one of {expected}"


def meanings(
    name: str, rank: int, oracle: Oracle, layout: Callable[[NodeView], Layout]
) -> tuple[Meaning, ...]:
    """A meaning for each fused activation."""

    def check(view: NodeView) -> Iterator[str]:
        source, weights, state = view["input"], view["weights"], view["state"]
        if source.shape[-1] != weights.shape[1]:
            shape = list(weights.shape)
            yield (
                f"weights tensor {weights} has shape {shape}, expected rows of "
                f"{source.shape[-1]}, as the input's"
            )
        yield from constraints.shaped(state, (layout(view)[0], _units(view)), role="state")

    def prepare(view: NodeView) -> Work:
        return _work(view, layout(view))

    def meaning(activation: int) -> Meaning:
        suffix, expression = _ACTIVATIONS[activation]
        kernel = Kernel(
            name=f"{name}{suffix}",
            template=Path(__file__).parent / "kernels" / "recurrence.c.j2",
            form=Form.WHOLE,
            runtime=("real_tanh",) if activation == TANH else (),
            variant=Activated(expression),
        )
        return Meaning(
            operands=operands_of(rank),
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(kernel,),
            takes=lambda view: activation_of(view) == activation,
        )

    return tuple(map(meaning, _ACTIVATIONS))


def _work(view: NodeView, layout: Layout) -> Work:
    sequences, vectors, sequence_step, vector_step = layout
    weights, recurrent, bias = (
        view[name].data for name in ("weights", "recurrent weights", "bias")
    )
    assert weights is not None and recurrent is not None and bias is not None
    params = Params(
        weights=weights,
        recurrent=recurrent,
        bias=bias.reshape(-1),
        sequences=sequences,
        vectors=vectors,
        input_count=weights.shape[1],
        units=weights.shape[0],
        sequence_step=sequence_step,
        vector_step=vector_step,
    )
    return Work(
        params=params,
        inputs=(view["input"].index, view["state"].index),
        outputs=(view.output.index,),
        macs=macs(view),
    )


def run(
    view: NodeView, values: Mapping[int, Array], vectors: Array
) -> tuple[Float32Array, Float32Array]:
    """Outputs and the last state, in numpy, of vectors [time, sequence, count] of a node one after
    the other."""
    weights, recurrent, bias, last = (
        values[view[name].index].astype(np.float32) for name in INPUTS[1:]
    )
    activation, made = activation_of(view), []
    with np.errstate(all="ignore"):
        for each in vectors.astype(np.float32):
            sums = _with_products(bias.reshape(-1), each, weights)
            last = _activated(_with_products(sums, last, recurrent), activation)
            made.append(last)
    return np.stack(made), last


def _with_products(sums: Float32Array, rows: Float32Array, matrix: Float32Array) -> Float32Array:
    """The sums [n][units] plus the products of every row with every row of a matrix."""
    products = rows[:, None, :] * matrix[None]
    whole = products.shape[-1] // _LANES * _LANES
    lanes = np.zeros((*products.shape[:-1], _LANES), np.float32)
    for start in range(0, whole, _LANES):
        lanes = lanes + products[..., start : start + _LANES]
    found: Float32Array = np.broadcast_to(sums, products.shape[:-1])
    found = found + (((lanes[..., 0] + lanes[..., 1]) + lanes[..., 2]) + lanes[..., 3])
    for place in range(whole, products.shape[-1]):
        found = found + products[..., place]
    return found


def _activated(sums: Float32Array, activation: int) -> Float32Array:
    """NaN becomes the least number of an activation that clamps."""
    bounds: Any = {
        Activation.RELU: (0, np.inf),
        Activation.RELU_N1_TO_1: (-1, 1),
        Activation.RELU6: (0, 6),
    }
    if activation == TANH:
        return real_tanh(sums)
    if activation not in bounds:
        return sums
    low, high = map(np.float32, bounds[activation])
    raised = np.where(sums > low, sums, low)
    return np.where(raised < high, raised, high)
