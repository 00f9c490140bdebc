"""EMBEDDING_LOOKUP: rows of a table, the second input, by their numbers.

Rows of int8 may come out as real numbers: values times the scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import gathering as of_gathering
from tinyml_rules.ops._shared.computed_operands import ComputedNames, computed, of_computed
from tinyml_rules.ops._shared.gathering import Gathering, check_indices, meanings
from tinyml_rules.ops._shared.operands import ANY_RANK, alike, int8, movable, plain, real
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION


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


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Rows as they are."""
    ids, table = view["indices"], view["table"]
    return np.take(values[table.index], values[ids.index].astype(np.int64), axis=0, mode="clip")


def oracle_of_reals(view: NodeView, values: Mapping[int, Array]) -> Array:
    """One product in float32 for each value."""
    reals = oracle(view, values).astype(np.float32) * np.float32(view["table"].scale)
    return np.asarray(reals, np.float32)


_COMPUTED = ("table", "indices")


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; table and indices are None where they are operands."""

    table: Array | None
    indices: Array | None
    scale: Float32
    rows: Int
    inner: Int
    count: Int


@dataclass(frozen=True)
class Constants(Variant):
    """Words of the template."""

    is_constant_table: bool
    """Whether the table is a member of the params, and not an operand."""
    are_constant_indices: bool
    """Whether the indices are."""


REAL_OPERANDS = {
    "indices": INDICES,
    "table": int8(centred=(DType.INT8,), ranks=TABLE_RANKS),
    "output": real(shape=result_shape),
}
"""A table with one scale: TFLM takes the first one for all rows, LiteRT the row's own."""


def prepare_reals(view: NodeView) -> Work[ComputedNames]:
    """All rows at once."""
    ids, table = view["indices"], view["table"]
    params = Params(
        table=table.data,
        indices=ids.data,
        scale=table.scale,
        rows=table.shape[0],
        inner=table.count // table.shape[0],
        count=ids.count,
    )
    operands = tuple(tensor.index for tensor in (table, ids) if not tensor.is_constant)
    return Work(
        params=params,
        facts=computed(table=params.table, indices=params.indices),
        inputs=operands,
        outputs=(view.output.index,),
    )


def _kernel(*constants: str) -> Kernel[ComputedNames]:
    """For operands of which some are constants."""
    return Kernel(
        name="_".join(("embedding_lookup_real", *constants)),
        template=Path(__file__).parent / "kernels" / "real.c.j2",
        form=Form.WHOLE,
        can=(of_computed(*(each for each in _COMPUTED if each not in constants)),),
        variant=Constants("table" in constants, "indices" in constants),
    )


OF_REALS = Meaning(
    takes=makes_real,
    operands=REAL_OPERANDS,
    check=check,
    oracle=oracle_of_reals,
    prepare=prepare_reals,
    kernels=(_kernel(), _kernel("table"), _kernel("indices")),
)


def _of_elements(meaning: Meaning) -> Meaning:
    """The meaning for rows that stay as they are."""
    return replace(meaning, takes=lambda view: not makes_real(view) and meaning.takes(view))


OP = Op(
    name="embedding_lookup",
    builtin_code=7,
    inputs=("indices", "table"),
    summary="any type, the table's and the output's, or int8 to float32; int32 row numbers, "
    "constant or computed and then kept inside",
    layout=layout,
    meanings=(*map(_of_elements, meanings(OPERANDS, check, oracle, gathering, "table")), OF_REALS),
    quantization=MOVES_FIRST_VERSION,
)
