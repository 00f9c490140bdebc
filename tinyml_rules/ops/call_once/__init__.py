"""CALL_ONCE: a sub-graph that gives variables their initial values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.graph import Array, Graph, NodeView
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
    """The graph only assigns constants of the variables' types and shapes, so that a pass has
    removed the node."""
    (number,) = calls(view)
    others = list(_of_others(view.graph, number))
    yield from others or [
        f"sub-graph {number} does more than to assign constants to variables, "
        "which is not supported"
    ]


def _of_others(graph: Graph, number: int) -> Iterator[str]:
    """Messages for constants that are not like the variable that they are assigned to."""
    variables = {each.name: each for each in graph.tensors if each.is_variable}
    other = graph.others[number - 1] if 1 <= number <= len(graph.others) else None
    names: dict[int | None, str] = {}
    for node in other.nodes if other else ():
        names |= {each: str(getattr(node.attrs, "shared_name", "")) for each in node.outputs}
        variable = variables.get(names.get(node.inputs[0], "")) if len(node.inputs) == 2 else None
        value = node.inputs[1] if variable else None
        if other is None or variable is None or value is None:
            continue
        tensor = other.tensors[value]
        found, expected = ((each.dtype, list(each.shape)) for each in (tensor, variable))
        if found != expected:
            yield (
                f"sub-graph {number} assigns variable {variable.name!r} {found[0]} {found[1]}, "
                f"expected {expected[0]} {expected[1]}"
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
