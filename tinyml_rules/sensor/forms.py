"""The forms of an affine map in C, each proved equal to it for every raw value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from tinyml_rules.sensor.affine import Affine, Runs, Values, runs_of
from tinyml_rules.sensor.guess import Guess, guess_of
from tinyml_rules.sensor.line import Coefficients, is_in_words, line_of, line_values
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.sensor.raw_keys import Aligned

MOST_TABLE_BITS = 8
"""Most bits of raw values for which a table is the first choice."""
_MOST_TABLES_BYTES = 1024
_INT16 = 2**15
_WORD_BITS = 16
"""Bits of a word that a line can take as it is: the product of a longer one exceeds 32 bits."""


@dataclass(frozen=True)
class Flip:
    """The bits of the raw value with some of them inverted: 0x80 makes a uint8 an int8."""

    mask: int
    kind = "flip"
    constant_bytes = 0
    shift = None

    def values(self, raw: Values, limits: tuple[int, int], channel: int) -> Values:  # noqa: ARG002
        """What C makes of raw values of a channel."""
        least, most = limits
        pattern = (raw & (most - least)) ^ self.mask
        found: Values = np.where(pattern > most, pattern - (most - least + 1), pattern)
        return found


@dataclass(frozen=True)
class Line:
    """clamp((raw * unit * multiplier + offset) >> shift), with the coefficients of each channel.

    `unit`: the weight of a raw value's lowest bit in the word that is read, so that a value in the
    upper bits need not be shifted.
    """

    shift: int
    coefficients: tuple[Coefficients, ...]
    wraps: bool = False
    """A product or a sum of a raw value that the type can hold may leave int32, so that they are
    those of unsigned words.  In range the sum is in int32 again; out of it any value comes out."""
    unit: int = 1
    kind = "line"

    @property
    def has_short_multipliers(self) -> bool:
        """All are numbers of 16 bits."""
        return all(-_INT16 <= each.multiplier < _INT16 for each in self.coefficients)

    @property
    def constant_bytes(self) -> int:
        """Two numbers per channel; those of a single channel are in the code."""
        return (6 if self.has_short_multipliers else 8) * len(self.coefficients)

    def values(self, raw: Values, limits: tuple[int, int], channel: int) -> Values:
        """What C makes of raw values of a channel."""
        return line_values(raw * self.unit, self.coefficients[channel], self.shift, limits)


@dataclass(frozen=True, eq=False)
class Table:
    """The value of each pattern of bits: [channels, 2^bits]."""

    entries: Values
    kind = "table"
    shift = None

    def values(self, raw: Values, limits: tuple[int, int], channel: int) -> Values:  # noqa: ARG002
        """What C makes of raw values of a channel."""
        found: Values = self.entries[channel][raw & (self.entries.shape[1] - 1)]
        return found


@dataclass(frozen=True, eq=False)
class Steps:
    """For each channel the `first` quantized value, and the raw values, rising, after which the
    quantized value changes by one; a raw value is repeated where it jumps.  `sign`: -1 if the
    quantized values fall.  `guess` says where to look; without it they are halved."""

    ends: tuple[Values, ...]
    first: tuple[int, ...]
    sign: tuple[int, ...]
    guess: Guess | None = None
    kind = "steps"
    shift = None

    def values(self, raw: Values, limits: tuple[int, int], channel: int) -> Values:  # noqa: ARG002
        """The result of the C for raw values of a channel: the number of ends below each."""
        below = np.searchsorted(self.ends[channel], raw, side="left")
        if self.guess is not None:
            ends = np.append(self.ends[channel], np.iinfo(np.int64).max)
            step = self.guess.steps(raw, channel, self.ends[channel].size)
            below = step + (ends[step] < raw)
        found: Values = self.first[channel] + self.sign[channel] * below
        return found


AffineForm = Flip | Line | Table | Steps


def choose(
    described: RawInput, maps: Sequence[Affine], *, value_bytes: int, is_small: bool
) -> AffineForm:
    """The form for the maps of all channels, or of the one that all have in common.

    Nothing is better than flipping bits; then a table for raw values of 8 bits, unless the code is
    to be small or the tables of many channels are not; then a line; then the shorter one of steps
    and table.
    """
    channels = [runs_of(each, described.range) for each in maps]
    form = _choose(described, maps, channels, value_bytes=value_bytes, is_small=is_small)
    for channel, (affine, runs) in enumerate(zip(maps, channels, strict=True)):
        for raw in (runs.first, runs.last):  # every form is monotone where the map is
            assert np.array_equal(form.values(raw, affine.limits, channel), runs.value)
    return form


def _choose(
    described: RawInput,
    maps: Sequence[Affine],
    channels: Sequence[Runs],
    *,
    value_bytes: int,
    is_small: bool,
) -> AffineForm:
    limits = maps[0].limits
    flip = _flip(described, channels, limits)
    if flip is not None:
        return flip
    table_bytes = len(maps) * value_bytes << described.bits
    is_upper = described.aligned is Aligned.LEFT and described.storage_bits == _WORD_BITS
    units = (2 ** (_WORD_BITS - described.bits), 1) if is_upper else (1,)
    wants_table = described.bits <= MOST_TABLE_BITS
    if wants_table and not is_small and table_bytes <= _MOST_TABLES_BYTES:
        return table_of(described, maps)
    for span, unit in product(dict.fromkeys((described.type_range, described.range)), units):
        first, last = span
        line = line_of([each.times(unit) for each in channels], limits, (first * unit, last * unit))
        if line is not None:
            shift, coefficients = line
            least, most = described.type_range
            words = (least * unit, most * unit)
            wraps = not all(is_in_words(each, words) for each in coefficients)
            return Line(shift, coefficients, wraps=wraps, unit=unit)
    steps = steps_of(channels)
    steps = replace(steps, guess=guess_of(steps.ends, described.range, described.bits))
    step_bytes = sum(each.size for each in steps.ends) * raw_bytes(described)
    return table_of(described, maps) if table_bytes <= step_bytes else steps


def raw_bytes(described: RawInput) -> int:
    """Bytes of a raw value in a table: those of its type in C."""
    return 1 if described.bits <= 8 else 2 if described.bits <= 16 else 4


def _flip(described: RawInput, channels: Sequence[Runs], limits: tuple[int, int]) -> Flip | None:
    """The form if every raw value has its own quantized value, and as many bits as the tensor's
    type."""
    least, most = limits
    if described.bits != (most - least).bit_length():
        return None
    moved = least - described.type_range[0]
    for runs in channels:
        if not np.array_equal(runs.first, runs.last) or not np.all(
            runs.value - runs.first == moved
        ):
            return None
    return Flip(abs(moved))


def table_of(described: RawInput, maps: Sequence[Affine]) -> Table:
    """Every pattern of bits, those of raw values out of range too."""
    patterns = np.arange(2**described.bits)
    least, most = described.type_range
    raw = np.where(patterns > most, patterns - 2**described.bits, patterns)
    assert raw.min() == least
    return Table(np.stack([each.quantized(raw) for each in maps]))


def steps_of(channels: Sequence[Runs]) -> Steps:
    """The raw values at which each channel's quantized value changes."""
    return Steps(
        tuple(np.repeat(runs.last[:-1], np.abs(np.diff(runs.value))) for runs in channels),
        tuple(int(runs.value[0]) for runs in channels),
        tuple(-1 if runs.is_falling else 1 for runs in channels),
    )
