"""MAX_POOL_2D: each output value is the largest of the cells of a window, of one channel, that are
inside the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.in_numpy import bounds, ends_of, within
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import (
    CONTRACT,
    OF_BYTES,
    REAL_OPERANDS,
    Attrs,
    Params,
    check,
    check_options,
    has_channels,
    int16_meaning,
    operands_of,
    prepare,
    prepare_real,
    slidings,
    windowed,
)
from tinyml_rules.ops._shared.quantization import moves
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.int64)
    least, _ = view.output.dtype.limits
    windows = patches(image, *slidings(view), output=view.output, fill=least)
    largest = np.clip(windows.max(axis=(3, 4)), *bounds(view.output, attrs.activation))
    return np.asarray(largest, view.output.dtype.numpy)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same in float32; NaN is skipped, as in TFLM."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.float32)
    least, _ = ends_of(image.dtype)
    windows = patches(image, *slidings(view), output=view.output, fill=least)
    largest = np.fmax.reduce(windows, axis=(3, 4), initial=least)
    return within(largest, attrs.activation, DType.FLOAT32)


@dataclass(frozen=True)
class Lanes(Variant):
    """Words of the templates for an extension of the processor."""

    lanes: int
    """Channels at a time."""


def _parallel(template: str, feature: Feature, lanes: int) -> Kernel[Params]:
    """The kernel for so many channels at a time, by an extension of the processor."""
    return Kernel(
        name=f"max_pool_2d_{template}_of_{lanes}",
        template=Path(__file__).parent / "kernels" / f"{template}.c.j2",
        form=Form.WINDOW,
        requires=frozenset((feature, Feature.REGISTERS_32)),
        can=(has_channels(lanes),),
        variant=Lanes(lanes),
    )


_PORTABLE = Path(__file__).parent / "kernels" / "portable.c.j2"

OP = Op(
    name="max_pool_2d",
    builtin_code=17,
    options_type=5,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int8, int16, float32; SAME, VALID; stride; fused activation",
    channels=same_channels,
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(
                Kernel(
                    name="max_pool_2d_real",
                    template=Path(__file__).parent / "kernels" / "float32.c.j2",
                    form=Form.WINDOW,
                ),
            ),
        ),
        int16_meaning("max_pool_2d", oracle, _PORTABLE, check),
        Meaning(
            operands=operands_of(DType.INT8),
            check=check,
            oracle=oracle,
            prepare=prepare,
            interval=windowed(oracle),
            kernels=(
                _parallel("vectors", Feature.MVE, 16),
                _parallel("vectors", Feature.MVE, 8),
                _parallel("bytes", Feature.DSP, 8),
                _parallel("bytes", Feature.DSP, 4),
                Kernel(
                    name="max_pool_2d",
                    template=_PORTABLE,
                    form=Form.WINDOW,
                    variant=OF_BYTES,
                    contract=CONTRACT,
                ),
            ),
        ),
    ),
    quantization=replace(moves(int16_version=3), takes_greatest=True),
)
