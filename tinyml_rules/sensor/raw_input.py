"""`[input]` of a description: the raw values of a sensor, and the real values that they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.sensor.table import Table

_RAW = re.compile(r"(u?)int([1-9][0-9]?)")
_MOST_BITS = {"": 32, "u": 31}
"""A raw value is an int32_t."""
_STORAGE = {f"{sign}int{bits}": bits for bits in (8, 16, 24, 32) for sign in ("", "u")}
_STATISTICS = ("mean", "std", "variance")
OF_CHANNELS = ("scale", "offset", *_STATISTICS)
"""The keys that say what a raw value means, one number or one for each channel."""
KEYS = (
    *("raw", "storage", "aligned", "endianness", "layout", "channels"),
    *("stride_bytes", "channel_stride_bytes", "offset_bytes", "range", *OF_CHANNELS, "reference"),
)
"""Every key of the table."""


class Aligned(StrEnum):
    """On which side of a wider word the bits are."""

    RIGHT = "right"
    LEFT = "left"


class Endianness(StrEnum):
    """Which byte of a word is first."""

    LITTLE = "little"
    BIG = "big"


class Layout(StrEnum):
    """Whether the channels of a sample are adjacent, or the samples of a channel."""

    SAMPLE_MAJOR = "sample-major"
    CHANNEL_MAJOR = "channel-major"


class Reference(StrEnum):
    """The arithmetic whose quantized values the C has to match."""

    FLOAT32 = "float32"
    """Each operation rounded to float32, in the order of the formula."""
    EXACT = "exact"
    """Real numbers."""


@dataclass(frozen=True)
class RawInput:
    """The raw values of one input; `where` is the table's name in errors.

    real = ((raw * scale + offset) - mean) / std, each of the five one number or one for each
    channel.  `std` is given by its square where `is_variance`.
    """

    where: str
    bits: int
    is_signed: bool
    storage_bits: int
    aligned: Aligned
    endianness: Endianness
    layout: Layout
    channels: int | None
    """None: the last dimension of the tensor."""
    stride_bytes: int | None
    """Bytes from one sample to the next; None: densely packed."""
    channel_stride_bytes: int | None
    """Bytes from one channel to the next."""
    offset_bytes: int
    """Offset of the first value."""
    range: tuple[int, int]
    """The least and the greatest raw value that the converter gives."""
    scale: tuple[Fraction, ...] = (Fraction(1),)
    offset: tuple[Fraction, ...] = (Fraction(0),)
    mean: tuple[Fraction, ...] = (Fraction(0),)
    std: tuple[Fraction, ...] = (Fraction(1),)
    is_variance: bool = False
    reference: Reference = Reference.FLOAT32

    @property
    def type_range(self) -> tuple[int, int]:
        """The least and the greatest value that the bits can hold."""
        return limits_of(self.bits, is_signed=self.is_signed)

    @property
    def storage_bytes(self) -> int:
        """Bytes of a word."""
        return self.storage_bits // 8

    def of_channels(self) -> dict[str, tuple[Fraction, ...]]:
        """By key, the numbers that may be given per channel."""
        key = "variance" if self.is_variance else "std"
        known = {"scale": self.scale, "offset": self.offset, "mean": self.mean, key: self.std}
        return {key: values for key, values in known.items() if len(values) > 1}


def limits_of(bits: int, *, is_signed: bool) -> tuple[int, int]:
    """The least and the greatest number of so many bits."""
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)


def read_input(table: Table) -> RawInput:
    """The contents of an `[input]` table; raises UsageError."""
    table.check_known(KEYS)
    is_signed, bits = _raw(table)
    storage_bits = _storage(table, bits)
    described = RawInput(
        where=table.where,
        bits=bits,
        is_signed=is_signed,
        storage_bits=storage_bits,
        aligned=Aligned(table.word("aligned", Aligned, "right")),
        endianness=Endianness(table.word("endianness", Endianness, "little")),
        layout=Layout(table.word("layout", Layout, "sample-major")),
        channels=_whole(table, "channels"),
        stride_bytes=_whole(table, "stride_bytes"),
        channel_stride_bytes=_whole(table, "channel_stride_bytes"),
        offset_bytes=table.integer("offset_bytes", 0, least=0, most=_MOST_BYTES),
        range=_range(table, limits_of(bits, is_signed=is_signed)),
    )
    return read_map(table, described)


def read_map(table: Table, described: RawInput) -> RawInput:
    """The same with the real values that the table gives raw values; raises UsageError."""
    return replace(
        described,
        scale=_nonzero(table, "scale"),
        offset=table.numbers("offset", 0),
        mean=table.numbers("mean", 0),
        std=_std(table),
        is_variance="variance" in table.values,
        reference=Reference(table.word("reference", Reference, "float32")),
    )


_MOST_BYTES = 2**24
"""Largest stride: more than the memory of any part."""


def _raw(table: Table) -> tuple[bool, int]:
    """Whether a raw value is signed, and its bits."""
    word = table.text("raw")
    found = _RAW.fullmatch(word)
    if not found or not 2 <= int(found[2]) <= _MOST_BITS[found[1]]:
        hint = did_you_mean(word, _STORAGE)
        table.refuse("raw", '"int2" to "int32" or "uint2" to "uint31"', hint=hint)
    return not found[1], int(found[2])


def _storage(table: Table, bits: int) -> int:
    """Bits of the word that contains a value: the narrowest that has room."""
    default = next(word for word, room in _STORAGE.items() if room >= bits)
    room = _STORAGE[table.word("storage", _STORAGE, default)]
    if room < bits:
        what = f"'raw' has {bits} bits, but 'storage' has room for {room}"
        raise UsageError.at(table.where, what)
    return room


def _whole(table: Table, key: str) -> int | None:
    return table.integer(key, 1, least=1, most=_MOST_BYTES) if key in table.values else None


def _range(table: Table, of_type: tuple[int, int]) -> tuple[int, int]:
    least, most = of_type
    values = table.values.get("range", [least, most])
    is_pair = isinstance(values, list) and len(values) == 2
    if not is_pair or any(type(each) is not int for each in values):
        table.refuse("range", "the least and the greatest raw value, two whole numbers")
    if not least <= values[0] < values[1] <= most:
        table.refuse("range", f"two rising numbers within [{least}, {most}], what 'raw' can hold")
    return values[0], values[1]


def _nonzero(table: Table, key: str) -> tuple[Fraction, ...]:
    values = table.numbers(key, 1)
    if not all(values):
        table.refuse(key, "numbers other than 0")
    return values


def _std(table: Table) -> tuple[Fraction, ...]:
    """Or the variance, whichever is given."""
    given = [key for key in _STATISTICS if key in table.values]
    if given == list(_STATISTICS) or given == ["std", "variance"]:
        what = "'std' and 'variance' exclude each other, expected one of them"
        raise UsageError.at(table.where, what)
    if len(given) == 1:
        missing = "'mean'" if given[0] != "mean" else "'std' or 'variance'"
        raise UsageError.at(table.where, f"'{given[0]}' is given, but no {missing} with it")
    key = given[-1] if given else "std"
    values = table.numbers(key, 1)
    if any(value <= 0 for value in values):
        table.refuse(key, "numbers above 0")
    return values
