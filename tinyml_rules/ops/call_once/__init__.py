"""CALL_ONCE: a sub-graph that gives variables their initial values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.operator import Handling, Meaning, Op, Role


@dataclass(frozen=True)
class Attrs:
    """CallOnceOptions."""

    init_subgraph_index: int = option(0, "int32")


def calls(view: NodeView) -> tuple[int, ...]:
    """The graph that gives variables their values."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return (attrs.init_subgraph_index,)


def check(view: NodeView) -> Iterator[str]:
    """The node is gone where its graph only assigns constants."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    yield (
        f"sub-graph {attrs.init_subgraph_index} does more than to assign constants to variables, "
        "which is not supported"
    )


def oracle(_view: NodeView, _values: Mapping[int, Array]) -> Array:
    """Never reached: the node is gone before anything is computed."""
    raise AssertionError("resolve_variables removes every CALL_ONCE that `check` accepts")


OP = Op(
    name="call_once",
    builtin_code=129,
    options_type=103,
    attrs=Attrs,
    inputs=(),
    outputs=(),
    summary="a sub-graph that assigns constants to variables",
    role=Role.EFFECT,
    handling=Handling.STARTS,
    calls=calls,
    meanings=(Meaning(operands={}, check=check, oracle=oracle),),
)
