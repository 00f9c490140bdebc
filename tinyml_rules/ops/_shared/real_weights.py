"""Operands and checks of nodes that sum products of float32 values and constant weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tinyml_rules.cores.in_groups import in_groups
from tinyml_rules.ir.c_struct import Float32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.ops._shared.activated import plain_bounds
from tinyml_rules.ops._shared.operands import Operands, real


def takes_real_weights(view: NodeView) -> bool:
    """Whether input and weights are float32."""
    return view["input"].dtype is view["weights"].dtype is DType.FLOAT32


def real_operands(*, axis: int, ranks: range | None, rank: int, is_constant: bool) -> Operands:
    """float32 input and output of these ranks; weights of this rank, and a bias with a value per
    output, which are along `axis`."""
    return {
        "input": real(ranks=ranks),
        "weights": real(ranks=range(rank, rank + 1), is_constant=is_constant),
        "bias": real(is_constant=is_constant, count=lambda view: view["weights"].shape[axis]),
        "output": real(ranks=ranks),
    }


@dataclass(frozen=True, eq=False)
class RealParams:
    """Members of the C struct."""

    weights: Array
    bias: Array
    clamp_min: Float32
    clamp_max: Float32


def real_params(view: NodeView, *, weights: Array, outputs: int, activation: int) -> RealParams:
    """The weights of a checked node in the kernel's order, the bias, and the bounds of the
    activation; without one an infinite sum becomes the greatest number, as in TFLM."""
    bias = view.optional("bias")
    base = None if bias is None else bias.data
    clamp_min, clamp_max = plain_bounds(activation, DType.FLOAT32)
    return RealParams(
        weights=weights,
        bias=np.zeros(outputs, np.float32) if base is None else base.reshape(-1),
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def finite_weights(view: NodeView) -> Iterator[str]:
    """All weights are finite, so that a cell outside the image, which counts as 0, adds nothing."""
    data = view["weights"].data
    if data is not None and data.dtype == np.float32 and not np.isfinite(data).all():
        yield f"weights tensor {view['weights']} has a value that is not a finite number"


@dataclass(frozen=True, eq=False)
class RealSums:
    """What kernels ask of sums of real numbers."""

    matrices: tuple[Array, ...]
    """Weights [outputs][values] in the order of the params: one of each set of outputs that see the
    same values."""


_AT_ONCE = 4
"""Outputs whose weights are side by side."""


def in_fours(plain: Kernel[RealSums]) -> Kernel[RealSums]:
    """The kernel that does the same four outputs at a time; its template is next to the other."""
    assert plain.template is not None
    return replace(
        plain,
        name=f"{plain.name}_fours",
        template=plain.template.with_name("float32_fours.c.j2"),
        requires=frozenset((Feature.FPU,)),
        pays=(
            Condition(
                lambda sums: len(sums.matrices[0]) >= _AT_ONCE,
                f"fewer than {_AT_ONCE} outputs see the same values",
            ),
        ),
        runtime=("real_sums",),
        pack=_packed,
    )


def channels_in_fours(plain: Kernel[RealSums]) -> Kernel[RealSums]:
    """The same of outputs that each see a channel of their own; their weights lie as they do."""
    return replace(
        in_fours(plain),
        can=(Condition(lambda sums: len(sums.matrices[0]) == 1, "the depth multiplier is not 1"),),
        pays=(
            Condition(
                lambda sums: len(sums.matrices) >= _AT_ONCE, f"fewer than {_AT_ONCE} channels"
            ),
        ),
        runtime=("real_channel_sums",),
        pack=None,
    )


def _packed(work: Work[RealSums]) -> Packed:
    params: Any = work.params
    parts = [in_groups(matrix, _AT_ONCE) for matrix in work.facts.matrices]
    return Packed(replace(params, weights=np.concatenate(parts)))
