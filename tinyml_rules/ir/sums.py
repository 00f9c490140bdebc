"""What a node with weights is to every kernel: sums of products, each requantized at its end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.window import Reach, Window


class Scale(Enum):
    """What the requantization has a multiplier and a shift for."""

    ONE = "one"
    """All outputs together."""
    EACH = "each"
    """Each output."""


class Element(Enum):
    """Of the weights, as they are in flash where no kernel packs them, and of what they are
    multiplied with, which is int8 unless the name says otherwise."""

    INT8 = "int8"
    INT4 = "int4"
    """Two a byte."""
    INT16X8 = "int16x8"
    """Weights of int8, inputs and outputs of int16."""
    OFFSET = "offset"
    """Weights of int8 with a zero point, which kernels take off."""


@dataclass(frozen=True, eq=False)
class Sums:
    """An output is bias + sum over its row of the matrix of weight * input, requantized.

    `matrix`: int8 [outputs][values], a row in the order of the window: [height][width][channels of
    a group]; int16 without a zero point that kernels take off.  `bias`: one an output, with the
    input's zero point folded in: int32, or int64 for sums of 64 bits.  The window is without the
    taps that are never in the image.
    """

    matrix: Array
    bias: Array
    requantization: Requantization
    element: Element
    channels: int
    """Of the input: of a pixel, or of a vector."""
    group: int
    """Channels of the input that an output sees."""
    input_zero_point: int
    overflow: str
    """As Work has it."""
    window: Window | None = None
    """The rows that an output row sees; None where every pixel, or vector, is alone."""
    columns: Reach | None = None
    """The pixels that an output of a row sees; None for a vector."""
    weights_zero_point: int = 0
    """What kernels take off the weights as they are in flash."""
    input_limits: tuple[int, int] = DType.INT8.limits
    """The least and the greatest value of the input, and of a cell outside an image."""

    @property
    def stored(self) -> Array:
        """The matrix as it is in flash, where no kernel packs it."""
        if self.element is Element.OFFSET:
            whole = self.matrix.astype(np.int16) + np.int16(self.weights_zero_point)
            return whole.astype(np.int8)
        return self.matrix

    @property
    def outputs(self) -> int:
        """Sums of a pixel or a vector."""
        return len(self.matrix)

    @property
    def values(self) -> int:
        """Products of a sum."""
        return int(self.matrix.shape[1])

    @property
    def scale(self) -> Scale:
        """What the requantization has multipliers for."""
        return Scale.ONE if self.requantization.is_single else Scale.EACH

    @property
    def is_grouped(self) -> bool:
        """Some outputs see other channels than others."""
        return self.group != self.channels

    @property
    def down(self) -> Window:
        """The window, of a node that has one."""
        assert self.window is not None
        return self.window

    @property
    def across(self) -> Reach:
        """The columns, of a node on images."""
        assert self.columns is not None
        return self.columns

    @property
    def taps(self) -> int:
        """Of the window: its height times its width."""
        return self.values // self.group

    @property
    def multiplier(self) -> int | Array:
        """One, or one an output."""
        assert self.requantization.multiplier is not None
        return self.requantization.multiplier

    @property
    def multipliers(self) -> Array:
        """Of operators that have one an output."""
        assert isinstance(self.requantization.multiplier, np.ndarray)
        return self.requantization.multiplier

    @property
    def shifts(self) -> Array:
        """The same."""
        assert isinstance(self.requantization.shift, np.ndarray)
        return self.requantization.shift
