"""UNIDIRECTIONAL_SEQUENCE_RNN: a layer of float32 whose last outputs are inputs too, a sequence a
call; LiteRT's alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.activated import ActivationAttrs
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
class Attrs(ActivationAttrs):
    """SequenceRNNOptions."""

    activation: int = option(1, "int8")
    is_time_major: bool = option(0, "bool", default=False)


def _layout(view: NodeView) -> Layout:
    """[time, sequence, count], or [sequence, time, count]."""
    attrs, (first, second, _) = view.node.attrs, view["input"].shape
    assert isinstance(attrs, Attrs)
    if attrs.is_time_major:
        return second, first, 1, second
    return first, second, second, 1


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """The output, and the state."""
    source, attrs = values[view["input"].index], view.node.attrs
    assert isinstance(attrs, Attrs)
    made, last = run(view, values, source if attrs.is_time_major else np.swapaxes(source, 0, 1))
    return made if attrs.is_time_major else np.swapaxes(made, 0, 1), last


OP = Op(
    name="unidirectional_sequence_rnn",
    builtin_code=35,
    options_type=31,
    attrs=Attrs,
    inputs=INPUTS,
    options=check_activation,
    summary="float32, constant weights; fused activation, TANH too; either order of time and batch",
    role=Role.EFFECT,
    macs=macs,
    meanings=meanings("unidirectional_sequence_rnn", 3, oracle, _layout),
)
