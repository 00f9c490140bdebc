"""Random descriptions of sensors, each with a quantization of the tensor that it is for."""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from tests.sensor.images import Toml
from tests.support.tflm import AnyArray
from tinyml_rules.sensor.raw_input import limits_of


@dataclass(frozen=True)
class Drawn:
    """A table `[input]`, the tensor's quantization, and the raw values of its range, rising."""

    table: Toml
    channels: int
    scale: float
    zero_point: int
    raw: AnyArray


def draw(rng: random.Random, *, bits: int, reference: str, channels: int = 1) -> Drawn:
    """Some converter, some physical unit, mean and deviation of a recording."""
    is_signed = rng.random() < 0.5
    storage = rng.choice([each for each in (8, 16, 24, 32) if each >= bits])
    table: Toml = {
        "raw": f"{'' if is_signed else 'u'}int{bits}",
        "storage": f"{rng.choice(['', 'u'])}int{storage}",
        "aligned": rng.choice(["left", "right"]),
        "endianness": rng.choice(["little", "big"]),
        "reference": reference,
    }
    least, most = limits_of(bits, is_signed=is_signed)
    if rng.random() < 0.3:
        least, most = least + rng.randrange(1, 2 ** (bits - 2)), most - rng.randrange(20)
        table["range"] = [least, most]
    unit = 10 ** rng.uniform(-4, 3)
    table["scale"] = _number(rng.choice([1, 1, 1, -1]) * unit / (most - least))
    if rng.random() < 0.5:
        table["offset"] = _number(rng.uniform(-0.5, 0.5) * unit)
    if channels > 1 or rng.random() < 0.7:
        mean = [_number(rng.uniform(-0.3, 0.3) * unit) for _ in range(channels)]
        std = [_number(rng.uniform(0.1, 0.6) * unit) for _ in range(channels)]
        key, numbers = ("std", std) if rng.random() < 0.7 else ("variance", _squares(std))
        table["mean"] = mean if channels > 1 else mean[0]
        table[key] = numbers if channels > 1 else numbers[0]
        span = 1 / rng.uniform(0.1, 0.6)
    else:
        span = unit
    table |= _layout(rng, storage // 8, channels)
    scale = float(np.float32(span * rng.uniform(0.3, 1.5) / 255))
    return Drawn(table, channels, scale, rng.randint(-128, 127), np.arange(least, most + 1))


def _layout(rng: random.Random, word: int, channels: int) -> Toml:
    """How the words lie: as close as they can, or with others between them."""
    table: Toml = {}
    if rng.random() < 0.5:
        table["layout"] = rng.choice(["sample-major", "channel-major"])
    if rng.random() < 0.5:
        table["offset_bytes"] = rng.randrange(7)
    if rng.random() < 0.3:
        is_row = table.get("layout") != "channel-major"
        table["stride_bytes"] = word * (channels if is_row else 1) + rng.randrange(1, 6)
    return table


def _number(value: float) -> Decimal:
    return Decimal(f"{value:.6g}")


def _squares(values: list[Decimal]) -> list[Decimal]:
    return [_number(float(each) ** 2) for each in values]
