"""Raw values on emulated parts: every form of code for them, and what it takes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.sensor.descriptions import Drawn, draw
from tests.sensor.images import Case, Toml, compiled, described, identity, run_cases
from tests.sensor.meaning import expected, packed
from tests.sensor.test_every_value import case_of
from tests.support.combined import target_or_skip, targets_of_each_kind
from tests.support.dead_channels import convolutions
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MOST = 2**10
"""Raw values of one description on a part."""

SEEDS = (
    *(9, 0, 1, 2, 3, 15, 57, 31, 58, 4, 59, 95, 50, 68, 16, 23, 49, 33, 251, 53, 25, 52, 142),
    *(114, 69, 132, 125, 7, 8, 17, 277, 475, 854),
)
"""Lines with every shift, of short and of long multipliers, of raw values with a sign and without
one, as far as they were found among the first 260; steps; and lines whose products leave int32, in
assembly and, with a shift of 25, in C."""

IMU: Toml = {
    "raw": "int16",
    "range": [-2048, 2047],
    "scale": 0.00478842,
    "mean": [0.12, -0.03, 9.79],
    "std": [2.1, 2.0, 2.4],
}


def drawn(seed: int) -> Drawn:
    """A description of one channel, with raw values from all over the range."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    found = draw(rng, bits=8 + seed % 9, reference="float32")
    return Drawn(found.table, 1, found.scale, found.zero_point, spread(found.raw, seed))


def spread(raw: AnyArray, seed: int) -> AnyArray:
    """So many of rising raw values, the ends among them."""
    if raw.size <= MOST:
        return raw
    inner = np.random.default_rng(seed).choice(raw[1:-1], MOST - 2, replace=False)
    return np.concatenate([raw[:1], np.sort(inner), raw[-1:]])


@pytest.mark.parametrize("flags", ["-O3", "-O0", "-Os -fno-omit-frame-pointer"])
def test_avr(flags: str, tmp_path: Path) -> None:
    """The assembly of lines, with each shift that there is, and steps, on 2^10 raw values; for
    compilers that are told otherwise too."""
    target = target_or_skip("atmega328")
    toolchain = target.toolchain
    compile_flags = (*toolchain.compile_flags, *flags.split())
    target = replace(target, toolchain=replace(toolchain, compile_flags=compile_flags))
    cases, wanted, shifts = [], {}, set()
    for seed in SEEDS:
        case, values = case_of(
            *(drawn(seed), f"m{seed}", target, tmp_path), samples=32, optimize=Optimize.SIZE
        )
        cases.append(case)
        wanted[case.name] = values.reshape(-1)
        shifts.add(case.compiled.report.raw_inputs[0].shift)
    assert shifts == {None, *range(16, 26)}
    for some in (cases[:10], cases[10:20], cases[20:]):  # as many as flash and RAM hold
        for name, put in run_cases(target, some, tmp_path).items():
            assert np.array_equal(put.of("int8"), wanted[name]), name


@pytest.mark.parametrize("part", targets_of_each_kind())
def test_left_aligned_and_big_endian(part: str, tmp_path: Path) -> None:
    """Words at odd addresses, the first byte the highest, bits of another value below: as a line,
    as a table, as steps, and with 24 bits."""
    target = target_or_skip(part)
    rng = random.Random(7)  # noqa: S311 - not for secrets
    cases, wanted = [], {}
    for bits in (8, 10, 12, 16):
        found = draw(rng, bits=bits, reference="exact", channels=2)
        found.table.update(storage="uint16", aligned="left", endianness="big")
        for key in ("layout", "stride_bytes", "offset_bytes"):
            found.table.pop(key, None)
        raw = spread(found.raw, bits)[:MOST]
        some = Drawn(found.table, 2, found.scale, found.zero_point, raw)
        case, values = case_of(some, f"b{bits}", target, tmp_path, samples=32)
        cases.append(case)
        wanted[case.name] = values.reshape(-1)
    for name, put in run_cases(target, cases, tmp_path).items():
        assert np.array_equal(put.of("int8"), wanted[name]), name


@pytest.mark.parametrize("part", ["atmega328", "nrf52840"])
def test_rows(part: str, tmp_path: Path) -> None:
    """Row by row a part gives what the host gives."""
    model = build_model(convolutions(channels=4, dead=0.0, size=4))
    sensor = described(IMU | {"channels": 1, "mean": 0.1, "std": 2.1}, tmp_path)
    data = packed(
        {"raw": "int16"},
        np.random.default_rng(5).integers(-2048, 2048, (64, 1)),
        np.random.default_rng(6),
    )
    found = []
    for each in (target_or_skip(part), load_target("host")):
        request = Request(model, "m", each, push_rows=True, sensor=sensor)
        folder = tmp_path / each.name
        folder.mkdir()
        put = run_cases(each, [Case("m", compile_model(request), data)], folder)["m"]
        found.append(put.of("int8").reshape(16, -1)[3::4])  # behind the last row of each picture
    assert np.array_equal(found[0], found[1])
    assert len(np.unique(found[0], axis=0)) == 4


@pytest.mark.parametrize(
    ("name", "table", "form", "most"),
    [
        ("short_line", {"raw": "uint10", "scale": 0.01}, "line", 50),
        ("long_line", IMU, "line", 60),
        (
            "upper_bits_of_big_endian",
            {
                "raw": "int12",
                "storage": "uint16",
                "aligned": "left",
                "endianness": "big",
                "scale": 0.00478842,
            },
            *("line", 60),
        ),
        ("table", {"raw": "uint8", "scale": 0.03}, "table", 17),
        (
            *("tables", {"raw": "uint8", "scale": 0.03, "mean": [1, 2, 3], "std": [1, 2, 1]}),
            *("table", 20),
        ),
        ("flip", {"raw": "uint8", "scale": 0.0625}, "flip", 13),
        ("steps", {"raw": "int16", "scale": 0.0001}, "steps", 90),
        ("steps_of_32_bits", {"raw": "uint32", "scale": 3e-9}, "steps", 105),
        ("steps_of_24_bits", {"raw": "int24", "scale": 1.1e-6}, "steps", 125),
    ],
)
def test_cycles_on_avr(name: str, table: Toml, form: str, most: int, tmp_path: Path) -> None:
    """Of a value, the call and its loops included, for 128 samples of three channels."""
    target, shape = target_or_skip("atmega328"), (1, 128, 3)
    scale, zero_point = (0.0625, -128) if form == "flip" else (0.05, 3)
    sensor = described(table, tmp_path)
    c = compiled(name, identity(shape, scale=scale, zero_point=zero_point), target, sensor)
    bits = int(str(table["raw"]).removeprefix("u").removeprefix("int"))
    least = 0 if str(table["raw"]).startswith("u") else -(2 ** (bits - 1))
    if "range" in table:
        least, bits = -2048, 12
    rng = np.random.default_rng(0)
    raw = rng.integers(least, least + 2**bits, (128, 3))
    case = Case(name, c, packed(table, raw, rng))
    put = run_cases(target, [case], tmp_path)[name]
    wanted = expected(table, raw, scale=scale, zero_point=zero_point)
    assert np.array_equal(put.of("int8"), wanted.reshape(-1))
    assert case.form == form
    assert put.counts[0] / raw.size <= most, put.counts[0] / raw.size
