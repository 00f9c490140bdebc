"""The keys of `[input]` in a description, and the words that they take."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tinyml_rules.sensor.key import Free, Key, Reals, Whole, Word, names_of


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


class Levels(StrEnum):
    """Which brightness of a YUV picture is black, and which white."""

    FULL = "full"
    """0 and 255."""
    LIMITED = "limited"
    """16 and 235; colours have 16 to 240."""


class Packing(StrEnum):
    """What shares bytes, in words of `storage` and of `raw`."""

    NONE = ""
    """Every value has a word of its own."""
    PAIRS = "packed"
    MIPI = "mipi"
    RGB565 = "rgb565"
    YUYV = "yuyv"
    UYVY = "uyvy"

    @property
    def is_pixels(self) -> bool:
        """Pixels of a camera, which become red, green and blue, or brightness."""
        return self in PIXELS


PAIRS = {
    Packing.PAIRS: "two values of 12 bits in three bytes, by `endianness`: the lower bits of the "
    "first value in the first byte, or the upper ones",
    Packing.MIPI: "two values of 12 bits in three bytes: the upper 8 bits of both, then the lower "
    "4 of the second and of the first",
}
"""Words of `storage` for values that share bytes."""
PIXELS = {
    Packing.RGB565: "pixels of 16 bits: 5 of red, 6 of green, 5 of blue",
    Packing.YUYV: "two pixels in four bytes: brightness, U, brightness, V",
    Packing.UYVY: "two pixels in four bytes: U, brightness, V, brightness",
}
"""Words of `raw` for pixels."""
PIXEL_CHANNELS = (1, 3)
"""Brightness; red, green and blue."""
PAIR_BITS = 12
RAWS: Mapping[str, tuple[bool, int]] = {
    **{f"int{bits}": (True, bits) for bits in range(2, 33)},
    **{f"uint{bits}": (False, bits) for bits in range(2, 33)},
    **{str(word): (False, 8) for word in PIXELS},
}
"""Whether a raw value is signed, and its bits, by the word for it; those of a pixel's colours."""
STORAGE = {f"{sign}int{bits}": bits for bits in (8, 16, 24, 32) for sign in ("", "u")}
_MOST_BYTES = 2**24
"""Largest stride: more than the memory of any part."""

_RAW = Free(
    "raw",
    "the bits of a raw value, and whether it is signed; or the pixels of a camera",
    "int16",
    form={"type": "string", "enum": list(RAWS)},
)
STORAGE_KEY = Word(
    "storage",
    "the word that holds a raw value; without it the narrowest with room",
    "int16",
    meanings={word: f"{bits} bits" for word, bits in STORAGE.items()}
    | {str(word): meaning for word, meaning in PAIRS.items()},
)
ALIGNED = Word(
    "aligned",
    "on which side of a wider word the bits are; all other bits may be anything",
    default=Aligned.RIGHT,
    meanings={Aligned.RIGHT: "in the lower bits", Aligned.LEFT: "in the upper bits"},
)
ENDIANNESS = Word(
    "endianness",
    "which byte of a word is first",
    default=Endianness.LITTLE,
    meanings={Endianness.LITTLE: "the lowest", Endianness.BIG: "the highest"},
)
LEVELS = Word(
    "levels",
    "of YUV pixels, which brightness is black and which white",
    default=Levels.FULL,
    meanings={
        Levels.FULL: "0 and 255, as in JPEG",
        Levels.LIMITED: "16 and 235, as in video; colours have 16 to 240",
    },
)
LAYOUT = Word(
    "layout",
    "what is adjacent",
    default=Layout.SAMPLE_MAJOR,
    meanings={
        Layout.SAMPLE_MAJOR: "the channels of a sample",
        Layout.CHANNEL_MAJOR: "the samples of a channel",
    },
)
CHANNELS = Whole(
    "channels",
    "how many values a sample has; without it the last dimension of the input",
    3,
    least=1,
    most=_MOST_BYTES,
)
STRIDE = Whole(
    "stride_bytes",
    "bytes from one sample to the next; what is between is skipped",
    8,
    least=1,
    most=_MOST_BYTES,
)
CHANNEL_STRIDE = Whole(
    "channel_stride_bytes",
    "bytes from one channel to the next",
    2,
    least=1,
    most=_MOST_BYTES,
)
OFFSET_BYTES = Whole(
    "offset_bytes", "bytes from the given address to the first value", most=_MOST_BYTES, default=0
)
_RANGE = Free(
    "range",
    "the least and the greatest raw value that the converter gives; without it all of `raw`",
    [0, 4095],
    form={"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
)
SCALE = Reals(
    "scale",
    "real = raw * scale + offset; one number, or one for each channel",
    0.001,
    default=1,
    not_zero=True,
    words="numbers other than 0",
)
OFFSET = Reals("offset", "real = raw * scale + offset; one number, or one for each channel", -128)
MEAN = Reals("mean", "of the normalization (real - mean) / std; one, or one for each channel", 0.5)
STD = Reals(
    "std",
    "of the normalization (real - mean) / std; one, or one for each channel",
    0.25,
    default=1,
    above_zero=True,
    words="numbers above 0",
)
VARIANCE = Reals(
    "variance",
    "the square of `std`, in place of it",
    0.0625,
    default=1,
    above_zero=True,
    words="numbers above 0",
)
REFERENCE = Word(
    "reference",
    "the arithmetic whose quantized values the C matches",
    default=Reference.FLOAT32,
    meanings={
        Reference.FLOAT32: "each operation rounded to float32, in the order of the formula",
        Reference.EXACT: "real numbers",
    },
)
STATISTICS = ("mean", "std", "variance")
MAP_KEYS: tuple[Reals, ...] = (SCALE, OFFSET, MEAN, STD, VARIANCE)
OF_CHANNELS = names_of(MAP_KEYS)
"""The keys that say what a raw value means, one number or one for each channel."""
INPUT_KEYS: tuple[Key, ...] = (
    *(_RAW, STORAGE_KEY, ALIGNED, ENDIANNESS, LEVELS, LAYOUT, CHANNELS),
    *(STRIDE, CHANNEL_STRIDE, OFFSET_BYTES, _RANGE, *MAP_KEYS, REFERENCE),
)
"""Every key of the table."""
EXCLUSIVE = (("std", "variance"),)
"""Keys of which a table has at most one."""
_OF_WORDS = ("aligned", "layout", "stride_bytes", "channel_stride_bytes")
_OF_NUMBERS = ("storage", "range", *_OF_WORDS)
USELESS: Mapping[Packing, tuple[str, ...]] = {
    Packing.NONE: ("levels",),
    Packing.PAIRS: ("levels", *_OF_WORDS),
    Packing.MIPI: ("levels", "endianness", *_OF_WORDS),
    Packing.RGB565: ("levels", *_OF_NUMBERS),
    Packing.YUYV: ("endianness", *_OF_NUMBERS),
    Packing.UYVY: ("endianness", *_OF_NUMBERS),
}
"""Keys that mean nothing with a packing."""
