"""CAST: numbers of one type as numbers of another, with a kernel for each pair of types.

An integer wraps if the other type is narrower.  A real number is truncated towards zero and clamped
to the range of the other type; NaN becomes 0, or, in the types that only LiteRT has, the greatest
value.  The quantization of a tensor does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import map_work

OF_LITERT = (DType.UINT8, DType.INT64)
"""Types that TFLM's `CastPrepare` and `copyToTensor` do not take."""
TYPES = (
    *(DType.INT8, DType.INT16, DType.INT32, DType.UINT32, DType.FLOAT32, DType.BOOL),
    *OF_LITERT,
)
_BYTES = (DType.INT8, DType.UINT8)


@dataclass(frozen=True)
class Range:
    """The results for real numbers that do not fit an integer type."""

    least: str
    """C literal of the least output."""
    greatest: str
    """C literal of the greatest output."""
    of_nan: str
    """C literal of the output for NaN."""
    lower: str
    """C literal of a real number: what is not above it becomes `least`."""
    upper: str
    """C literal of a real number: what is not below it becomes `greatest`."""


@dataclass(frozen=True)
class Types(Variant):
    """Words of the template."""

    source: str
    """C type of an input value."""
    target: str
    """C type of an output value."""
    ends: Range | None
    """For real numbers to integers; None for other casts."""


_OPERANDS = {"input": plain(*TYPES), "output": plain(*TYPES, shape="input")}


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = values[view["input"].index], view.output.dtype
    if result is DType.BOOL:
        return np.asarray(source != 0)
    if view["input"].dtype.is_real and not result.is_real:
        return _cut_off(source.astype(np.float64), result)
    return source.astype(result.numpy)


def _cut_off(values: npt.NDArray[np.float64], result: DType) -> Array:
    low, high = result.limits
    of_nan = high if result in OF_LITERT else 0
    is_inside = (values > low) & (values < float(high + 1))
    whole = np.where(is_inside, np.trunc(values), 0).astype(result.numpy)
    ends = np.where(np.isnan(values), of_nan, np.where(values <= low, low, high))
    return np.where(is_inside, whole, ends.astype(result.numpy))


def meaning_of(source: DType, result: DType) -> Meaning:
    """CAST from one type to another."""

    def takes(view: NodeView) -> bool:
        return view.output.dtype is result and view["input"].dtype is source

    return Meaning(
        takes=takes,
        operands=_OPERANDS,
        oracle=oracle,
        prepare=lambda view: map_work(view, NoParams()),
        kernels=() if _keeps_its_byte(source, result) else (_kernel(source, result),),
    )


def _keeps_its_byte(source: DType, result: DType) -> bool:
    """Whether the bytes stay the same, so that the node is always a table, or nothing."""
    return source in (*_BYTES, DType.BOOL) and result in (*_BYTES, source)


def _kernel(source: DType, result: DType) -> Kernel:
    is_cut_off = source.is_real and not result.is_real and result is not DType.BOOL
    return Kernel(
        name=f"cast_{source}_to_{result}",
        template=Path(__file__).parent / "kernels" / "cast.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        variant=Types(source.c_type, result.c_type, _range(result) if is_cut_off else None),
    )


def _range(result: DType) -> Range:
    """The range of an integer type."""
    least, greatest = result.limits
    most = f"{result.upper()}_MAX"
    return Range(
        least=f"{result.upper()}_MIN" if least else "0",
        greatest=most,
        of_nan=most if result in OF_LITERT else "0",
        lower=f"{least}.0f",
        upper=f"{greatest + 1}.0f",
    )


OP = Op(
    name="cast",
    builtin_code=53,
    options_type=37,
    inputs=("input",),
    summary=f"{', '.join(TYPES)}, each to each; scales do not matter",
    is_map=lambda _view: True,
    meanings=tuple(meaning_of(*pair) for pair in product(TYPES, TYPES)),
)
