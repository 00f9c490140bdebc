"""L2_POOL_2D: each output value is the root of the mean of the squares of the cells of a window, of
one channel, that are inside the image; float32."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.in_numpy import sums_in_order, within
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import (
    REAL_OPERANDS,
    Attrs,
    check,
    check_options,
    prepare_real,
    real_kernel,
    slidings,
)
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor: squares are added one after the other."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.float32)
    with np.errstate(over="ignore"):
        squares = image * image
    sums, counts = (
        sums_in_order(patches(each, *slidings(view), output=view.output, fill=0))
        for each in (squares, np.ones_like(image))
    )
    return within(np.sqrt(sums / counts), attrs.activation, DType.FLOAT32)


OP = Op(
    name="l2_pool_2d",
    builtin_code=12,
    options_type=5,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="float32; SAME, VALID; stride; fused activation",
    channels=same_channels,
    meanings=(
        Meaning(
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare_real,
            kernels=(real_kernel("l2_pool_2d", "L2_POOL_2D", is_root=True),),
        ),
    ),
)
