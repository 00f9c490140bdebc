"""What operators share that give a tensor another shape: nothing is computed, nothing copied."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.moves import same_elements
from tinyml_rules.ops._shared.moving import moved


def check_view(view: NodeView) -> Iterator[str]:
    """As many values, of the same type and quantization."""
    source, result = view.input(0), view.output
    yield from moved((source,), (result,))
    if source.count != result.count:
        yield f"output tensor {result} has {result.count} values, but the input has {source.count}"


def layout(view: NodeView) -> tuple[Place, ...]:
    """All elements in their order."""
    return (same_elements(view.input(0), view.output),)
