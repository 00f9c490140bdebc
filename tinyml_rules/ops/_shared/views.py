"""What the operators that only change a shape share: nothing is computed, nothing copied."""

from __future__ import annotations

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.moves import same_elements
from tinyml_rules.ops._shared.operands import alike, movable

VIEW = {"input": movable(), "output": alike("input", count=lambda view: view["input"].count)}
"""Operands."""


def layout(view: NodeView) -> tuple[Place, ...]:
    """All elements in their order."""
    return (same_elements(view["input"], view.output),)
