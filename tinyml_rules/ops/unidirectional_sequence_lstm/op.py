"""UNIDIRECTIONAL_SEQUENCE_LSTM: options, operands, and what may be wrong with a node of any
type."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.operands import Operand, Operands
from tinyml_rules.ops._shared.recurrence import TANH, Layout

GATES = ("input gate", "forget gate", "cell gate", "output gate")
"""In the order of the file."""
WEIGHTS = tuple(f"{gate} weights" for gate in GATES)
RECURRENT = tuple(f"{gate} recurrent weights" for gate in GATES)
BIASES = tuple(f"{gate} bias" for gate in GATES)
_PEEPHOLE = tuple(f"{gate} peephole weights" for gate in GATES if gate != "cell gate")
_PROJECTION = ("projection weights", "projection bias")
_NORMALIZATION = tuple(f"{gate} layer normalization" for gate in GATES)
_REFUSED = {
    **dict.fromkeys(_PEEPHOLE, "peephole connections"),
    **dict.fromkeys(_PROJECTION, "a projection"),
    **dict.fromkeys(_NORMALIZATION, "layer normalization"),
}
"""Operands that TFLM does not take either, and what they are for."""
INPUTS = (
    *("input", *WEIGHTS, *RECURRENT),
    *(f"{name}?" for name in _PEEPHOLE),
    *BIASES,
    *(f"{name}?" for name in _PROJECTION),
    *("hidden state", "cell state"),
    *(f"{name}?" for name in _NORMALIZATION),
)
_MATRIX = range(2, 3)
_SEQUENCES = range(3, 4)


@dataclass(frozen=True)
class Attrs:
    """UnidirectionalSequenceLSTMOptions; the clip of a projection has no effect without one."""

    activation: int = option(0, "int8")
    cell_clip: float = option(1, "float32")
    proj_clip: float = option(2, "float32")
    is_time_major: bool = option(3, "bool", default=False)


def attrs_of(view: NodeView) -> Attrs:
    """The options of a node."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs


def units_of(view: NodeView) -> int:
    """Values of the state of a sequence."""
    return view[WEIGHTS[0]].shape[0]


def layout(view: NodeView) -> Layout:
    """Of [time, sequence, count], or [sequence, time, count]."""
    first, second, _ = view["input"].shape
    if attrs_of(view).is_time_major:
        return second, first, 1, second
    return first, second, second, 1


def is_single(view: NodeView) -> bool:
    """Whether there is one sequence, whose vectors can come one by one."""
    return layout(view)[0] == 1


def macs(view: NodeView) -> int:
    """Multiply-accumulates: every weight once a vector."""
    source = view["input"]
    vectors = source.count // max(source.shape[-1:], default=1)
    return vectors * sum(view[name].count for name in (*WEIGHTS, *RECURRENT))


def operands_of(*, value: Operand, weights: Operand, bias: Operand, cell: Operand) -> Operands:
    """Rules of types and scales, and the shapes that follow from the input and the first matrix;
    states have any shape with enough values, as in TFLM."""
    state = _with(value, is_state=True)
    return {
        "input": _with(value, ranks=_SEQUENCES),
        **dict.fromkeys(WEIGHTS, _with(weights, ranks=_MATRIX, shape=_weights_shape)),
        **dict.fromkeys(RECURRENT, _with(weights, shape=_recurrent_shape)),
        **dict.fromkeys(BIASES, _with(bias, count=units_of)),
        "hidden state": _with(state, count=_kept),
        "cell state": _with(cell, is_state=True, count=_kept),
        "output": _with(value, scale_of="hidden state", shape=_output_shape),
    }


def _with(rule: Operand, **more: Any) -> Operand:
    return replace(rule, **more)


def _weights_shape(view: NodeView) -> tuple[int, int]:
    return units_of(view), view["input"].shape[-1]


def _recurrent_shape(view: NodeView) -> tuple[int, int]:
    return units_of(view), units_of(view)


def _output_shape(view: NodeView) -> tuple[int, ...]:
    return (*view["input"].shape[:-1], units_of(view))


def _kept(view: NodeView) -> int:
    return layout(view)[0] * units_of(view)


def check_options(view: NodeView) -> Iterator[str]:
    """As many operands as TFLM takes, none of those that it does not; tanh, and a clip that is
    one."""
    attrs, count = attrs_of(view), len(view.node.inputs)
    if count != len(INPUTS):
        yield f"{count} inputs, expected {len(INPUTS)}, of which those that are not used are -1"
    for name, purpose in _REFUSED.items():
        tensor = view.optional(name)
        if tensor is not None:
            yield f"{name} tensor {tensor} is for {purpose}, which is not supported"
    if attrs.activation != TANH:
        yield f"fused activation {attrs.activation}, expected {TANH} (TANH)"
    if not 0 <= attrs.cell_clip < math.inf:
        yield f"cell_clip {attrs.cell_clip:g}, expected 0 for none or a number above"


def check_reference(view: NodeView) -> Iterator[str]:
    """TFLM's integers, which are not LiteRT's."""
    if view.reference is RoundingReference.LITERT:
        source = view["input"]
        yield (
            f"input tensor {source} is {source.dtype} in an LSTM, supported only with rounding=tflm"
        )
