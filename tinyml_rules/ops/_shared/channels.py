"""How a node's output channels depend on its input channels (the last dimensions of its output and
first input), so that a pass can remove some without knowing the operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import NodeView

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Channels:
    """Each output channel depends either on one input channel or on all of them.

    `sources`: the input channel of every output channel; None if each depends on all.
    `operands`: (position, axis) of the inputs with an entry for every output channel.
    `weights`: if each depends on all, the factors of the input minus its zero point, as
    [outputs][taps][input channels]; in the operand, at position 1, the last dimension is the
    input channels, possibly repeated, and the bias is at position 2.
    `sees_outside`: some window is partly outside the image, where cells hold the zero point.
    """

    sources: Indices | None = None
    operands: tuple[tuple[int, int], ...] = ()
    weights: npt.NDArray[Any] | None = None
    sees_outside: bool = False


def same_channels(view: NodeView) -> Channels | None:
    """Output channel i depends on input channel i alone."""
    return repeated_channels(view, 1)


def repeated_channels(
    view: NodeView, times: int, *, operands: tuple[tuple[int, int], ...] = ()
) -> Channels:
    """Each input channel has `times` output channels next to each other."""
    channels = np.arange(view.input(0).shape[-1], dtype=np.int64)
    return Channels(np.repeat(channels, times), operands)


def weighted_channels(view: NodeView, *, sees_outside: bool = False) -> Channels | None:
    """Sums over all input channels, with constant weights [outputs]..[input channels] and bias;
    None if the number of weights is no multiple of the input channels."""
    source, weights = view["input"], view["weights"]
    assert weights.data is not None and weights.quantization is not None
    if not source.shape or weights.shape[-1] % source.shape[-1]:
        return None
    data = weights.data.astype(np.int64) - weights.quantization.zero_points[0]
    by_channel = data.reshape(weights.shape[0], -1, source.shape[-1])
    return Channels(None, ((1, 0), (2, 0)), by_channel, sees_outside)


def filled(count: int, *, of: int, group: int) -> int:
    """How many of `of` channels to keep, at least `count` and 1: the fewest that fill whole groups,
    or half groups and so on, as all of them do."""
    while of % group:
        group //= 2
    return -(-max(count, 1) // group) * group
