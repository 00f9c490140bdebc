"""Records of pairs of output channels: biases, unsigned weights of both in turn, and how sums are
requantized.

With 128 added to inputs and weights no product is negative. The sum is then larger by 128 times the
sum of the inputs, which a kernel subtracts, and by 128 times that of the weights, which is
subtracted from the bias.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.cores.avr.order import OFFSET, TWO, in_twos
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.positive_records import Bytes, Requantized, bias_bytes, rounding_bytes
from tinyml_rules.ops._shared.signed_records import signed_rounding_bytes

MOST_CHANNELS = 255


@dataclass(frozen=True)
class Records(Variant):
    """What the records of a kernel are for, a word of its template."""

    records: str = ""
    """End of the name of the piece of C: `_signed` where results can be below the zero point."""

    def piece(self, name: str) -> str:
        """The piece of C that reads them."""
        return f"{name}{self.records}"


POSITIVES = Records()
SIGNS = Records("_signed")


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
    biases = bias_bytes(bias, found.shift, is_shift=is_shift)
    if records == POSITIVES:
        rounding = rounding_bytes(found, channels=channels, is_shift=is_shift)
    else:
        rounding = signed_rounding_bytes(found, channels)
    parts = (
        np.pad(biases, ((0, alone), (0, 0))),
        in_twos(weights),
        np.pad(rounding, ((0, alone), (0, 0))),
    )
    pairs = (channels + alone) // TWO
    return np.hstack([part.reshape(pairs, -1) for part in parts]).reshape(-1)


def twos_of(values: int) -> int:
    """The number of twos among the values of an output."""
    return -(-values // TWO)
