"""BROADCAST_ARGS: the shape to which two shapes broadcast.  No kernel: always folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import Operand, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op


def check(view: NodeView) -> Iterator[str]:
    """The shapes broadcast."""
    first, second = ints(view["first shape"]), ints(view["second shape"])
    pairs = zip_longest(reversed(first), reversed(second), fillvalue=1)
    if any(1 not in pair and pair[0] != pair[1] for pair in pairs):
        yield f"shapes {list(first)} and {list(second)} do not broadcast"


OPERANDS = {
    "first shape": numbers(DType.INT32, DType.INT64, ranks=range(1, 2)),
    "second shape": numbers(DType.INT32, DType.INT64, type_of="first shape", ranks=range(1, 2)),
    "output": Operand(
        type_of="first shape",
        shape=lambda view: (max(view["first shape"].count, view["second shape"].count),),
    ),
}


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Of each dimension the one that is not 1, as numpy broadcasts; a negative size stays."""
    first, second = (values[view[name].index] for name in ("first shape", "second shape"))
    rank = max(len(first), len(second))
    aligned = [
        np.concatenate([np.ones(rank - len(each), each.dtype), each]) for each in (first, second)
    ]
    return np.where(aligned[0] == 1, aligned[1], aligned[0]).astype(view.output.dtype.numpy)


OP = Op(
    name="broadcast_args",
    builtin_code=145,
    inputs=("first shape", "second shape"),
    summary="constants of int32 or int64; a constant",
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
)
