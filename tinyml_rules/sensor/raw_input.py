"""`[input]` of a description: the raw values of a sensor, and the real values that they mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.sensor.key import Free, Key, Reals, Whole, Word, names_of
from tinyml_rules.sensor.table import Table


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


_RAWS = {
    **{f"int{bits}": (True, bits) for bits in range(2, 33)},
    **{f"uint{bits}": (False, bits) for bits in range(2, 32)},
}
"""Whether a raw value is signed, and its bits, by the word for it: a raw value is an int32_t."""
_STORAGE = {f"{sign}int{bits}": bits for bits in (8, 16, 24, 32) for sign in ("", "u")}
_MOST_BYTES = 2**24
"""Largest stride: more than the memory of any part."""

_RAW = Free(
    "raw",
    "the bits of a raw value, and whether it is signed",
    "int16",
    form={"type": "string", "enum": list(_RAWS)},
)
_STORAGE_KEY = Word(
    "storage",
    "the word that holds a raw value; without it the narrowest with room",
    "int16",
    meanings={word: f"{bits} bits" for word, bits in _STORAGE.items()},
)
_ALIGNED = Word(
    "aligned",
    "on which side of a wider word the bits are; all other bits may be anything",
    default=Aligned.RIGHT,
    meanings={Aligned.RIGHT: "in the lower bits", Aligned.LEFT: "in the upper bits"},
)
_ENDIANNESS = Word(
    "endianness",
    "which byte of a word is first",
    default=Endianness.LITTLE,
    meanings={Endianness.LITTLE: "the lowest", Endianness.BIG: "the highest"},
)
_LAYOUT = Word(
    "layout",
    "what is adjacent",
    default=Layout.SAMPLE_MAJOR,
    meanings={
        Layout.SAMPLE_MAJOR: "the channels of a sample",
        Layout.CHANNEL_MAJOR: "the samples of a channel",
    },
)
_CHANNELS = Whole(
    "channels",
    "how many values a sample has; without it the last dimension of the input",
    3,
    least=1,
    most=_MOST_BYTES,
)
_STRIDE = Whole(
    "stride_bytes",
    "bytes from one sample to the next; what is between is skipped",
    8,
    least=1,
    most=_MOST_BYTES,
)
_CHANNEL_STRIDE = Whole(
    "channel_stride_bytes",
    "bytes from one channel to the next",
    2,
    least=1,
    most=_MOST_BYTES,
)
_OFFSET_BYTES = Whole(
    "offset_bytes", "bytes from the given address to the first value", most=_MOST_BYTES, default=0
)
_RANGE = Free(
    "range",
    "the least and the greatest raw value that the converter gives; without it all of `raw`",
    [0, 4095],
    form={"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
)
_SCALE = Reals(
    "scale",
    "real = raw * scale + offset; one number, or one for each channel",
    0.001,
    default=1,
    not_zero=True,
    words="numbers other than 0",
)
_OFFSET = Reals("offset", "real = raw * scale + offset; one number, or one for each channel", -128)
_MEAN = Reals("mean", "of the normalization (real - mean) / std; one, or one for each channel", 0.5)
_STD = Reals(
    "std",
    "of the normalization (real - mean) / std; one, or one for each channel",
    0.25,
    default=1,
    above_zero=True,
    words="numbers above 0",
)
_VARIANCE = Reals(
    "variance",
    "the square of `std`, in place of it",
    0.0625,
    default=1,
    above_zero=True,
    words="numbers above 0",
)
_REFERENCE = Word(
    "reference",
    "the arithmetic whose quantized values the C matches",
    default=Reference.FLOAT32,
    meanings={
        Reference.FLOAT32: "each operation rounded to float32, in the order of the formula",
        Reference.EXACT: "real numbers",
    },
)
_STATISTICS = ("mean", "std", "variance")
MAP_KEYS: tuple[Reals, ...] = (_SCALE, _OFFSET, _MEAN, _STD, _VARIANCE)
OF_CHANNELS = names_of(MAP_KEYS)
"""The keys that say what a raw value means, one number or one for each channel."""
INPUT_KEYS: tuple[Key, ...] = (
    *(_RAW, _STORAGE_KEY, _ALIGNED, _ENDIANNESS, _LAYOUT, _CHANNELS),
    *(_STRIDE, _CHANNEL_STRIDE, _OFFSET_BYTES, _RANGE, *MAP_KEYS, _REFERENCE),
)
"""Every key of the table."""
EXCLUSIVE = (("std", "variance"),)
"""Keys of which a table has at most one."""


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
    table.check_known(names_of(INPUT_KEYS))
    is_signed, bits = _raw(table)
    described = RawInput(
        where=table.where,
        bits=bits,
        is_signed=is_signed,
        storage_bits=_storage(table, bits),
        aligned=Aligned(_ALIGNED.of(table)),
        endianness=Endianness(_ENDIANNESS.of(table)),
        layout=Layout(_LAYOUT.of(table)),
        channels=_CHANNELS.given(table),
        stride_bytes=_STRIDE.given(table),
        channel_stride_bytes=_CHANNEL_STRIDE.given(table),
        offset_bytes=_OFFSET_BYTES.of(table),
        range=_range(table, limits_of(bits, is_signed=is_signed)),
    )
    return read_map(table, described)


def read_map(table: Table, described: RawInput) -> RawInput:
    """The same with the real values that the table gives raw values; raises UsageError."""
    return replace(
        described,
        scale=_SCALE.of(table),
        offset=_OFFSET.of(table),
        mean=_MEAN.of(table),
        std=_std(table),
        is_variance=_VARIANCE.is_in(table),
        reference=Reference(_REFERENCE.of(table)),
    )


def _raw(table: Table) -> tuple[bool, int]:
    """Whether a raw value is signed, and its bits."""
    word = table.text("raw")
    if word not in _RAWS:
        hint = did_you_mean(word, _STORAGE)
        table.refuse("raw", '"int2" to "int32" or "uint2" to "uint31"', hint=hint)
    return _RAWS[word]


def _storage(table: Table, bits: int) -> int:
    """Bits of the word that contains a value: the narrowest that has room."""
    default = next(word for word, room in _STORAGE.items() if room >= bits)
    room = _STORAGE[_STORAGE_KEY.of(table, default=default)]
    if room < bits:
        what = f"'raw' has {bits} bits, but 'storage' has room for {room}"
        raise UsageError.at(table.where, what)
    return room


def _range(table: Table, of_type: tuple[int, int]) -> tuple[int, int]:
    least, most = of_type
    values = table.values.get("range", [least, most])
    is_pair = isinstance(values, list) and len(values) == 2
    if not is_pair or any(type(each) is not int for each in values):
        table.refuse("range", "the least and the greatest raw value, two whole numbers")
    if not least <= values[0] < values[1] <= most:
        table.refuse("range", f"two rising numbers within [{least}, {most}], what 'raw' can hold")
    return values[0], values[1]


def _std(table: Table) -> tuple[Fraction, ...]:
    """Or the variance, whichever is given."""
    for keys in EXCLUSIVE:
        table.check_one(*keys)
    given = [key for key in _STATISTICS if key in table.values]
    if len(given) == 1:
        missing = "'mean'" if given[0] != "mean" else "'std' or 'variance'"
        raise UsageError.at(table.where, f"'{given[0]}' is given, but no {missing} with it")
    return (_VARIANCE if _VARIANCE.is_in(table) else _STD).of(table)
