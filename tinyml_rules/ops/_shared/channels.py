"""How the channels of a node, the last dimension of its first input and of its output, hang
together: so that a pass can leave some out, without knowing the operator.
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
    """Either every output channel is made of one input channel alone, by itself, or each of all.

    `sources`: the input channel of every output channel; None where it is all of them.
    `operands`: (position, axis) of the inputs with an entry for every output channel.
    `weights`: where it is all of them, what multiplies the input without its zero point, as
    [outputs][taps][input channels]; the operand itself, at position 1, ends with the input
    channels, maybe several times over, and the bias is at position 2.
    `sees_outside`: some window lies in part outside the image, where the zero point stands.
    """

    sources: Indices | None = None
    operands: tuple[tuple[int, int], ...] = ()
    weights: npt.NDArray[Any] | None = None
    sees_outside: bool = False


def same_channels(view: NodeView) -> Channels | None:
    """Every output channel is made of the input channel with its number."""
    return repeated_channels(view, 1)


def repeated_channels(
    view: NodeView, times: int, *, operands: tuple[tuple[int, int], ...] = ()
) -> Channels:
    """So many output channels, side by side, of every input channel."""
    channels = np.arange(view.input(0).shape[-1], dtype=np.int64)
    return Channels(np.repeat(channels, times), operands)


def weighted_channels(view: NodeView, *, sees_outside: bool = False) -> Channels | None:
    """Sums over all input channels, with constant weights [outputs]..[input channels] and bias;
    None where the weights are no multiple of those."""
    source, weights = view["input"], view["weights"]
    assert weights.data is not None and weights.quantization is not None
    if not source.shape or weights.shape[-1] % source.shape[-1]:
        return None
    data = weights.data.astype(np.int64) - weights.quantization.zero_points[0]
    by_channel = data.reshape(weights.shape[0], -1, source.shape[-1])
    return Channels(None, ((1, 0), (2, 0)), by_channel, sees_outside)


def filled(count: int, *, of: int, group: int) -> int:
    """At least `count` of `of` channels, and one: the fewest that fill the groups which all of them
    do, or the half of a group, and so on."""
    while of % group:
        group //= 2
    return -(-max(count, 1) // group) * group
