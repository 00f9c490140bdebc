"""RNN: a layer of float32 whose last outputs are inputs too, one vector a call; LiteRT's alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
    activation: int = option(0, "int8")


def _layout(view: NodeView) -> Layout:
    """Sequences of one vector."""
    return view["input"].shape[0], 1, 1, 0


def check_options(view: NodeView) -> Iterator[str]:
    """The fused activation."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    yield from check_activation(attrs.activation)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """The output, and the state."""
    source, weights, recurrent, bias, state = (values[view[name].index] for name in INPUTS)
    attrs, matrices = view.node.attrs, (weights, recurrent, bias)
    assert isinstance(attrs, Attrs)
    made, last = run(source[None], state, matrices, attrs.activation)
    return made[0], last


OP = Op(
    name="rnn",
    builtin_code=24,
    options_type=7,
    attrs=Attrs,
    inputs=INPUTS,
    options=check_options,
    summary="float32, constant weights; fused activation, TANH too",
    role=Role.EFFECT,
    macs=macs,
    meanings=meanings("rnn", 2, oracle, _layout),
)
