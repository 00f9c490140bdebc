"""RESHAPE: what may be wrong with a node.

The output tensor's own shape is taken, as TFLM does; the new shape in the options or in the second
input says the same, with a -1 at most, and real files leave out either or both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.operands import numbers
from tinyml_rules.ops._shared.views import VIEW


@dataclass(frozen=True)
class Attrs:
    """ReshapeOptions: for other interpreters, which do not take the output's shape."""

    new_shape: tuple[int, ...] = option(0, "int32[]", default=())


OPERANDS = {**VIEW, "shape": numbers()}


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The input's values in the output's shape."""
    return np.reshape(values[view["input"].index], view.output.shape)
