"""VAR_HANDLE: what it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option


@dataclass(frozen=True)
class Attrs:
    """VarHandleOptions."""

    container: str = option(0, "string", default="")
    shared_name: str = option(1, "string", default="")


def oracle(_view: NodeView, _values: Mapping[int, Array]) -> Array:
    """Never reached: the node is gone before anything is computed."""
    raise AssertionError("resolve_variables removes every VAR_HANDLE that is used")
