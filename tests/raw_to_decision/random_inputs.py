"""Random converters: the numbers and the layout of `[input]`, and a quantization for its tensor."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tests.raw_to_decision.exact import Numbers, Quantization

Toml = dict[str, object]
BITS = (2, 3, 5, 7, 8, 8, 8, 10, 12, 12, 14, 16, 16, 16, 20, 24, 31, 32)
WIDE_BITS = (14, 15, 16)
_OUTLIERS = 0.04


@dataclass(frozen=True)
class Converter:
    """What gives raw values."""

    bits: int
    is_signed: bool
    span: tuple[int, int]

    @property
    def of_type(self) -> tuple[int, int]:
        """The least and the greatest value that the bits hold."""
        half = 1 << (self.bits - 1)
        return (-half, half - 1) if self.is_signed else (0, 2 * half - 1)


def random_converter(rng: random.Random, *, is_wide: bool) -> tuple[Converter, Toml]:
    """Bits, word and order of bytes; what is the default is said or not.  `is_wide`: for a sensor
    that sees a little more than the model, where a line has large numbers."""
    bits = rng.choice(WIDE_BITS if is_wide else BITS)
    is_signed = rng.random() < (0.1 if is_wide else 0.5)
    bits = min(bits, 32 if is_signed else 31)
    storage = rng.choice([each for each in (8, 16, 24, 32) if each >= bits])
    table: Toml = {"raw": f"{'' if is_signed else 'u'}int{bits}"}
    is_narrowest = storage < bits + 8
    if not is_narrowest or rng.random() < 0.5:
        table["storage"] = f"{rng.choice(['', 'u'])}int{storage}"
    for key, words in (("aligned", ("right", "left")), ("endianness", ("little", "big"))):
        word = rng.choice(words)
        if word != words[0] or rng.random() < 0.3:
            table[key] = word
    whole = Converter(bits, is_signed, (0, 0)).of_type
    span = whole
    if rng.random() < (0.05 if is_wide else 0.3):
        first, last = sorted(rng.sample(range(whole[0], whole[1] + 1), 2))
        span = (first, last)
        table["range"] = list(span)
    return Converter(bits, is_signed, span), table


def _decimal(rng: random.Random, value: float) -> str:
    """With as many digits as people write."""
    text = f"{value:.{rng.randint(1, 9)}g}"
    return text if Fraction(text) else "1"


def random_numbers(
    rng: random.Random, converter: Converter, channels: int, *, is_wide: bool
) -> tuple[list[Numbers], Toml]:
    """Those of each channel, and the keys that say them: one number, or one for each."""
    unit = 10 ** rng.uniform(-3, 4)
    if rng.random() < _OUTLIERS:
        unit = 10 ** rng.uniform(-12, 12)
    first, last = converter.span
    table: Toml = {}

    def several(key: str, value: float, spread: float) -> list[str]:
        is_one = channels == 1 or rng.random() < 0.5
        found = [
            _decimal(rng, value + spread * rng.uniform(-1, 1))
            for _ in range(1 if is_one else channels)
        ]
        table[key] = found[0] if is_one else found
        return found * channels if is_one else found

    step = rng.choice([1, 1, 1, -1]) * unit / (last - first)
    if rng.random() < (0 if is_wide else 0.2):  # ties, and a whole number of raw values a step
        step = 2.0 ** round(np.log2(abs(step)))
    scale = several("scale", step, step / (50 if is_wide else 4))
    offset = ["0"] * channels
    if is_wide or rng.random() < 0.5:
        offset = several("offset", -step * (first + last) / 2, unit / (50 if is_wide else 2))
    if is_wide or rng.random() < 0.5:
        mean, deviation = ["0"] * channels, ["1"] * channels
    else:
        mean = several("mean", 0, unit / 2)
        key = rng.choice(["std", "std", "variance"])
        size = rng.uniform(0.1, 1) * unit
        size = size * size if key == "variance" else size
        deviation = several(key, size, size / 2)
    columns = zip(scale, offset, mean, deviation, strict=True)
    return [Numbers(*each) for each in columns], table


def random_layout(rng: random.Random, table: Toml, channels: int, samples: int) -> Toml:
    """How the words lie: as close as they can, or with others between them."""
    bits = int(str(table.get("storage", table["raw"])).removeprefix("u").removeprefix("int"))
    word = -(-bits // 8)
    found: Toml = {}
    layout = rng.choice(["sample-major", "channel-major"])
    if layout == "channel-major" or rng.random() < 0.3:
        found["layout"] = layout
    if rng.random() < 0.4:
        found["offset_bytes"] = rng.randrange(7)
    keys = ("channel_stride_bytes", "stride_bytes")
    (inner, outer), count = (keys, channels) if layout == "sample-major" else (keys[::-1], samples)
    apart = word
    if rng.random() < 0.3:
        apart = word + rng.randrange(4)
        found[inner] = apart
    if rng.random() < 0.3:
        found[outer] = apart * (count - 1) + word + rng.randrange(6)
    return found


def random_quantization(
    rng: random.Random,
    converter: Converter,
    numbers: list[Numbers],
    dtype: str,
    *,
    is_variance: bool,
    is_wide: bool,
) -> Quantization:
    """Of a tensor whose range is a part of what the sensor sees, all of it, or more."""
    info = np.iinfo(dtype)
    limits = int(info.min), int(info.max)
    ends = []
    for each in numbers:
        scale, offset, mean, deviation = map(float, vars(each).values())
        std = deviation**0.5 if is_variance else deviation
        ends += [(raw * scale + offset - mean) / std for raw in converter.span]
    low, high = min(ends), max(ends)
    width = (high - low) * 10 ** (rng.uniform(-0.6, 0) if is_wide else rng.uniform(-0.8, 0.4))
    centre = (low + high) / 2 + (high - low) * rng.uniform(-0.4, 0.4) * (not is_wide)
    step = width / (limits[1] - limits[0])
    if not is_wide and rng.random() < 0.25:
        step = 2.0 ** round(np.log2(step))
    if not is_wide and rng.random() < 0.08:  # each raw value is a quantized one of its own
        step = abs(float(numbers[0].scale) / float(numbers[0].deviation))
    tensor_scale = float(np.float32(min(max(step, 1e-30), 1e30)))
    zero_point = round(limits[0] - (centre - width / 2) / tensor_scale) if dtype != "int16" else 0
    return Quantization(tensor_scale, min(max(zero_point, limits[0]), limits[1]), limits)
