"""POW: what may be wrong with a node.

LiteRT ends an inference at an exponent of int32 below 0: a constant one is refused here, a computed
one is as 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.broadcast import check_broadcast, has_single_constants
from tinyml_rules.ops._shared.plain_values import MOST_SIMPLE_RANK


def check_int32(view: NodeView) -> Iterator[str]:
    """A constant exponent is nowhere below 0."""
    yield from check_broadcast(view, most_rank=MOST_SIMPLE_RANK)
    exponent = view["second input"]
    if exponent.data is not None:
        least = min(exponent.data.reshape(-1).tolist(), default=0)
        if least < 0:
            yield (
                f"second input tensor {exponent} has the exponent {least}, expected none below 0 "
                "of int32"
            )


def check_real(view: NodeView) -> Iterator[str]:
    """One computed input alone decides."""
    yield from check_broadcast(view, most_rank=MOST_SIMPLE_RANK)
    if not has_single_constants(view):
        yield (
            f"input tensors {view['first input']} and {view['second input']} of float32, "
            "expected one to be a constant of one value: supported only between operators that "
            "convert from and to 8 bits"
        )
