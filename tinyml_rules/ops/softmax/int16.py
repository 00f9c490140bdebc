"""SOFTMAX of int16: two interpolated tables, of exp from -10 to 0 and of 1 / (1 + x) from 0 to 1.

The tables are the same in every model; TFLM makes them when it starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.arithmetic.interpolated import softmax_tables
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import VECTORS, quantized
from tinyml_rules.ops._shared.pointwise import vector_work
from tinyml_rules.ops.softmax.op import WIDE_TOLERANCE, Attrs

_PER_ONE = 65535 / 10.0
"""Steps of the table of exp."""
_MOST_FACTOR = 2**15
"""From here on a distance of 65535 is beyond int32 before it is multiplied."""
_MOST_DEPTH = 2**16 - 1
"""Each value adds at most 2^15 - 1 to the sum."""

_WIDE = (DType.INT16,)
OPERANDS = {
    "input": quantized(*_WIDE, centred=_WIDE, ranks=VECTORS),
    "output": quantized(
        *_WIDE, shape="input", fixed=(2.0**-15, 0), tolerance=WIDE_TOLERANCE * 2.0**-15
    ),
}


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct: tables of 513 entries, and what a distance is multiplied with to be
    in steps of the first."""

    exponentials: Array
    reciprocals: Array
    multiplier: Int32
    shift: Int8
    depth: Int


def check(view: NodeView) -> Iterator[str]:
    """int32 holds the sum, and a distance before it is multiplied."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    yield from constraints.depth(source, most=_MOST_DEPTH)
    factor = attrs.beta * source.scale * _PER_ONE
    if not (math.isfinite(factor) and 0 < factor < _MOST_FACTOR):
        yield f"beta {attrs.beta:g} times scale {source.scale:g} is outside what int16 can resolve"


def prepare(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    multiplier, shift = quantize_multiplier(source.scale * attrs.beta / (10.0 / 65535.0))
    exponentials, reciprocals = softmax_tables(in_double=view.reference is RoundingReference.LITERT)
    params = Params(
        exponentials=exponentials,
        reciprocals=reciprocals,
        multiplier=multiplier,
        shift=shift,
        depth=source.shape[-1],
    )
    return vector_work(view, params)


KERNEL = Kernel(
    name="softmax_of_int16",
    template=Path(__file__).parent / "kernels" / "int16.c.j2",
    form=Form.POINTWISE,
    is_in_place=True,
    runtime=("rescale",),
)
