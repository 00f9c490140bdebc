"""What ARG_MAX and ARG_MIN share: where along one axis the best value is, the first of equals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.axes import axes_of, check_axes
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.spatial import RANK

_INT32 = 2
"""The schema's TensorType."""


@dataclass(frozen=True)
class Attrs:
    """ArgMaxOptions, ArgMinOptions."""

    output_type: int = option(0, "int8")


@dataclass(frozen=True)
class Params:
    """Members of the C struct: values along the axis, and of the dimensions behind it."""

    length: Int
    inner: Int


def check(view: NodeView) -> Iterator[str]:
    """int8 or float32 to int32; the axis is a constant."""
    attrs, source, result = view.node.attrs, view.input(0), view.output
    assert isinstance(attrs, Attrs)
    if constraints.takes_real(view):
        yield from constraints.plain(source, "input", DType.FLOAT32)
    else:
        yield from constraints.quantized(source, "input")
    yield from constraints.typed(result, "output", DType.INT32)
    if attrs.output_type != _INT32:
        yield f"output type {attrs.output_type}, expected {_INT32} (int32)"
    problems = list(check_axes(view, is_single=True))
    yield from problems
    if not problems:
        (axis,) = axes_of(view)
        shape = source.shape
        yield from constraints.shaped(result, (*shape[:axis], *shape[axis + 1 :]))


def prepare(view: NodeView) -> Work:
    """One unit is all of the axis and of the dimensions behind it."""
    (axis,) = axes_of(view)
    shape = view.input(0).shape
    units = math.prod(shape[:axis])
    is_image = len(shape) == RANK and axis == RANK - 1
    return Work(
        params=Params(length=shape[axis], inner=math.prod(shape[axis + 1 :])),
        inputs=(view.input(0).index,),
        outputs=(view.output.index,),
        units=units,
        chunk=shape[RANK - 2] if is_image else 1,
    )


def meanings(name: str, oracle: Oracle, *, better: str) -> tuple[Meaning, ...]:
    """The operator for int8 and for real numbers; `better` is how C compares a value with the best
    one before it."""

    def meaning(suffix: str, element: str, takes: Callable[[NodeView], bool]) -> Meaning:
        kernel = Kernel(
            name=f"{name}{suffix}",
            template=Path(__file__).parent / "kernels" / "best_index.c.j2",
            form=Form.POINTWISE,
            values={"element": element, "better": better},
        )
        return Meaning(check, oracle, prepare, kernels=(kernel,), takes=takes)

    return (
        meaning("", "int8_t", lambda view: not constraints.takes_real(view)),
        meaning("_real", "float", constraints.takes_real),
    )


def first_best(values: Array, axis: int, is_better: Callable[[Any, Any], Any]) -> Array:
    """In numpy: the values along the axis one after the other."""
    slices = np.moveaxis(values, axis, 0)
    best, place = slices[0].copy(), np.zeros(slices.shape[1:], np.int32)
    for number, each in enumerate(slices):
        is_new = is_better(each, best)
        best, place = np.where(is_new, each, best), np.where(is_new, number, place)
    return place.astype(np.int32)
