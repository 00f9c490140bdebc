"""What ARG_MAX and ARG_MIN share: the index of the best value along an axis, the first of
equals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.axes import axes_of, check_axes
from tinyml_rules.ops._shared.operands import int8, numbers, plain
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.spatial import RANK

_OUTPUT_TYPES = {2: DType.INT32, 4: DType.INT64}
"""By the number in the schema's TensorType."""
TYPES = (DType.INT8, DType.UINT8, DType.INT32, DType.BOOL, DType.FLOAT32)


@dataclass(frozen=True)
class Attrs:
    """ArgMaxOptions, ArgMinOptions."""

    output_type: int = option(0, "int8")


@dataclass(frozen=True)
class Params:
    """Members of the C struct: the number of values along the axis, and in the dimensions after
    it."""

    length: Int
    inner: Int


@dataclass(frozen=True)
class Best(Variant):
    """Words of the template."""

    element: str
    """C type of a value."""
    index: str
    """C type of its place."""
    better: str
    """C operator between a value and the best one before it."""


def check_options(view: NodeView) -> Iterator[str]:
    """The options' output type is int32 or int64."""
    number = _attrs(view).output_type
    if number not in _OUTPUT_TYPES:
        yield f"output type {number}, expected 2 (int32) or 4 (int64)"


def check(view: NodeView) -> Iterator[str]:
    """The output's type is that of the options, and the axis one of the input."""
    yield from constraints.typed(view.output, "output", _OUTPUT_TYPES[_attrs(view).output_type])
    yield from check_axes(view)


def _attrs(view: NodeView) -> Attrs:
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs


def _result_shape(view: NodeView) -> tuple[int, ...]:
    (axis,) = axes_of(view)
    shape = view["input"].shape
    return (*shape[:axis], *shape[axis + 1 :])


def prepare(view: NodeView) -> Work:
    """One unit is the axis and the dimensions after it."""
    (axis,) = axes_of(view)
    shape = view["input"].shape
    units = math.prod(shape[:axis])
    is_image = len(shape) == RANK and axis == RANK - 1
    return Work(
        params=Params(length=shape[axis], inner=math.prod(shape[axis + 1 :])),
        inputs=(view["input"].index,),
        outputs=(view.output.index,),
        units=units,
        chunk=shape[RANK - 2] if is_image else 1,
    )


def meanings(name: str, oracle: Oracle, *, better: str) -> tuple[Meaning, ...]:
    """A meaning for each input type and index type; `better` is the C operator between a value and
    the best one before it."""
    pairs = product(TYPES, _OUTPUT_TYPES.values())
    return tuple(_meaning(name, oracle, better, *pair) for pair in pairs)


def _meaning(name: str, oracle: Oracle, better: str, source: DType, result: DType) -> Meaning:
    kernel = Kernel(
        name=f"{name}_{source}_to_{result}",
        template=Path(__file__).parent / "kernels" / "best_index.c.j2",
        form=Form.POINTWISE,
        variant=Best(source.c_type, result.c_type, better),
    )

    def takes(view: NodeView) -> bool:
        return (view["input"].dtype, view.output.dtype) == (source, result)

    return Meaning(
        operands={
            "input": int8() if source is DType.INT8 else plain(source),
            "axis": numbers(count=1),
            "output": plain(*_OUTPUT_TYPES.values(), shape=_result_shape),
        },
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
        takes=takes,
    )


def first_best(values: Array, axis: int, is_better: Callable[[Any, Any], Any]) -> Array:
    """In numpy: the values along the axis one after the other."""
    slices = np.moveaxis(values, axis, 0)
    best, place = slices[0].copy(), np.zeros(slices.shape[1:], np.int64)
    for number, each in enumerate(slices):
        is_new = is_better(each, best)
        best, place = np.where(is_new, each, best), np.where(is_new, number, place)
    return np.asarray(place)
