"""What a description means, by arithmetic that shares nothing with the compiler's."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from tests.sensor.images import Toml
from tests.support.tflm import AnyArray

_DIGITS = 60
"""Of a square root: a quotient that is this close to a half would be an integer's."""


def expected(
    table: Toml, raw: AnyArray, *, scale: float, zero_point: int, dtype: str = "int8"
) -> AnyArray:
    """The quantized values of raw ones, [samples, channels], as `[input]` says."""
    columns = []
    for channel in range(raw.shape[1]):
        numbers = {key: _of_channel(table, key, channel) for key in _DEFAULTS}
        chain = _exact if table.get("reference") == "exact" else _float32
        rounded = chain(raw[:, channel], numbers, "variance" in table, scale)
        columns.append(rounded + zero_point)
    info = np.iinfo(dtype)
    found: AnyArray = np.clip(np.stack(columns, axis=1), info.min, info.max).astype(dtype)
    return found


_DEFAULTS = {"scale": "1", "offset": "0", "mean": "0", "deviation": "1"}


def _of_channel(table: Toml, key: str, channel: int) -> str:
    names = ("std", "variance") if key == "deviation" else (key,)
    value = next((table[name] for name in names if name in table), _DEFAULTS[key])
    return str(value[channel] if isinstance(value, list) else value)


def _float32(raw: AnyArray, numbers: dict[str, str], is_variance: bool, scale: float) -> AnyArray:
    """As numpy's user writes it, with one float32 operation behind the other."""
    factor, offset, mean, deviation = (np.float32(each) for each in numbers.values())
    std = np.sqrt(deviation) if is_variance else deviation
    steps = (((raw.astype(np.float32) * factor + offset) - mean) / std) / np.float32(scale)
    assert steps.dtype == np.float32
    whole = np.trunc(steps.astype(np.float64))
    rest = steps.astype(np.float64) - whole
    return (whole + np.where(rest >= 0.5, 1, 0) - np.where(rest <= -0.5, 1, 0)).astype(np.int64)


def _exact(raw: AnyArray, numbers: dict[str, str], is_variance: bool, scale: float) -> AnyArray:
    """As fractions; a root is an integer's square root to 60 digits."""
    factor, offset, mean, deviation = (Fraction(each) for each in numbers.values())
    step = Fraction(float(np.float32(scale)))
    if is_variance:
        with localcontext() as context:
            context.prec = _DIGITS
            quotient = Decimal(deviation.numerator) / Decimal(deviation.denominator)
            deviation = Fraction(quotient.sqrt())
    slope, start = factor / deviation / step, (offset - mean) / deviation / step
    whole = math.lcm(slope.denominator, start.denominator)
    rise, first = int(slope * whole), int(start * whole)
    values = [rise * each + first for each in raw.tolist()]
    sizes = [(2 * abs(value) + whole) // (2 * whole) for value in values]
    return np.array([s if v >= 0 else -s for s, v in zip(sizes, values, strict=True)], np.int64)


def packed(table: Toml, raw: AnyArray, rng: np.random.Generator) -> bytes:
    """Raw values, [samples, channels], as they lie in memory, with random bits between them."""
    word = str(table.get("storage", table["raw"])).removeprefix("u").removeprefix("int")
    bits = int(str(table["raw"]).removeprefix("u").removeprefix("int"))
    storage = -(-int(word) // 8) if int(word) <= 24 else 4
    free = 8 * storage - bits
    junk = rng.integers(0, 2**free, raw.shape, dtype=np.int64)
    pattern = raw & (2**bits - 1)
    words = pattern << free | junk if table.get("aligned") == "left" else pattern | junk << bits
    samples, channels = raw.shape
    if table.get("layout") == "channel-major":
        inner = int(str(table.get("stride_bytes", storage)))
        outer = int(str(table.get("channel_stride_bytes", inner * samples)))
        places = np.arange(channels) * outer + np.arange(samples)[:, None] * inner
    else:
        inner = int(str(table.get("channel_stride_bytes", storage)))
        outer = int(str(table.get("stride_bytes", inner * channels)))
        places = np.arange(channels) * inner + np.arange(samples)[:, None] * outer
    places = places + int(str(table.get("offset_bytes", 0)))
    memory = rng.integers(0, 256, int(places.max()) + storage, dtype=np.uint8)
    for byte in range(storage):
        place = storage - 1 - byte if table.get("endianness") == "big" else byte
        memory[places + place] = (words >> 8 * byte) & 255
    return memory.tobytes()
