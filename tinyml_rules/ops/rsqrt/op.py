"""RSQRT of int8: what may be wrong with a node."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView

MOST_FACTOR = 2.0**30


def check(view: NodeView) -> Iterator[str]:
    """The factor shifts no number beyond int32."""
    source, result = view["input"], view.output
    if 1 / (math.sqrt(source.scale) * result.scale) >= MOST_FACTOR:
        yield (
            f"output tensor {result} has scale {result.scale:g}, too small for the input's "
            f"{source.scale:g}"
        )
