"""Records of pairs of output channels: biases, unsigned weights of both in turn, and how sums are
requantized.

With 128 added to inputs and weights no product is negative. The sum is then larger by 128 times the
sum of the inputs, which a kernel subtracts, and by 128 times that of the weights, which is
subtracted from the bias.

To weights of four bits 8 is added, and those of both channels are a byte: its products with the
inputs are the sum of the first channel and 16 times that of the second, both with their biases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.cores.avr.order import OFFSET, TWO, in_nibbles, in_twos
from tinyml_rules.ir.sum_conditions import BYTES, NIBBLES, Ask
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.positive_records import (
    POSITIVE,
    Bytes,
    Requantized,
    are_shifted,
    bias_bytes,
    most_sum,
    rounding_bytes,
    rounds_of,
    sum_bytes,
)
from tinyml_rules.ops._shared.signed_records import SIGNED, signed_rounding_bytes

MOST_CHANNELS = 255
MOST_OF_NIBBLES: int = 2**19 - 1
"""The largest sum of which 16 times fits 24 bits."""


@dataclass(frozen=True)
class Records(Variant):
    """What the records of a kernel are for, a word of its template."""

    records: str = ""
    """End of the name of the piece of C: `_nibbles` where weights have four bits, then `_signed`
    where results can be below the zero point."""

    def piece(self, name: str) -> str:
        """The piece of C that reads them."""
        return f"{name}{self.records}"

    @property
    def is_signed(self) -> bool:
        """Whether results can be below the zero point."""
        return self.records.endswith("_signed")

    @property
    def has_nibbles(self) -> bool:
        """Whether weights have four bits."""
        return self.records.startswith("_nibbles")

    @property
    def asks(self) -> tuple[Ask, ...]:
        """What they ask of sums."""
        weights = (NIBBLES, _SHORT) if self.has_nibbles else (BYTES,)
        return (*weights, SIGNED if self.is_signed else POSITIVE)


POSITIVES = Records()
SIGNS = Records("_signed")
NIBBLE_POSITIVES = Records("_nibbles")
NIBBLE_SIGNS = Records("_nibbles_signed")
ALL = (POSITIVES, SIGNS, NIBBLE_POSITIVES, NIBBLE_SIGNS)


def _are_short(sums: Requantized) -> bool:
    """Whether 16 times each sum fits 24 bits, with a rounding term that may be in it."""
    rounds = int(rounds_of(sums.requantization.shift).max()) if are_shifted(sums) else 0
    return most_sum(sums) + rounds <= MOST_OF_NIBBLES


_SHORT = Ask(_are_short, "a sum takes more than 20 bits")


def in_pairs_of_records(
    sums: Requantized, records: Records = POSITIVES, *, is_shift: bool = False
) -> Bytes:
    """For all pairs of channels, one after the other: the biases, the weights, padded to twos with
    values that add nothing, and how each is requantized; an odd channel is paired with one of
    zeros.
    """
    weights, found = sums.matrix.astype(np.int64), sums.requantization
    channels = len(weights)
    alone = channels % TWO
    bias = sums.bias.astype(np.int64) - OFFSET * weights.sum(axis=1)
    biases = np.pad(bias_bytes(bias, found.shift, is_shift=is_shift), ((0, alone), (0, 0)))
    if records.has_nibbles:
        biases = _of_both(biases)
    if records.is_signed:
        rounding = signed_rounding_bytes(found, channels)
    else:
        rounding = rounding_bytes(found, channels=channels, is_shift=is_shift)
    stored = in_nibbles(weights) if records.has_nibbles else in_twos(weights)
    parts = biases, stored, np.pad(rounding, ((0, alone), (0, 0)))
    pairs = (channels + alone) // TWO
    return np.hstack([part.reshape(pairs, -1) for part in parts]).reshape(-1)


def _of_both(biases: Bytes) -> Bytes:
    """[channels][3] -> the same where a second channel has 16 times its bias and that of the
    first."""
    values = biases.astype(np.int64) @ (1, 2**8, 2**16)
    values[1::TWO] = 16 * values[1::TWO] + values[::TWO]
    return sum_bytes(values)


def twos_of(values: int) -> int:
    """The number of twos among the values of an output."""
    return -(-values // TWO)
