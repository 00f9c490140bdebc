"""RNN: a layer of float32 whose last outputs are inputs too, one vector a call; LiteRT's alone."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.ir.graph import Array, NodeView
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


def _layout(view: NodeView) -> Layout:
    """Sequences of one vector."""
    return view["input"].shape[0], 1, 1, 0


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """The output, and the state."""
    made, last = run(view, values, values[view["input"].index][None])
    return made[0], last


OP = Op(
    name="rnn",
    builtin_code=24,
    options_type=7,
    attrs=ActivationAttrs,
    inputs=INPUTS,
    options=check_activation,
    summary="float32, constant weights; fused activation, TANH too",
    role=Role.EFFECT,
    macs=macs,
    meanings=meanings("rnn", 2, oracle, _layout),
)
