"""TRANSPOSE_CONV of real numbers: the constants of its kernel.

TFLM adds pixel after pixel of the input to the output, channel after channel, and the bias last;
the sum of an output is made in the same order here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.real_weights import RealParams, RealSums, real_params
from tinyml_rules.ops.transpose_conv.op import (
    Attrs,
    Geometry,
    axes,
    geometry_of,
    macs,
    weights_of_phases,
    window_of,
)


@dataclass(frozen=True, eq=False)
class Params(Geometry, RealParams):
    """Members of the C struct: weights as those of int8, a bias for each output channel."""

    window: Window


def prepare(view: NodeView) -> Work[RealSums]:
    """A row at a time."""
    attrs, source, result = view.node.attrs, view["input"], view.output
    assert isinstance(attrs, Attrs)
    phases = [each for each in weights_of_phases(view) if each.size]
    weights = np.concatenate([each.reshape(-1) for each in phases])
    constants = real_params(
        view, weights=weights, outputs=result.shape[3], activation=attrs.activation
    )
    window, (_, across) = window_of(view), axes(view)
    sizes = (each.shape[3] * each.dtype.size_bytes for each in (source, result))
    return Work(
        params=Params(**vars(constants), **vars(geometry_of(view)), window=window),
        facts=RealSums(tuple(each.reshape(len(each), -1) for each in phases)),
        inputs=(source.index,),
        outputs=(result.index,),
        window=window,
        columns=across.reach(*sizes),
        macs=macs(view),
    )
