"""CAST: what may be wrong with a node, its meaning, and a kernel for each pair of types.

An integer wraps where the other type is narrower.  A real number is cut off towards zero and stays
within the other type's range; what is no number becomes 0.  How a tensor is quantized does not
matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import map_work

TYPES = (DType.INT8, DType.INT16, DType.INT32, DType.UINT32, DType.FLOAT32, DType.BOOL)
"""Those of TFLM's `CastPrepare` and `copyToTensor`."""


def check(view: NodeView) -> Iterator[str]:
    """Input and output of the same shape."""
    source, result = view.input(0), view.output
    yield from constraints.plain(source, "input", *TYPES)
    yield from constraints.plain(result, "output", *TYPES)
    yield from constraints.shaped(result, source.shape)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = values[view.input(0).index], view.output.dtype
    if result is DType.BOOL:
        return np.asarray(source != 0)
    if view.input(0).dtype.is_real and not result.is_real:
        whole = np.trunc(np.nan_to_num(source.astype(np.float64), nan=0.0))
        source = np.clip(whole, *result.limits)
    return source.astype(result.numpy)


def meaning_of(source: DType, result: DType) -> Meaning:
    """CAST from one type to another."""

    def takes(view: NodeView) -> bool:
        return (view.input(0).dtype, view.output.dtype) == (source, result)

    return Meaning(
        takes=takes,
        check=check,
        oracle=oracle,
        prepare=lambda view: map_work(view, NoParams()),
        kernels=(_kernel(source, result),),
    )


def _kernel(source: DType, result: DType) -> Kernel:
    values: dict[str, str | int] = {
        "source": source.c_type,
        "target": result.c_type,
        "is_cut_off": source.is_real and not result.is_real and result is not DType.BOOL,
    }
    if values["is_cut_off"]:
        least, greatest = result.limits
        ends = {"least": f"{result.upper()}_MIN" if least else "0"}
        ends["greatest"] = f"{result.upper()}_MAX"
        values |= ends | {"lower": f"{least}.0f", "upper": f"{greatest + 1}.0f"}
    return Kernel(
        name=f"cast_{source}_to_{result}",
        template=Path(__file__).parent / "kernels" / "cast.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        values=values,
    )
