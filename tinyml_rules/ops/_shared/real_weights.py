"""Operands and checks of nodes that sum products of float32 values and constant weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.widened import widened
from tinyml_rules.cores.in_groups import in_groups
from tinyml_rules.ir.c_struct import Float32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.activated import plain_bounds
from tinyml_rules.ops._shared.operands import Operands, real
from tinyml_rules.ops._shared.operator import Meaning


def takes_real_weights(view: NodeView) -> bool:
    """Whether input and weights are float32."""
    return view["input"].dtype is view["weights"].dtype is DType.FLOAT32


def takes_narrow_weights(view: NodeView) -> bool:
    """Whether the input is float32, and the weights are constants of int8 that the kernel widens;
    the bias is a constant too."""
    weights, bias = view["weights"], view.optional("bias")
    is_narrow = weights.dtype is DType.INT8 and view["input"].dtype is DType.FLOAT32
    are_constants = weights.is_constant and (bias is None or bias.is_constant)
    return view.graph.widens_weights and is_narrow and are_constants


@dataclass(frozen=True, kw_only=True)
class WeightWords(Variant):
    """Words of the templates of real numbers."""

    is_narrow: bool = False
    """Whether the weights are int8, with a scale for each output."""


def narrow_too(plain: Meaning, kernel: Kernel[RealSums], *, axis: int) -> tuple[Meaning, Meaning]:
    """The meaning of float32 weights, which have the outputs along `axis`, and that of int8 ones,
    with the kernel in its narrow form."""
    weights = replace(plain.operands["weights"], types=(DType.INT8,), is_constant=True, axis=axis)
    narrow = replace(kernel, name=f"{kernel.name}_narrow", variant=WeightWords(is_narrow=True))
    changed = replace(
        plain,
        takes=takes_narrow_weights,
        operands={**plain.operands, "weights": weights},
        kernels=(narrow,),
    )
    return plain, changed


def weights_in_numpy(view: NodeView, values: Mapping[int, Array]) -> npt.NDArray[np.float32]:
    """The weights of an oracle, as float32."""
    tensor = view["weights"]
    quantization = tensor.quantization if tensor.dtype is DType.INT8 else None
    return widened(values[tensor.index], quantization)


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
    weight_scales: Array | None
    """Of int8 weights, one an output."""
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
        weight_scales=_scales(view["weights"], outputs),
        bias=np.zeros(outputs, np.float32) if base is None else base.reshape(-1),
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def _scales(weights: Tensor, outputs: int) -> Array | None:
    quantization = weights.quantization
    if weights.dtype is not DType.INT8 or quantization is None:
        return None
    return np.broadcast_to(np.array(quantization.scales, np.float32), (outputs,)).copy()


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
        runtime=("real_sums", "real_values_of"),
        pack=_packed,
    )


def channels_in_fours(plain: Kernel[RealSums]) -> Kernel[RealSums]:
    """The same of outputs that each see a channel of their own; their weights stay in order."""
    return replace(
        in_fours(plain),
        can=(Condition(lambda sums: len(sums.matrices[0]) == 1, "the depth multiplier is not 1"),),
        pays=(
            Condition(
                lambda sums: len(sums.matrices) >= _AT_ONCE, f"fewer than {_AT_ONCE} channels"
            ),
        ),
        runtime=("real_channel_sums", "real_values_of"),
        pack=None,
    )


def _packed(work: Work[RealSums]) -> Packed:
    params: Any = work.params
    parts = [in_groups(matrix, _AT_ONCE) for matrix in work.facts.matrices]
    return Packed(replace(params, weights=np.concatenate(parts)))
