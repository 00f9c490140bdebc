"""SQUEEZE: its meaning.  The output tensor's own shape is taken, as TFLM does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option


@dataclass(frozen=True)
class Attrs:
    """SqueezeOptions: for other interpreters, which do not take the output's shape."""

    dimensions: tuple[int, ...] = option(0, "int32[]", default=())


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The input's values in the output's shape."""
    return np.reshape(values[view["input"].index], view.output.shape)
