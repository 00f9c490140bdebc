"""UNIDIRECTIONAL_SEQUENCE_RNN: a layer of float32 whose last outputs are inputs too, a sequence a
call; LiteRT's alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.operator import Op, Role
from tinyml_rules.ops._shared.recurrence import (
    INPUTS,
    Layout,
    check_activation,
    macs,
    meanings,
    run,
)


@dataclass(frozen=True)
class Attrs:
    """SequenceRNNOptions."""

    is_time_major: bool = option(0, "bool", default=False)
    activation: int = option(1, "int8")


def _attrs(view: NodeView) -> Attrs:
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs


def _layout(view: NodeView) -> Layout:
    """[time, sequence, count], or [sequence, time, count]."""
    first, second, _ = view["input"].shape
    if _attrs(view).is_time_major:
        return second, first, 1, second
    return first, second, second, 1


def check_options(view: NodeView) -> Iterator[str]:
    """The fused activation."""
    yield from check_activation(_attrs(view).activation)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """The output, and the state."""
    source, weights, recurrent, bias, state = (values[view[name].index] for name in INPUTS)
    attrs, matrices = view.node.attrs, (weights, recurrent, bias)
    assert isinstance(attrs, Attrs)
    vectors = source if attrs.is_time_major else np.swapaxes(source, 0, 1)
    made, last = run(vectors, state, matrices, attrs.activation)
    return made if attrs.is_time_major else np.swapaxes(made, 0, 1), last


OP = Op(
    name="unidirectional_sequence_rnn",
    builtin_code=35,
    options_type=31,
    attrs=Attrs,
    inputs=INPUTS,
    options=check_options,
    summary="float32, constant weights; fused activation, TANH too; either order of time and batch",
    role=Role.EFFECT,
    macs=macs,
    meanings=meanings("unidirectional_sequence_rnn", 3, oracle, _layout),
)
