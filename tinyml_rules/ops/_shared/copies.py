"""Kernels that copy elements: by steps, which may begin at a computed place, or by lists of
indices."""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.moves import merged

MOST_DIMENSIONS = 10
"""Dimensions of a copy: a tensor has up to 8, and an operator may need two more to describe what it
moves."""
_KERNELS = Path(__file__).parent / "kernels"
_REAL = "float"
"""float keeps its type because of C's aliasing rules; all other types are copied as integers of
their size."""


@dataclass(frozen=True, eq=False)
class CopyParams:
    """Members of the C struct: elements along each dimension, and their distance."""

    sizes: Array
    source_steps: Array
    target_steps: Array
    rank: Int
    source_offset: Int
    target_offset: Int


@dataclass(frozen=True, eq=False)
class StartedCopyParams(CopyParams):
    """The same from a computed place on: for each number of a vector, its limit, and how many
    elements one step of it moves the copy."""

    start_limits: Array
    start_steps: Array
    starts: Int


@dataclass(frozen=True, eq=False)
class ListedCopyParams:
    """Members of the C struct: indices along each dimension, one dimension after the other; each is
    a run of `run` adjacent elements."""

    sizes: Array
    places: Array
    rank: Int
    run: Int
    source_offset: Int


@dataclass(frozen=True)
class Elements(Variant):
    """Words of all templates that only move elements."""

    element: str
    """C type as which they are moved."""
    is_constant: bool
    """Whether they come from a table of the params, and not from an operand."""


@dataclass(frozen=True)
class Copied(Variant):
    """Words of the template of copies by lists."""

    elements: Elements
    most_dimensions: int = MOST_DIMENSIONS
    """Dimensions of a copy."""


@dataclass(frozen=True)
class Stepped(Variant):
    """Words of the template of copies by steps."""

    copied: Copied
    moved: str = ""
    """C variable that a computed start moves: `from` or `to`; empty without one."""
    start: str = ""
    """C type of an element of the start."""


def copy_work(place: Place, dtype: DType) -> tuple[Work, Kernel]:
    """A copy of elements of a type, and its kernel."""
    place = _of_one_value(place)
    params: Any = _listed(place) if place.source_lists else _stepped(merged(place))
    inputs = [] if place.source is None else [place.source]
    if place.start is not None:
        inputs.append(place.start.tensor)
    params = params if place.values is None else with_values(params, place.values, dtype)
    work = Work(params=params, inputs=tuple(inputs), outputs=(place.target,))
    return work, _kernel(place, params, dtype)


def _of_one_value(place: Place) -> Place:
    """A constant with one value throughout is stored as that value."""
    values = place.values
    if values is None or place.source_lists or place.start is not None:
        return place
    first = values.reshape(-1)[:1]
    if values.tobytes() != first.tobytes() * values.size:
        return place
    return replace(
        place, values=first, source_offset=0, source_steps=(0,) * len(place.source_steps)
    )


def _stepped(place: Place) -> CopyParams:
    params = CopyParams(
        sizes=np.array(place.shape, np.int32),
        source_steps=np.array(place.source_steps, np.int32),
        target_steps=np.array(place.target_steps, np.int32),
        rank=len(place.shape),
        source_offset=place.source_offset,
        target_offset=place.target_offset,
    )
    if place.start is None:
        return params
    return StartedCopyParams(
        **vars(params),
        start_limits=np.array(place.start.limits, np.int32),
        start_steps=np.array(place.start.steps, np.int32),
        starts=len(place.start.limits),
    )


def _listed(place: Place) -> ListedCopyParams:
    *sizes, run = place.shape
    return ListedCopyParams(
        sizes=np.array(sizes, np.int32),
        places=narrow(np.concatenate([np.array(each, np.int32) for each in place.source_lists])),
        rank=len(sizes),
        run=run,
        source_offset=place.source_offset,
    )


def narrow(values: Array) -> Array:
    """As int16 if that holds all values, else as int32."""
    limits = np.iinfo(np.int16)
    fits = limits.min <= values.min() and values.max() <= limits.max
    return values.astype(np.int16 if fits else np.int32)


def with_values(params: Any, values: Array, dtype: DType) -> Any:
    """The params of a kernel that reads a constant, which is one of their tables."""
    kind = f"{'f' if dtype.c_type == _REAL else 'i'}{dtype.size_bytes}"
    table = np.ascontiguousarray(values).view(kind)
    struct: Any = type(params)
    return _of_constant(struct)(**vars(params), values=table)


@cache
def _of_constant(params: type[Any]) -> type[Any]:
    """The struct with the values as its last member."""
    name = f"Constant{params.__name__}"
    return make_dataclass(name, [("values", Array)], bases=(params,), frozen=True, eq=False)


def _kernel(place: Place, params: Any, dtype: DType) -> Kernel:
    """The kernel for elements of a type."""
    is_constant = place.values is not None
    kind = "constant" if is_constant else "elements"
    copied = Copied(elements_of(dtype, is_constant=is_constant))
    if place.source_lists:
        suffix = f"_{8 * params.places.itemsize}"
        return element_kernel(f"copy_listed_{kind}", "copy_listed", dtype, copied, suffix=suffix)
    if place.start is None:
        return element_kernel(f"copy_{kind}", "copy", dtype, Stepped(copied))
    moved = "to" if place.start.is_of_target else "from"
    stepped = Stepped(copied, moved, place.start.dtype.c_type)
    suffix = f"_{moved}_start_{place.start.dtype.bits}"
    return element_kernel(f"copy_{kind}", "copy", dtype, stepped, suffix=suffix)


def elements_of(dtype: DType, *, is_constant: bool) -> Elements:
    """Of a type."""
    is_real = dtype.c_type == _REAL
    return Elements(_REAL if is_real else f"int{8 * dtype.size_bytes}_t", is_constant)


def element_kernel(
    name: str, template: str, dtype: DType, variant: Variant, *, suffix: str = ""
) -> Kernel:
    """A kernel of this folder for elements of a type, which it only moves."""
    kind = _REAL if dtype.c_type == _REAL else 8 * dtype.size_bytes
    return Kernel(
        name=f"{name}_{kind}{suffix}",
        template=_KERNELS / f"{template}.c.j2",
        form=Form.WHOLE,
        variant=variant,
    )
