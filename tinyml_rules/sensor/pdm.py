"""A microphone of one bit a sample (PDM): how many bits become a sample of 16 bits, and the tables.

Three sums of sums and three differences (a CIC filter of third order: a window of three boxes, each
as long as the bits of a sample), then (-x[n] + 10 x[n-1] - x[n-2]) / 8, which lifts what the boxes
took from high frequencies.  A bit is 1 or -1, so that nothing has been heard before the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array

DECIMATIONS = (32, 64, 128)
ORDERS = {"msb-first": "the highest bit of a byte is the first", "lsb-first": "the lowest is"}
_BITS = 8
_SAMPLE_BITS = 16
CENTRE = 10
"""The factor of the sample in the middle, where those of its neighbours are -1."""
_GAIN_BITS = 3
"""The sum of these factors is 2 to the power of it."""


@dataclass(frozen=True)
class Pdm:
    """So many bits become a sample."""

    decimation: int
    is_lowest_first: bool

    @property
    def bytes(self) -> int:
        """Of a sample."""
        return self.decimation // _BITS

    @property
    def shift(self) -> int:
        """By which a sum is larger than a sample: bits that are all 1 are the greatest sample."""
        boxes = 3 * (self.decimation.bit_length() - 1)
        return boxes + _GAIN_BITS - (_SAMPLE_BITS - 1)

    def tables(self) -> dict[str, Array]:
        """By name, what each byte adds to the first, second and third sum, in its eight steps, if
        all were 0 before: the bit of which n are left (itself included) counts 1, n and n(n+1)/2
        times."""
        patterns = np.arange(256)[:, np.newaxis] >> np.arange(_BITS) & 1
        bits = 2 * (patterns if self.is_lowest_first else patterns[:, ::-1]) - 1
        left = _BITS - np.arange(_BITS)
        counts = (np.ones(_BITS, int), left, left * (left + 1) // 2)
        return {
            f"pdm_{number}": (bits @ count).astype(np.int8) for number, count in enumerate(counts)
        }
