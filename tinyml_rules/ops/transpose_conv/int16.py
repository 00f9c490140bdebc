"""TRANSPOSE_CONV of int16: the constants of its kernels."""

from __future__ import annotations

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
    attrs, image, weights, result = view.node.attrs, view["input"], view["weights"], view.output
    assert isinstance(attrs, Attrs)
    scale = multipliers(image, weights, result, channels=weights.shape[0])
    phases, (_, across) = list(weights_of_phases(view)), axes(view)
    found = [
        sums_of_node(
            view,
            # a phase without taps adds nothing
            each.reshape(len(each), -1) if each.size else np.zeros((len(each), 1), np.int8),
            scale,
            activation=attrs.activation,
            channels=image.shape[3],
            group=image.shape[3],
        )
        for each in phases
    ]
    sums = max(found, key=lambda each: each.bias.dtype.itemsize)
    requantization, sizes = sums.requantization, (image.shape[3], result.shape[3])
    assert requantization.multiplier is not None
    params = Params(
        weights=np.concatenate([each.reshape(-1) for each in phases]),
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
    return Work(
        params=params,
        facts=sums,
        inputs=(image.index,),
        outputs=(result.index,),
        window=params.window,
        columns=across.reach(*(DType.INT16.size_bytes * each for each in sizes)),
        macs=macs(view),
        overflow=next((each.overflow for each in found if each.overflow), ""),
        requantization=requantization,
    )
