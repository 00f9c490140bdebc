"""READ_VARIABLE: a copy of the value of a variable."""

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
    yield from wrong or check_value(variable, view.output, "output")


def layout(view: NodeView) -> tuple[Place, ...]:
    """All elements in their order."""
    return (same_elements(view["variable"], view.output),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return values[view["variable"].index].copy()


OP = Op(
    name="read_variable",
    builtin_code=143,
    options_type=112,
    inputs=("variable",),
    summary="any type",
    role=Role.LAYOUT,
    handling=Handling.READS,
    layout=layout,
    meanings=(Meaning(operands={}, check=check, oracle=oracle),),
)
