"""PAD: where its cells lie, and its meaning.  8-bit cells hold the output's zero point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.border import border_places, pads_of
from tinyml_rules.ops._shared.operator import Pads


def layout(view: NodeView) -> Iterable[Place]:
    """The zero around, then the input."""
    return border_places(view, None)


def border(view: NodeView) -> Pads:
    """All that it does."""
    return pads_of(view)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    source, result = values[view["input"].index], view.output
    is_byte = result.dtype.size_bytes == 1 and result.quantization is not None
    fill = result.zero_point if is_byte else 0
    pairs = values[view["paddings"].index].tolist()
    return np.pad(source, pairs, constant_values=fill)
