"""The options of operators that have a fused activation and nothing else that matters."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option


@dataclass(frozen=True)
class ActivationAttrs:
    activation: int = option(0, "int8")


def activation_of(view: NodeView) -> int:
    """Its number in the schema's ActivationFunctionType."""
    attrs = view.node.attrs
    assert isinstance(attrs, ActivationAttrs)
    return attrs.activation
