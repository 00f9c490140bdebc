"""EMBEDDING_LOOKUP of int8 whose rows come out as real numbers: values times the scale."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.computed_operands import ComputedNames, computed, of_computed
from tinyml_rules.ops._shared.operands import int8, real
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops.embedding_lookup.op import (
    INDICES,
    TABLE_RANKS,
    check,
    makes_real,
    result_shape,
)
from tinyml_rules.ops.embedding_lookup.oracle import oracle_of_reals

_OPERANDS = ("table", "indices")


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


OPERANDS = {
    "indices": INDICES,
    "table": int8(centred=(DType.INT8,), ranks=TABLE_RANKS),
    "output": real(shape=result_shape),
}
"""A table with one scale: TFLM takes the first one for all rows, LiteRT the row's own."""


def prepare(view: NodeView) -> Work[ComputedNames]:
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
        can=(of_computed(*(each for each in _OPERANDS if each not in constants)),),
        variant=Constants("table" in constants, "indices" in constants),
    )


OF_REALS = Meaning(
    takes=makes_real,
    operands=OPERANDS,
    check=check,
    oracle=oracle_of_reals,
    prepare=prepare,
    kernels=(_kernel(), _kernel("table"), _kernel("indices")),
)
