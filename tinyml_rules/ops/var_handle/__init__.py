"""VAR_HANDLE: a variable by its name; `passes/resolve_variables.py` removes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.operator import Handling, Meaning, Op, Role
from tinyml_rules.ops._shared.variables import no_meaning


@dataclass(frozen=True)
class Attrs:
    """VarHandleOptions."""

    container: str = option(0, "string", default="")
    shared_name: str = option(1, "string", default="")


def oracle(_view: NodeView, _values: Mapping[int, Array]) -> Array:
    """Never reached: the node is gone before anything is computed."""
    raise AssertionError("resolve_variables removes every VAR_HANDLE that is used")


OP = Op(
    name="var_handle",
    builtin_code=142,
    options_type=111,
    attrs=Attrs,
    inputs=(),
    summary="a variable, which keeps its values from one inference to the next",
    role=Role.EFFECT,
    handling=Handling.NAMES,
    meanings=(Meaning(operands={}, check=no_meaning, oracle=oracle),),
)
