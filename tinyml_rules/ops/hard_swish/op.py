"""HARD_SWISH of int8: what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView

LEAST_SCALE, MOST_SCALE = 2.0**-21, 2.0**16
"""Of the input: between them the shifts by which it becomes a share of 3 are those of 16 bits."""
LEAST_QUOTIENT, MOST_QUOTIENT = 2.0**-7, 2.0**8
"""Of the output's scale by the input's.  TFLM refuses what is below; above, it shifts numbers of 16
bits by more than they have."""


def check(view: NodeView) -> Iterator[str]:
    """Scales that 16 bits of fixed point hold."""
    source, result = view["input"], view.output
    if not LEAST_SCALE <= source.scale < MOST_SCALE:
        yield (
            f"input tensor {source} has scale {source.scale:g}, "
            f"expected {LEAST_SCALE:g} or more, and less than {MOST_SCALE:g}"
        )
    least, most = source.scale * LEAST_QUOTIENT, source.scale * MOST_QUOTIENT
    if not least < result.scale <= most:
        yield (
            f"output tensor {result} has scale {result.scale:g}, "
            f"expected more than {least:g}, and at most {most:g}"
        )
