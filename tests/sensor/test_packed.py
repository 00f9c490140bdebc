"""Values that share bytes: pixels of cameras and pairs of 12 bits, as C and as real numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.sensor.images import Case, Toml, compiled, described, identity, run_cases
from tests.sensor.meaning import expected
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray
from tinyml_rules.quantizer.request import Arrays
from tinyml_rules.quantizer.samples import with_real_values
from tinyml_rules.sensor.real_values import real_values
from tinyml_rules.target.target import Target

SCALE, ZERO_POINT = 1 / 200, -120
NORMALIZED: Toml = {"scale": 0.004, "mean": [0.4, 0.5, 0.6], "std": [0.8, 1, 1.2]}
EVERY_WORD = np.arange(2**16)


def rgb565(words: AnyArray, channels: int) -> AnyArray:
    """Colours from 0 to 255, or the brightness that Pillow's convert("L") gives."""
    five, six = (words >> 11 & 31, words & 31), words >> 5 & 63
    red, blue = (each * 8 + each // 4 for each in five)
    green = six * 4 + six // 16
    if channels == 1:
        light: AnyArray = (red * 19595 + green * 38470 + blue * 7471 + 2**15)[:, None] // 2**16
        return light
    return np.stack([red, green, blue], axis=1)


def in_real_numbers(light: AnyArray, u: AnyArray, v: AnyArray, *, is_limited: bool) -> AnyArray:
    """BT.601 in float64, before it is rounded: [..., 3]."""
    y, cb, cr = light.astype(float), u - 128.0, v - 128.0
    if is_limited:
        y, cb, cr = (y - 16) * 255 / 219, cb * 255 / 224, cr * 255 / 224
    red, blue = y + 1.402 * cr, y + 1.772 * cb
    return np.stack([red, (y - 0.299 * red - 0.114 * blue) / 0.587, blue], axis=-1)


def yuv(pairs: AnyArray, channels: int, *, is_limited: bool) -> AnyArray:
    """Colours of [pairs, 4]: brightness, U, brightness, V; whole numbers in steps of 2^-16."""
    factors = [65536, 91881, -22553, -46802, 116130]
    if is_limited:
        factors = [76309, 104597, -25675, -53279, 132201]
    black = 16 if is_limited else 0
    light = (pairs[:, ::2] - black) * factors[0] + 2**15
    u, v = pairs[:, 1, None] - 128, pairs[:, 3, None] - 128
    red = light + v * factors[1]
    green = light + u * factors[2] + v * factors[3]
    blue = light + u * factors[4]
    rows = [light] if channels == 1 else [red, green, blue]
    found: AnyArray = np.clip(np.stack(rows, axis=-1) // 2**16, 0, 255)
    return found.reshape(-1, channels)


def pairs_in(order: str, values: AnyArray) -> bytes:
    """Two values of 12 bits in three bytes, [values]."""
    first, second = (values & 0xFFF).reshape(-1, 2).T
    rows = {
        "little": (first & 255, first >> 8 | (second & 15) << 4, second >> 4),
        "big": (first >> 4, (first & 15) << 4 | second >> 8, second & 255),
        "mipi": (first >> 4, second >> 4, (second & 15) << 4 | first & 15),
    }[order]
    return np.stack(rows, axis=1).astype(np.uint8).tobytes()


def case_of(
    name: str, target: Target, folder: Path, table: Toml, data: bytes, *, values: int
) -> Case:
    """A case of as many values a call as `values` says."""
    channels = int(str(table["channels"]))
    shape = (1, values // channels, channels)
    model = identity(shape, scale=SCALE, zero_point=ZERO_POINT)
    return Case(name, compiled(name, model, target, described(table, folder, name=name)), data)


def check(
    target: Target, folder: Path, cases: Sequence[tuple[Toml, bytes, AnyArray]], values: int
) -> None:
    """Each case, (description, bytes, [samples, channels] that they are), gives its values; and
    quantized by numpy so do the real numbers of `quantize --sensor`."""
    made, wanted = [], {}
    for number, (table, data, raw) in enumerate(cases):
        case = case_of(f"m{number}", target, folder, table, data, values=values)
        assert case.turns * case.raw_bytes == len(data)
        made.append(case)
        wanted[case.name] = expected(table, raw, scale=SCALE, zero_point=ZERO_POINT)
    found = run_cases(target, made, folder)
    for case in made:
        assert np.array_equal(found[case.name].of("int8"), wanted[case.name].reshape(-1)), case.name


def quantized(real: AnyArray) -> AnyArray:
    """As LiteRT's QUANTIZE does it."""
    scaled = (real / np.float32(SCALE)).astype(np.float64)
    rounded = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)
    found: AnyArray = np.clip(rounded + ZERO_POINT, -128, 127).astype(np.int8)
    return found


def recorded(table: Toml, data: bytes, folder: Path) -> AnyArray:
    """The real numbers of the bytes of pictures of 16 by 8 pixels, by `quantize --sensor`."""
    inputs = described(table, folder).inputs
    frames = np.frombuffer(data, np.uint8).reshape(-1, 8, 16, 2)
    found = with_real_values(Arrays("cal.npy", {"": frames}), inputs).by_name[""]
    assert found.shape == (*frames.shape[:3], table["channels"]) and found.dtype == np.float32
    return found


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("endianness", ["little", "big"])
def test_every_pixel_of_rgb565(endianness: str, channels: int, tmp_path: Path) -> None:
    """All 65,536, as C under sanitizers and as real numbers."""
    order = "<u2" if endianness == "little" else ">u2"
    data = EVERY_WORD.astype(order).tobytes()
    table: Toml = {"raw": "rgb565", "channels": channels, "endianness": endianness}
    normalized = table | (NORMALIZED if channels == 3 else {"scale": 0.004})
    raw = rgb565(EVERY_WORD, channels)
    one = table | {"scale": 0.005, "offset": -0.04}
    cases = [(normalized, data, raw), (one, data, raw)]
    check(target_or_skip(SANITIZED), tmp_path, cases, values=2**12 * channels)
    for described_as, _, _ in cases:
        real = recorded(described_as, data, tmp_path)
        wanted = expected(described_as, raw, scale=SCALE, zero_point=ZERO_POINT)
        assert np.array_equal(quantized(real).reshape(wanted.shape), wanted)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("levels", ["full", "limited"])
def test_yuv(levels: str, channels: int, tmp_path: Path) -> None:
    """Both orders, with the ends of every component, as C under sanitizers and as real numbers."""
    rng = np.random.default_rng(channels)
    pairs = rng.integers(0, 256, (2**13, 4))
    pairs[:256] = np.array(np.meshgrid(*[(0, 16, 240, 255)] * 4)).reshape(4, -1).T
    raw = yuv(pairs, channels, is_limited=levels == "limited")
    cases = []
    for order, places in (("yuyv", [0, 1, 2, 3]), ("uyvy", [1, 0, 3, 2])):
        table: Toml = {"raw": order, "channels": channels, "levels": levels}
        table |= NORMALIZED if channels == 3 else {"scale": 0.004}
        cases.append((table, pairs[:, places].astype(np.uint8).tobytes(), raw))
    check(target_or_skip(SANITIZED), tmp_path, cases, values=2**10 * channels)
    for table, data, _ in cases:
        wanted = expected(table, raw, scale=SCALE, zero_point=ZERO_POINT)
        assert np.array_equal(
            quantized(recorded(table, data, tmp_path)).reshape(wanted.shape), wanted
        )


@pytest.mark.parametrize("is_limited", [False, True])
def test_colours_are_those_of_bt601(is_limited: bool, tmp_path: Path) -> None:
    """For all 2^24 pixels: the nearest whole numbers, but for one in 1,000 that is 1 beside it."""
    levels = "limited" if is_limited else "full"
    table: Toml = {"raw": "yuyv", "channels": 3, "levels": levels}
    sensor = described(table, tmp_path).inputs[""]
    u, v = (each.reshape(-1) for each in np.meshgrid(np.arange(256), np.arange(256)))
    others = 0
    for light in range(0, 256, 2):
        pairs = np.stack([np.full_like(u, light), u, np.full_like(u, light + 1), v], axis=1)
        found = real_values(sensor, pairs.reshape(1, -1, 2)).reshape(-1, 2, 3)
        for place in (0, 1):
            real = in_real_numbers(pairs[:, 2 * place], u, v, is_limited=is_limited)
            apart = np.abs(found[:, place] - np.clip(np.floor(real + 0.5), 0, 255))
            assert apart.max() <= 1
            others += int((apart.max(axis=1) > 0).sum())
    assert others < 2**24 / 1000


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("raw", ["uint12", "int12"])
def test_every_value_of_pairs(raw: str, channels: int, tmp_path: Path) -> None:
    """All 4,096 in both places, in each order of bits, as C under sanitizers."""
    signed = raw == "int12"
    values = np.arange(-2048, 2048) if signed else np.arange(4096)
    both = np.stack([values, np.roll(values, 1733)], axis=1)
    padded = np.resize(both.reshape(-1), (12288,))
    cases = []
    for order in ("little", "big", "mipi"):
        table: Toml = {"raw": raw, "storage": "packed", "endianness": order, "channels": channels}
        if order == "mipi":
            table = {"raw": raw, "storage": "mipi", "channels": channels, "offset_bytes": 3}
        table |= {"scale": 0.0003, "mean": 0.2, "std": 0.9}
        if channels > 1:
            table |= {"std": [0.9, 1.3, 0.7][:channels]}
        data = pairs_in(order, padded)
        if order == "mipi":
            data = bytes([1, 2, 3]) + data
        cases.append((table, data, padded.reshape(-1, channels)))
    check(target_or_skip(SANITIZED), tmp_path, cases, values=12288)


@pytest.mark.parametrize("part", ["atmega328", "nrf52840"])
def test_on_parts(part: str, tmp_path: Path) -> None:
    """Every packing on emulated parts, and numbers of 32 bits."""
    target, rng = target_or_skip(part), np.random.default_rng(3)
    words = rng.integers(0, 2**16, 192)
    pairs = rng.integers(0, 256, (96, 4))
    twelve = rng.integers(-2048, 2048, 384)
    data = words.astype(">u2").tobytes()
    cases: list[tuple[Toml, bytes, AnyArray]] = []
    for channels in (1, 3):
        table: Toml = {"raw": "rgb565", "channels": channels, "endianness": "big", "scale": 0.004}
        cases.append((table, data, rgb565(words, channels)))
        frames = pairs.astype(np.uint8).tobytes()
        table = {"raw": "yuyv", "channels": channels, "levels": "limited", "scale": 0.004}
        cases.append((table, frames, yuv(pairs, channels, is_limited=True)))
    table = {"raw": "rgb565", "channels": 3, "endianness": "big", **NORMALIZED}
    cases.append((table, data, rgb565(words, 3)))
    table = {"raw": "int12", "storage": "packed", "channels": 3, "scale": 0.0004}
    cases.append((table, pairs_in("little", twelve), twelve.reshape(-1, 3)))
    long = rng.integers(0, 2**32, 192)
    table = {"raw": "uint32", "channels": 1, "endianness": "big", "scale": 3e-10}
    cases.append((table, long.astype(">u4").tobytes(), long[:, None]))
    check(target, tmp_path, cases, values=96)
