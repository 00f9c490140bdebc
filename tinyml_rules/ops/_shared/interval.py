"""Bounds of every element of a tensor, for all inputs: the least and the greatest value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor

NARROW = (DType.INT8, DType.UINT8, DType.BOOL)
"""Types of tensors for which intervals are computed."""


Sums = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Of each channel, the last dimension: the least and the greatest sum of products, bias included,
before they are rescaled."""


@dataclass(frozen=True, eq=False)
class Interval:
    """Two arrays in the tensor's shape and type, both ends included.

    `sums`: the bounds of the sums, of an operator that sums products.
    """

    low: Array
    high: Array
    sums: Sums | None = None

    @property
    def is_constant(self) -> bool:
        """Whether every element has one value."""
        return bool(np.array_equal(self.low, self.high))


Intervals = Mapping[int, Interval]
"""By tensor."""
IntervalMeaning = Callable[[NodeView, Intervals], Interval | None]
"""The interval of a node's output, from those of its inputs; None if it is unknown or too
expensive."""

ValueOracle = Callable[[NodeView, Mapping[int, Array]], Array | tuple[Array, ...]]
MOST_ELEMENTS, MOST_MACS = 2**20, 2**23
"""Limits of a node whose interval is computed: elements of all operands, and products."""


def full_range(tensor: Tensor) -> Interval:
    """The whole range of a tensor's type; it takes no memory."""
    low, high = (False, True) if tensor.dtype is DType.BOOL else tensor.dtype.limits
    least, most = (np.asarray(end, tensor.dtype.numpy) for end in (low, high))
    return Interval(np.broadcast_to(least, tensor.shape), np.broadcast_to(most, tensor.shape))


def rising(oracle: ValueOracle, *, falls: tuple[int, ...] = ()) -> IntervalMeaning:
    """The interval of a monotonic operator: its oracle at the ends of its inputs. The output never
    falls when an input rises, except for inputs at the positions `falls`, with which it never
    rises."""

    def interval(view: NodeView, intervals: Intervals) -> Interval | None:
        falling = {view.input(position).index for position in falls}
        inputs = [tensor for tensor in view.inputs if tensor is not None]
        others = {t.index for place, t in enumerate(inputs) if place not in falls}
        if falling & others or sum(t.count for t in (*inputs, *view.outputs)) > MOST_ELEMENTS:
            return None
        least, most = ({t.index: t.data for t in inputs if t.data is not None} for _ in range(2))
        for tensor in inputs:
            if tensor.index in intervals:
                ends = intervals[tensor.index].low, intervals[tensor.index].high
                turned = ends[::-1] if tensor.index in falling else ends
                least[tensor.index], most[tensor.index] = turned
        low, high = oracle(view, least), oracle(view, most)
        assert not isinstance(low, tuple) and not isinstance(high, tuple)
        return Interval(np.asarray(low), np.asarray(high))

    return interval
