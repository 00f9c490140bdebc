"""What C computes on the way to a value is in the type that C has for it, or wraps on purpose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.raw_to_decision.drawn import draw
from tests.raw_to_decision.heads import Heads
from tests.raw_to_decision.programs import text_of
from tests.sensor.images import Case, Toml, compiled, described, identity, run_cases
from tests.sensor.meaning import expected, packed
from tests.support.combined import SANITIZED, target_or_skip
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import read_description
from tinyml_rules.sensor.forms import Line
from tinyml_rules.sensor.put_raw import PutRaw, put_raw_functions
from tinyml_rules.sensor.raw_input import limits_of
from tinyml_rules.target.target import load_target

DESCRIPTIONS = 150


def put_of(number: int, folder: Path) -> PutRaw:
    """What the compiler makes of a random description, for short code: no table."""
    drawn = replace(draw(1, number), heads=Heads())
    file = folder / "sensor.toml"
    file.write_text(text_of(drawn), encoding="utf-8")
    request = Request(drawn.model, "m", load_target("host"), push_rows=drawn.rows > 0)
    interface = compile_model(request).interface
    inputs = read_description(file).inputs
    (put,) = put_raw_functions(inputs, interface, is_small=True, int_max=INT32_MAX)
    return put


def words_of(line: Line, raw: int) -> list[int]:
    """The word that is read, and of each channel the product and the sum, as whole numbers."""
    found = [raw * line.unit]
    for each in line.coefficients:
        product = raw * line.unit * each.multiplier
        found += [product, product + each.offset]
    return found


def test_lines_stay_in_int32_or_wrap(tmp_path: Path) -> None:
    """For every raw value that the type holds, in range or not: what is linear in it is largest at
    an end of the type.  A line that wraps has its sums in int32 for all values of the range."""
    counts = {True: 0, False: 0}
    for number in range(DESCRIPTIONS):
        put = put_of(number, tmp_path)
        line, raw = put.form, put.described
        if not isinstance(line, Line):
            continue
        is_in = [
            INT32_MIN <= word <= INT32_MAX
            for end in limits_of(raw.bits, is_signed=raw.is_signed)
            for word in words_of(line, end)
        ]
        assert all(is_in) != line.wraps, number
        for end in raw.range:
            word, *rest = words_of(line, end)
            for each in (word, *rest[1::2]):
                assert INT32_MIN <= each <= INT32_MAX, number
        counts[line.wraps] += 1
    assert min(counts.values()) > 5, counts


@pytest.mark.parametrize("channels", [2, 3])
def test_steps_of_more_than_16_bits(channels: int, tmp_path: Path) -> None:
    """The tables of several channels of int16 begin beyond what 16 bits count."""
    table: Toml = {
        "raw": "int24",
        "scale": 2.0**-23,
        "mean": [0.0, 0.01, -0.02][:channels],
        "std": [1.0, 1.1, 0.9][:channels],
    }
    rng = np.random.default_rng(channels)
    raw = rng.integers(-(2**23), 2**23, (4096, channels))
    model = identity((1, 4096, channels), scale=1 / 32768, zero_point=0, dtype="int16")
    target = target_or_skip(SANITIZED)
    made = compiled("m", model, target, described(table, tmp_path))
    case = Case("m", made, packed(table, raw, rng))
    put = run_cases(target, [case], tmp_path)["m"]
    wanted = expected(table, raw, scale=1 / 32768, zero_point=0, dtype="int16")
    assert case.form == "steps"
    assert np.array_equal(put.of("int16"), wanted.reshape(-1))
