"""CALL_ONCE: the graph that it runs, and what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option


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
