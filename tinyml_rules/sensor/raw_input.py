"""`[input]` of a description: the raw values of a sensor, and the real values that they mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.sensor import raw_keys
from tinyml_rules.sensor.key import names_of
from tinyml_rules.sensor.raw_keys import (
    PAIR_BITS,
    PIXEL_CHANNELS,
    Aligned,
    Endianness,
    Layout,
    Levels,
    Packing,
    Reference,
)
from tinyml_rules.sensor.table import Table


@dataclass(frozen=True)
class RawInput:
    """The raw values of one input; `where` is the table's name in errors.

    real = ((raw * scale + offset) - mean) / std, each of the five one number or one for each
    channel.  `std` is given by its square where `is_variance`.

    Values that share bytes, by `packing`, are in words of `storage_bits` after they were unpacked:
    of pixels the colours as uint8, or the brightness.
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
    packing: Packing = Packing.NONE
    levels: Levels = Levels.FULL

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
    table.check_known(names_of(raw_keys.INPUT_KEYS))
    is_signed, bits = _raw(table)
    packing = _packing(table, bits)
    described = RawInput(
        where=table.where,
        bits=bits,
        is_signed=is_signed,
        storage_bits=_storage(table, bits, packing),
        aligned=Aligned(raw_keys.ALIGNED.of(table)),
        endianness=Endianness(raw_keys.ENDIANNESS.of(table)),
        layout=Layout(raw_keys.LAYOUT.of(table)),
        channels=raw_keys.CHANNELS.given(table),
        stride_bytes=raw_keys.STRIDE.given(table),
        channel_stride_bytes=raw_keys.CHANNEL_STRIDE.given(table),
        offset_bytes=raw_keys.OFFSET_BYTES.of(table),
        range=_range(table, limits_of(bits, is_signed=is_signed)),
        packing=packing,
        levels=Levels(raw_keys.LEVELS.of(table)),
    )
    return read_map(table, described)


def read_map(table: Table, described: RawInput) -> RawInput:
    """The same with the real values that the table gives raw values; raises UsageError."""
    return replace(
        described,
        scale=raw_keys.SCALE.of(table),
        offset=raw_keys.OFFSET.of(table),
        mean=raw_keys.MEAN.of(table),
        std=_std(table),
        is_variance=raw_keys.VARIANCE.is_in(table),
        reference=Reference(raw_keys.REFERENCE.of(table)),
    )


def _raw(table: Table) -> tuple[bool, int]:
    """Whether a raw value is signed, and its bits."""
    word = table.text("raw")
    if word not in raw_keys.RAWS:
        hint = did_you_mean(word, (*raw_keys.STORAGE, *raw_keys.PIXELS))
        pixels = ", ".join(f'"{each}"' for each in raw_keys.PIXELS)
        table.refuse(
            "raw", f'"int2" to "int32", "uint2" to "uint32", or one of {pixels}', hint=hint
        )
    return raw_keys.RAWS[word]


def _packing(table: Table, bits: int) -> Packing:
    """What shares bytes; every key that is given means something with it."""
    raw, storage = table.values["raw"], table.values.get("storage")
    is_pixels, is_pairs = raw in raw_keys.PIXELS, storage in raw_keys.PAIRS
    found = Packing(str(raw) if is_pixels else str(storage) if is_pairs else "")
    setting = f'storage = "{storage}"' if is_pairs and not is_pixels else f'raw = "{raw}"'
    for useless in raw_keys.USELESS[found]:
        if useless in table.values:
            what = f"'{useless}' is given, but means nothing with {setting}"
            raise UsageError.at(table.where, what)
    if is_pixels and table.values.get("channels") not in PIXEL_CHANNELS:
        expected = "3 for red, green and blue, or 1 for brightness"
        if "channels" in table.values:
            table.refuse("channels", expected)
        raise UsageError.at(table.where, f"no 'channels', which {setting} needs: {expected}")
    if found and not is_pixels and bits != PAIR_BITS:
        what = f"'raw' has {bits} bits, but storage = \"{storage}\" is for values of {PAIR_BITS}"
        raise UsageError.at(table.where, what)
    return found


def _storage(table: Table, bits: int, packing: Packing) -> int:
    """Bits of the word that contains a value: the narrowest that has room."""
    default = next(word for word, room in raw_keys.STORAGE.items() if room >= bits)
    word = raw_keys.STORAGE_KEY.of(table, default=default)
    room = raw_keys.STORAGE[default if packing else word]
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
    for keys in raw_keys.EXCLUSIVE:
        table.check_one(*keys)
    given = [key for key in raw_keys.STATISTICS if key in table.values]
    if len(given) == 1:
        missing = "'mean'" if given[0] != "mean" else "'std' or 'variance'"
        raise UsageError.at(table.where, f"'{given[0]}' is given, but no {missing} with it")
    return (raw_keys.VARIANCE if raw_keys.VARIANCE.is_in(table) else raw_keys.STD).of(table)
