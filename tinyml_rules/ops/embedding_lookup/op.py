"""EMBEDDING_LOOKUP: what may be wrong with a node, and how the table is walked over.

The table is the second input.  Rows of int8 that come out as real numbers are in `real.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared import gathering as of_gathering
from tinyml_rules.ops._shared.gathering import Gathering, check_indices
from tinyml_rules.ops._shared.moving import moved, places

IDS, TABLE = 0, 1


def check(view: NodeView) -> Iterator[str]:
    """A vector of row numbers, and a table of rows."""
    table, result = view.input(TABLE), view.output
    yield from moved((table,), (result,))
    yield from check_rows(view)


def check_rows(view: NodeView) -> Iterator[str]:
    """Whatever the types of table and output are."""
    ids, table, result = view.input(IDS), view.input(TABLE), view.output
    wrong = list(places(ids, "indices", DType.INT32))
    for tensor, role, is_fine, expected in (
        (ids, "indices", len(ids.shape) == 1, "1"),
        (table, "table", len(table.shape) > 1, "2 or more"),
    ):
        if not is_fine:
            found = len(tensor.shape)
            wrong.append(f"{role} tensor {tensor} has {found} dimensions, expected {expected}")
    yield from wrong
    if not wrong:
        yield from check_indices(ids, table.shape[:1])
        yield from constraints.shaped(result, (ids.count, *table.shape[1:]))


def makes_real(view: NodeView) -> bool:
    """Whether rows of int8 come out as real numbers."""
    return view.input(TABLE).dtype is DType.INT8 and view.output.dtype is DType.FLOAT32


def gathering(view: NodeView) -> Gathering:
    """Of a checked node."""
    ids, table = view.input(IDS), view.input(TABLE)
    rows, *row = table.shape
    return Gathering(
        table, ids, batches=1, outer=1, axes=(rows,), count=ids.count, inner=math.prod(row)
    )


def layout(view: NodeView) -> tuple[Place, ...] | None:
    """Where the row numbers are constants and the rows stay as they are."""
    return None if makes_real(view) else of_gathering.layout(view, gathering(view))
