"""LOOKUP: every 8-bit value through a table of 256.  `passes/tabulate.py` makes it.

Input 0 has the values, input 1 the results, a constant in the order of the bytes.  A table that
only flips bits is not stored: a NOT, and int8 as uint8 with a zero point that is 128 higher.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from tinyml_rules.ir.c_struct import UInt8
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.contract import Contract, Elements, Pointer
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import map_work


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct: the result for each byte, signed or unsigned."""

    table: Annotated[Array, Elements("256")]


@dataclass(frozen=True)
class Flip:
    """Members of the C struct of a table that flips these bits of each byte."""

    bits: UInt8


FLIPS = Condition[bool](lambda flips: flips, "the table does more than to flip bits")
DOES_MORE = FLIPS.opposite("all that the table does is to flip bits")
"""Conditions on the facts, which say whether the table only flips bits."""


def every_byte(dtype: DType) -> Array:
    """The values of an 8-bit type in the order of the bytes; each but 0 is a bool that is true."""
    values = np.arange(256, dtype=np.uint8)
    return values != 0 if dtype is DType.BOOL else values.view(str(dtype))


def flipped_bits(table: Array, source: DType) -> int | None:
    """The bits that a table flips in every value of the source's type, if that is all it does."""
    count = 2 if source is DType.BOOL else 256
    found = table.reshape(-1).view(np.uint8)[:count] ^ np.arange(count, dtype=np.uint8)
    return int(found[0]) if np.all(found == found[0]) else None


def prepare(view: NodeView) -> Work[bool]:
    """One unit is one value."""
    table = view["table"].data
    assert table is not None
    bits = flipped_bits(table, view["input"].dtype)
    if bits is not None:
        return replace(map_work(view, Flip(bits)), facts=True)
    work = map_work(view, Params(np.ascontiguousarray(table).view(np.int8)))
    return replace(work, facts=False, kind=WorkKind.TABLE)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor, which may have more dimensions than the input: a
    constant of one value can have them."""
    # a copy in C order; ascontiguousarray would make a scalar an array of rank 1
    source = np.array(values[view["input"].index], order="C").view(np.uint8)
    return values[view["table"].index][source].reshape(view.output.shape)


BYTES = Contract((Pointer("source", c_type="uint8_t"),), Pointer("target", c_type="uint8_t"))
_KERNELS = Path(__file__).parent / "kernels"

OP = Op(
    name="lookup",
    inputs=("input", "table"),
    summary="8-bit values through a table",
    is_map=lambda _view: True,
    meanings=(
        Meaning(
            operands={},
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="flip",
                    template=_KERNELS / "flip.c.j2",
                    form=Form.POINTWISE,
                    can=(FLIPS,),
                    is_in_place=True,
                    contract=BYTES,
                ),
                Kernel(
                    name="lookup",
                    template=_KERNELS / "portable.c.j2",
                    form=Form.POINTWISE,
                    can=(DOES_MORE,),
                    is_in_place=True,
                    contract=BYTES,
                ),
            ),
        ),
    ),
)
