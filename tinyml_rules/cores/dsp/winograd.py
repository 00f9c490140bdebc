"""Weights of a 3x3 window for Winograd's F(2x2, 3x3): what meets the values of a tile.

A tile is 2x2 outputs, and sees 4x4 pixels d.  With

    B = (1 0 -1 0, 0 1 1 0, 0 -1 1 0, 0 1 0 -1), G = (1 0 0, 1 1 1, 1 -1 1, 0 0 1)

the 16 numbers M are (G g G') * (B d B'), element by element, summed over the channels, and
A' M A with A' = (2 1 1 0, 0 1 -1 -2) is four times the sums: 16 products a channel instead of 36.
The usual G has halves in its two rows in the middle; here all rows are twice those, or in the first
and the last the same, whose factors of two are in A.

All of it is right modulo 2^32, so that only four times a sum has to be within 32 bits (`BOUNDED`),
for any numbers on the way.  Of int8, |G g G'| is at most 9 * 128 and |B d B'| 4 * 128,
which are halfwords.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.cores.dsp.order import GROUP
from tinyml_rules.ir.sum_conditions import Ask, values_up_to

AnyArray = npt.NDArray[Any]

SIDE = 3
"""Of the window."""
TILE = 2
"""Outputs of a tile along each axis."""
SEEN = TILE + SIDE - 1
"""Pixels that it sees along each axis."""
MOST_VALUES = 2**31 // (4 * 128 * 128) - 1
"""Products of a sum; four times 32,768 of -128 by -128 would be 2^31."""
VALUES = np.array(((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)))
WEIGHTS = np.array(((1, 0, 0), (1, 1, 1), (1, -1, 1), (0, 0, 1)))
OUTPUTS = np.array(((2, 1, 1, 0), (0, 1, -1, -2)))
"""B, G and A'."""
_BACK = np.array(((2, 0, 0, 0), (0, 1, -1, 0), (0, 0, 0, 2)))
"""Twice what makes weights of those of tiles."""

BOUNDED: Ask = values_up_to(MOST_VALUES)


def in_tiles(weights: AnyArray) -> npt.NDArray[np.uint32]:
    """int8 weights [outputs][3][3][channels] as words of two halfwords: four outputs after four,
    the last filled up with zeros; of these, for each place of a tile, row after row, the channels
    four after four; of those a word of each of the four outputs for the channels 0 and 2, then 1
    and 3, the first of them in the lower half."""
    outputs, channels = weights.shape[0], weights.shape[3]
    filled = np.pad(weights.astype(np.int64), ((0, -outputs % GROUP), (0, 0), (0, 0), (0, 0)))
    numbers = np.einsum("iy,oyxc,jx->oijc", WEIGHTS, filled, WEIGHTS)
    groups = numbers.reshape(-1, GROUP, SEEN * SEEN, channels // GROUP, 2, 2)  # half, odd
    data = groups.transpose(0, 2, 3, 5, 1, 4).astype("<i2").tobytes()
    return np.frombuffer(data, "<u4").astype(np.uint32)


def from_tiles(words: AnyArray, outputs: int, channels: int) -> npt.NDArray[np.int8]:
    """Back again: weights [outputs][3][3][channels]."""
    numbers = np.frombuffer(words.astype("<u4").tobytes(), "<i2").astype(np.int64)
    groups = numbers.reshape(-1, SEEN * SEEN, channels // GROUP, 2, GROUP, 2)
    tiles = groups.transpose(0, 4, 1, 2, 5, 3).reshape(-1, SEEN, SEEN, channels)[:outputs]
    found: npt.NDArray[np.int64] = np.einsum("yi,oijc,xj->oyxc", _BACK, tiles, _BACK) // 4
    return found.astype(np.int8)
