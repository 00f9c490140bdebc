"""Raw values of 17 to 32 bits: a line finds the step, and the end of the step decides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.sensor.images import Case, Toml, compiled, described, identity, run_cases
from tests.sensor.meaning import expected
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray
from tinyml_rules.sensor.forms import Steps
from tinyml_rules.sensor.put_raw import put_raw_functions
from tinyml_rules.target.target import Target

SAMPLES = 32
SCALE, ZERO_POINT = 0.0078125, 3

TABLES: tuple[Toml, ...] = (
    {"raw": "int24", "scale": 2.0**-23},
    {"raw": "int24", "scale": -1.3e-7, "mean": [0.01, -0.02], "std": [1, 0.9], "channels": 2},
    {"raw": "uint24", "endianness": "big", "scale": 1.1e-7, "offset": -0.9, "reference": "exact"},
    {"raw": "int18", "storage": "int24", "aligned": "left", "scale": 9e-6, "reference": "exact"},
    {"raw": "int32", "scale": 4.4e-10, "offset": 0.031},
    {"raw": "int32", "scale": 1e-9, "range": [-(2**31), 2**30]},
    {"raw": "uint32", "scale": 2.3e-10, "mean": 0.5, "std": 0.49},
)
FEW: Toml = {"raw": "int24", "scale": 0.001}
"""All steps are within few of the upper 16 bits' values."""


def raw_values(span: tuple[int, int]) -> AnyArray:
    """The range at equal distances, and what is around its middle."""
    low, high = span
    spread = np.linspace(low, high, 4 * SAMPLES).astype(np.int64)
    middle = np.clip(np.arange(-512, 512) + (low + high) // 2, low, high)
    return np.concatenate([spread, middle])


def near_ends(steps: Steps, span: tuple[int, int]) -> AnyArray:
    """The last raw value of each step, and the next."""
    ends = np.concatenate(steps.ends)
    near = np.concatenate([ends, ends + 1, span, span])
    return np.resize(np.clip(near, *span), -(-near.size // SAMPLES) * SAMPLES)


def bytes_of(table: Toml, raw: AnyArray) -> bytes:
    """Numbers as they are in memory."""
    bits = int(str(table["raw"]).removeprefix("u").removeprefix("int"))
    size = 3 if bits <= 24 else 4
    words = raw << 8 * size - bits if table.get("aligned") == "left" else raw
    order = slice(size - 1, None, -1) if table.get("endianness") == "big" else slice(size)
    whole = (words & 2**32 - 1).astype("<u4").view(np.uint8).reshape(-1, 4)
    return whole[:, :size].tobytes() if order == slice(size) else whole[:, size - 1 :: -1].tobytes()


def check(target: Target, table: Toml, folder: Path, *, is_guessed: bool = True) -> None:
    """All raw values around ends of steps give what numpy gives."""
    channels = int(str(table.get("channels", 1)))
    model = identity((1, SAMPLES, channels), scale=SCALE, zero_point=ZERO_POINT)
    sensor = described(table, folder)
    made = compiled("m", model, target, sensor)
    (put,) = put_raw_functions(sensor.inputs, made.interface, is_small=False, int_max=2**15 - 1)
    assert isinstance(put.form, Steps) and (put.form.guess is not None) == is_guessed
    raw = np.concatenate(
        [near_ends(put.form, put.described.range), raw_values(put.described.range)]
    )
    raw = np.repeat(raw, channels).reshape(-1, channels)
    case = Case("m", made, bytes_of(table, raw.reshape(-1)))
    assert case.turns * SAMPLES == len(raw)
    found = run_cases(target, [case], folder)["m"].of("int8")
    wanted = expected(table, raw, scale=SCALE, zero_point=ZERO_POINT)
    assert np.array_equal(found, wanted.reshape(-1))


@pytest.mark.parametrize("place", range(len(TABLES)))
def test_on_the_host(place: int, tmp_path: Path) -> None:
    """Both signs, orders and references, channels of other maps."""
    check(target_or_skip(SANITIZED), TABLES[place], tmp_path)


def test_steps_that_are_near(tmp_path: Path) -> None:
    """They are halved."""
    check(target_or_skip(SANITIZED), FEW, tmp_path, is_guessed=False)


@pytest.mark.parametrize("part", ["atmega328", "nrf52840"])
@pytest.mark.parametrize("place", [1, 2, 6])
def test_on_parts(part: str, place: int, tmp_path: Path) -> None:
    """In assembly and in C."""
    check(target_or_skip(part), TABLES[place], tmp_path)
