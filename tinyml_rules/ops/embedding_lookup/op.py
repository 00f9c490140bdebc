"""EMBEDDING_LOOKUP: what may be wrong with a node, and how the table is walked over.

The table is the second input.  Rows of int8 that come out as real numbers are in `real.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import gathering as of_gathering
from tinyml_rules.ops._shared.gathering import Gathering, check_indices
from tinyml_rules.ops._shared.operands import ANY_RANK, alike, movable, plain


def check(view: NodeView) -> Iterator[str]:
    """Constant indices are rows of the table."""
    yield from check_indices(view["indices"], view["table"].shape[:1])


def result_shape(view: NodeView) -> tuple[int, ...]:
    """A row of the table for each index."""
    return (view["indices"].count, *view["table"].shape[1:])


INDICES = plain(DType.INT32, ranks=range(1, 2))
TABLE_RANKS = range(2, ANY_RANK)
OPERANDS = {
    "indices": INDICES,
    "table": movable(ranks=TABLE_RANKS),
    "output": alike("table", shape=result_shape),
}


def makes_real(view: NodeView) -> bool:
    """Whether rows of int8 come out as real numbers."""
    return view["table"].dtype is DType.INT8 and view.output.dtype is DType.FLOAT32


def gathering(view: NodeView) -> Gathering:
    """Of a checked node."""
    ids, table = view["indices"], view["table"]
    rows, *row = table.shape
    return Gathering(
        table, ids, batches=1, outer=1, axes=(rows,), count=ids.count, inner=math.prod(row)
    )


def layout(view: NodeView) -> tuple[Place, ...] | None:
    """Where the row numbers are constants and the rows stay as they are."""
    return None if makes_real(view) else of_gathering.layout(view, gathering(view))
