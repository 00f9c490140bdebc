"""Small models with other kernels where speed is what counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.chained import chained
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.plan.schedule import Mode

FOR_SPEED = (
    *("add_same_shape", "sub_first_scale_larger", "conv_2d_sums_wrap", "conv_2d_many_outputs"),
    *("conv_2d_relu_of_256_channels", "conv_2d_eight_outputs_dilated", "conv_2d_relu_at_lowest"),
    *("conv_2d_sums_wrap_dilated", "fully_connected_packed_per_axis"),
    *("fully_connected_eight_outputs_rounded_once", "fully_connected_eight_outputs_per_axis"),
    "fully_connected_int4_nine_outputs",
)
"""Samples of one layer that are compiled for speed too."""


def vectors_for_speed() -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """(name, model, settings) of vectors, and of such that come in pieces."""
    rows = {"schedule": Mode.STREAM, "optimize": Optimize.SPEED}
    for is_per_axis, name in ((False, "vector"), (True, "vector_per_axis")):
        layer = dense((1, 9, 5, 3), (1, 12), input_count=135, is_per_axis=is_per_axis)
        first = conv((1, 9, 5, 2), outputs=3)
        yield f"{name}_for_speed", build_model(layer), {"optimize": Optimize.SPEED}
        yield f"{name}_in_rows_for_speed", build_model(chained(first, layer)), rows
