"""FULLY_CONNECTED as LiteRT's reference kernel computes it: each sum is multiplied by a double, and
the product is rounded once, ties away from zero.

The multipliers here do the same with integers (`arithmetic/nearest_multiplier.py`), for all sums
that the weights and the bias allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.nearest_multiplier import MOST_SUM, nearest_multiplier
from tinyml_rules.ir.condition import Facts
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.accumulate import sum_bounds, work_of_operands
from tinyml_rules.ops._shared.computed_operands import ComputedNames
from tinyml_rules.ops.fully_connected import centred, op

_MOST_PRODUCT = 255 * 255
"""Of an input and a weight, without their zero points."""


def takes(view: NodeView) -> bool:
    """Whether LiteRT is the reference."""
    return view.reference is RoundingReference.LITERT


def takes_centred(view: NodeView) -> bool:
    """The same for what the plain kernels cannot do."""
    return takes(view) and centred.takes(view)


def check(view: NodeView) -> Iterator[str]:
    """What is wrong for either reference; and that there are multipliers."""
    problems = list(op.check(view))
    yield from problems
    if not problems and _found(view) is None:
        yield (
            f"output tensor {view.output} has a scale for which no multiplier of 31 bits rounds "
            "as LiteRT does, supported only with rounding=tflm"
        )


def forms(kernels: Iterable[Kernel[Facts]]) -> tuple[Kernel[Facts], ...]:
    """The kernels that can round so, doing it."""
    rounding = Rounding.NEAREST
    return tuple(each.rounded(rounding) for each in kernels if each.can_round(rounding))


def prepare(view: NodeView) -> Work[Sums]:
    """One unit is one input vector."""
    multipliers, shifts = _multipliers(view)
    weights = view["weights"]
    assert weights.quantization is not None
    # what a sum becomes saturates: it is 0 to those who ask whether that can leave int32
    matrix = op.matrix_of(view)
    bounds = sum_bounds(view, matrix, 0, 0)
    multiplier: int | Array = multipliers
    shift: int | Array = shifts
    if not weights.quantization.is_per_axis:
        multiplier, shift = int(multipliers[0]), int(shifts[0])
    sums = op.weighted_sums(view, matrix, (multiplier, shift), bounds)
    return op.work_of(
        view, replace(sums, requantization=replace(sums.requantization, most_sum=None))
    )


def prepare_centred(view: NodeView) -> Work[ComputedNames]:
    """All vectors at once."""
    params = centred.params_of(view)
    multipliers, shifts = _multipliers(view)
    still = replace(params, multiplier=np.zeros_like(multipliers), shift=np.zeros_like(shifts))
    work = work_of_operands(view, still, axis=0)
    multiplier, shift = (
        np.broadcast_to(each, params.output_channels).copy() for each in (multipliers, shifts)
    )
    exact = replace(params, multiplier=multiplier, shift=shift)
    return replace(work, params=exact, requantization=Requantization.of(exact))


def _multipliers(view: NodeView) -> tuple[Array, Array]:
    """Of each scale of the weights, as int32 and int8."""
    found = _found(view)
    assert found is not None, "`check` asks for them"
    multipliers, shifts = zip(*found, strict=True)
    return np.array(multipliers, np.int32), np.array(shifts, np.int8)


def _found(view: NodeView) -> list[tuple[int, int]] | None:
    """(multiplier, shift) of each scale of the weights; None where one has none."""
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.quantization is not None
    found = [
        nearest_multiplier(source.scale * scale / result.scale, most_sum=_most_sum(view))
        for scale in weights.quantization.scales
    ]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _most_sum(view: NodeView) -> int:
    """No sum is larger in size."""
    bias = view.optional("bias")
    if bias is None:
        most = 0
    elif bias.data is None:
        most = MOST_SUM
    else:
        most = int(np.abs(bias.data.astype(np.int64)).max())
    return min(MOST_SUM, most + view["weights"].shape[1] * _MOST_PRODUCT)
