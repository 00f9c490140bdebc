"""Units that are joined or parted: each unit of one tensor is made of a run of each of several, or
is a run of each unit of another.

CONCATENATION and SPLIT along channels are that, pixel by pixel, so that a stream goes through
them.  They are recognised from the places of the elements, for any operator.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared.moves import merged_dimensions
from tinyml_rules.ops._shared.pointwise import row_of

MOST_JOINED = 8
"""Tensors that one kernel joins: each is a parameter of its function."""
_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class PartParams:
    """Members of the C struct: bytes of a unit of the input, those in front of its part, and those
    of the part."""

    unit: Int
    first: Int
    run: Int


@dataclass(frozen=True)
class Joined(Variant):
    """Words of the template that joins."""

    count: int
    """How many tensors it joins."""


PART = Kernel(
    name="part_of_units", template=_KERNELS / "part.c.j2", form=Form.POINTWISE, runtime=("copy",)
)


@dataclass(frozen=True)
class _Runs:
    """A place as units: of each a run from byte `first` of `whole` bytes on."""

    units: int
    whole: int
    first: int
    run: int


def of_units(places: Sequence[Place], tensors: Sequence[Tensor]) -> tuple[Work, Kernel] | None:
    """The work that makes a tensor unit by unit; None where the places do something else."""
    return _parted(places[0], tensors) if len(places) == 1 else _joined(places, tensors)


def _joined(places: Sequence[Place], tensors: Sequence[Tensor]) -> tuple[Work, Kernel] | None:
    """The work that makes each unit of one tensor of all that several have, one after the other;
    None where the places do something else."""
    if not 2 <= len(places) <= MOST_JOINED or len({each.target for each in places}) > 1:
        return None
    target = tensors[places[0].target]
    found = [(each, made) for each in places if (made := _runs(each, tensors)) is not None]
    found.sort(key=lambda pair: pair[1].first)
    runs = [each for _, each in found]
    ends = accumulate((each.run for each in runs), initial=0)
    is_whole = len(found) == len(places) and all(
        each.first == end and (each.units, each.whole) == (runs[0].units, runs[0].whole)
        for each, end in zip(runs, ends, strict=False)
    )
    if not is_whole or sum(each.run for each in runs) != runs[0].whole:
        return None
    sources = tuple(place.source for place, _ in found if place.source is not None)
    params = _join_params(len(runs))(*(each.run for each in runs))
    return _work(params, sources, target, runs[0]), join_kernel(len(runs))


def _parted(place: Place, tensors: Sequence[Tensor]) -> tuple[Work, Kernel] | None:
    """The work that makes each unit of a tensor of a part of another's; None where the place does
    something else."""
    if place.source is None or place.source_lists:
        return None
    source, target = tensors[place.source], tensors[place.target]
    found = _runs(place.turned, tensors)
    if found is None:
        return None
    params = PartParams(found.whole, found.first, found.run)
    return _work(params, (source.index,), target, found), PART


def _runs(place: Place, tensors: Sequence[Tensor]) -> _Runs | None:
    """How all elements of a tensor, in their order, go to a run of each unit of another."""
    if place.source is None or place.source_lists or place.start is not None:
        return None
    if tensors[place.source].count != math.prod(place.shape) or place.source_offset:
        return None
    dimensions = merged_dimensions(place.shape, place.source_steps, place.target_steps)
    if len(dimensions) == 1:  # of runs of one element
        dimensions.append((1, 1, 1))
    if len(dimensions) != 2:
        return None
    (units, step, whole), (run, *steps) = dimensions
    target, size = tensors[place.target], tensors[place.target].dtype.size_bytes
    if (step, *steps) != (run, 1, 1) or units * whole != target.count:
        return None
    if place.target_offset + run > whole:
        return None
    return _Runs(units, whole * size, place.target_offset * size, run * size)


def _work(params: object, sources: tuple[int, ...], target: Tensor, runs: _Runs) -> Work:
    """Units in chunks of rows, where rows are whole units."""
    row, unit = row_of(target.shape), target.count // runs.units
    return Work(
        params=params,
        inputs=sources,
        outputs=(target.index,),
        units=runs.units,
        chunk=row // unit if row % unit == 0 else 1,
        kind=WorkKind.COPY,
    )


@cache
def _join_params(count: int) -> type:
    """Members of the C struct: the bytes that each input has of a unit."""
    fields = [(f"run_{number}", Int) for number in range(count)]
    return make_dataclass("JoinParams", fields, frozen=True)


@cache
def join_kernel(count: int) -> Kernel:
    """The kernel that joins so many tensors."""
    return Kernel(
        name=f"join_{count}",
        template=_KERNELS / "join.c.j2",
        form=Form.POINTWISE,
        runtime=("copy",),
        variant=Joined(count),
    )
