"""ASSIGN_VARIABLE: a new value for a variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moves import same_elements
from tinyml_rules.ops._shared.operator import Handling, Meaning, Op, Role
from tinyml_rules.ops._shared.variables import check_value, check_variable


def check(view: NodeView) -> Iterator[str]:
    """A variable, and a value like it."""
    variable = view["variable"]
    wrong = list(check_variable(variable))
    yield from wrong or check_value(variable, view["input"], "input")


def layout(view: NodeView) -> tuple[Place, ...]:
    """All elements in their order."""
    return (same_elements(view["input"], view["variable"]),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """No output; the variable's new values."""
    return (values[view["input"].index].reshape(view["variable"].shape),)


OP = Op(
    name="assign_variable",
    builtin_code=144,
    options_type=113,
    inputs=("variable", "input"),
    outputs=(),
    summary="any type",
    role=Role.EFFECT,
    handling=Handling.ASSIGNS,
    layout=layout,
    meanings=(Meaning(operands={}, check=check, oracle=oracle),),
)
