"""RESHAPE: what may be wrong with a node.

The output tensor's own shape is taken, as TFLM does; the new shape in the options or in the second
input says the same, with a -1 at most, and real files leave out either or both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.moving import numbers
from tinyml_rules.ops._shared.views import check_view


@dataclass(frozen=True)
class Attrs:
    """ReshapeOptions: for other interpreters, which do not take the output's shape."""

    new_shape: tuple[int, ...] = option(0, "int32[]", default=())


def check(view: NodeView) -> Iterator[str]:
    """As many values; a constant shape where one is given."""
    yield from check_view(view)
    shape = view.optional_input(1)
    if shape is not None:
        yield from numbers(shape, "shape")


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The input's values in the output's shape."""
    return np.reshape(values[view.input(0).index], view.output.shape)
