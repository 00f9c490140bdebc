"""TRANSPOSE_CONV of int16: the constants of its kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.accumulate import multipliers
from tinyml_rules.ops._weighted.of_node import sums_of_node
from tinyml_rules.ops.transpose_conv.op import (
    Attrs,
    Params,
    axes,
    geometry_of,
    macs,
    weights_of_phases,
    window_of,
)


def prepare(view: NodeView) -> Work[Sums]:
    """A row at a time; each phase is a weighted sum of its own, in 64 bits if one of them is."""
    image, result, (_, across) = view["input"], view.output, axes(view)
    found = list(_sums_of_phases(view))
    sums = max(found, key=lambda each: each.bias.dtype.itemsize)
    sizes = (DType.INT16.size_bytes * each.shape[3] for each in (image, result))
    return Work(
        params=_params(view, found, sums),
        facts=sums,
        inputs=(image.index,),
        outputs=(result.index,),
        window=window_of(view),
        columns=across.reach(*sizes),
        macs=macs(view),
        overflow=next((each.overflow for each in found if each.overflow), ""),
        requantization=sums.requantization,
    )


def _sums_of_phases(view: NodeView) -> Iterator[Sums]:
    """One without taps adds nothing."""
    attrs, image, weights = view.node.attrs, view["input"], view["weights"]
    assert isinstance(attrs, Attrs)
    scale = multipliers(view, channels=weights.shape[0])
    for phase in weights_of_phases(view):
        yield sums_of_node(
            view,
            phase.reshape(len(phase), -1) if phase.size else np.zeros((len(phase), 1), np.int8),
            scale,
            activation=attrs.activation,
            channels=image.shape[3],
            group=image.shape[3],
        )


def _params(view: NodeView, found: Sequence[Sums], sums: Sums) -> Params:
    """With the types of some `sums` for all of those that were found."""
    requantization = sums.requantization
    assert requantization.multiplier is not None
    return Params(
        weights=np.concatenate([each.reshape(-1) for each in weights_of_phases(view)]),
        bias=np.concatenate([each.bias.astype(sums.bias.dtype) for each in found]),
        multiplier=np.asarray(requantization.multiplier),
        shift=np.asarray(requantization.shift),
        **vars(geometry_of(view)),
        input_zero_point=0,
        output_zero_point=0,
        clamp_min=requantization.clamp_min,
        clamp_max=requantization.clamp_max,
        window=window_of(view),
    )
