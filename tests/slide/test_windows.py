"""Every window of a stream gives what TFLM gives for it alone: random models on the host and on
parts, rings that go around, resets, and what else a model can have."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.pairs import requests as pairs
from tests.plan.chains import random_chain, surround
from tests.plan.together import FLAGS, SANITIZERS, Variant, wrong_outputs
from tests.slide.streams import hops_of, samples_of, variant_of, windows_of
from tests.support.hand_written import CACHE, target_or_skip
from tests.support.host import host
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners import run_image
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.sensor.description import read_description

MODELS = 48
MOST_SMALL = 2000
"""Bytes of an arena for which a small part has room next to the test image."""


def chain(number: int) -> bytes:
    """A random model of images with up to 40 rows, some of whose windows can slide."""
    generator = np.random.default_rng(number)
    return random_chain(
        lambda low, high: int(generator.integers(low, high + 1)), (surround,), heights=(6, 40)
    )


def requests() -> Iterator[Request]:
    """By any hop that is possible; every second a checked build, every third in memory of the
    caller's."""
    for number in range(MODELS):
        model = chain(number)
        hops = hops_of(model)
        if hops:
            yield Request(
                model,
                f"m{number}",
                host(),
                push_rows=True,
                slide=hops[number % len(hops)],
                checked=number % 2 == 1,
                arena=ArenaMode.CALLER if number % 3 == 0 else ArenaMode.STATIC,
            )


def test_random_models(tmp_path: Path) -> None:
    """Windows enough for every ring to go around, and the first again after a reset."""
    group = [variant_of(each, count=6, again=1) for each in requests()]
    assert len(group) >= MODELS // 2
    assert sum(each.compiled.interface.slide > 1 for each in group) >= MODELS // 4
    assert wrong_outputs(group, tmp_path) == []


def test_long_streams(tmp_path: Path) -> None:
    """Of small models, which begin hundreds of windows."""
    found = [each for each in requests() if each.checked][:4]
    group = [variant_of(each, count=300) for each in found]
    assert wrong_outputs(group, tmp_path) == []


@pytest.mark.parametrize("part", ["atmega328", "nrf52840"])
def test_parts(part: str, tmp_path: Path) -> None:
    target = target_or_skip(part)
    ran = 0
    for each in requests():
        made = compile_model(replace(each, target=target, checked=False))
        if made.report.arena_bytes > MOST_SMALL // 4 or ran == 3:
            continue
        samples, truth = samples_of(made, each.model, count=4, again=1)
        folder = tmp_path / each.name
        image = build_image(
            target, sources=made.files, interface=made.interface, kind="test", folder=folder
        )
        assert run_image(target, image, samples, cache=CACHE).output == truth, each.name
        ran += 1
    assert ran == 3


def test_external_weights(tmp_path: Path) -> None:
    """Which are read in the order in which windows need them."""
    model, rows = pairs.model(), pairs.SIDE
    request = Request(
        model, "m", host(), push_rows=True, slide=2, weights=Weights.EXTERNAL, page_bytes=16
    )
    made = compile_model(request)
    assert made.binaries
    windows = windows_of(pairs.SHAPE, rows, 2, 7)
    inputs = {made.interface.inputs[0].tensor: windows}
    (truth,) = tflm_outputs(model, [windows])
    found = run_on_arrays(made, host(), inputs, where="windows", folder=tmp_path)
    assert found.output == truth.tobytes()


MAIN = """
#include <stdio.h>
#include "m.h"
static _Alignas(int32_t) int8_t arena[M_ARENA_BYTES];
int main(void) {
    unsigned char raw[%(bytes)s];
    m_reset(arena);
    while (fread(raw, 1, sizeof raw, stdin) == sizeof raw) {
        if (%(function)s(arena, raw)) {
            fwrite(m_output(arena), 1, M_OUTPUT_COUNT, stdout);
            putchar(m_decide(arena));
        }
    }
    putchar(m_selftest(arena));
    return 0;
}
"""


def test_sensor_decisions_and_self_test(tmp_path: Path) -> None:
    """Raw rows in, a class out once a window; a self test is a stream of its own."""
    file = tmp_path / "m.sensor.toml"
    file.write_text(pairs.RAW + pairs.DECISIONS, encoding="utf-8")
    request = Request(
        pairs.model(),
        "m",
        host(),
        push_rows=True,
        slide=4,
        arena=ArenaMode.CALLER,
        sensor=read_description(file),
        selftest=True,
        hooks=True,
    )
    made = compile_model(request)
    for name, text in made.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (raw,) = made.interface.raw_inputs
    words = {"function": raw.function, "bytes": f"{raw.function.upper()}_BYTES"}
    (tmp_path / "main.c").write_text(MAIN % words, encoding="utf-8")
    sources = [str(tmp_path / name) for name in ("main.c", "m.c")]
    program = str(tmp_path / "all")
    command = ["gcc", *FLAGS, *SANITIZERS, *sources, "-o", program]
    subprocess.run(command, check=True, timeout=300)
    windows = windows_of(pairs.SHAPE, pairs.SIDE, 4, 5)
    stream = [windows[0].reshape(-1), *(each.reshape(-1)[-4 * 16 :] for each in windows[1:])]
    done = subprocess.run(
        [program], input=pairs.raw_of(np.concatenate(stream)), capture_output=True, check=True
    )
    (truth,) = tflm_outputs(pairs.model(), [windows])
    scores = truth.reshape(len(windows), -1)
    expected = b"".join(each.tobytes() + bytes([int(each.argmax())]) for each in scores)
    assert done.stdout == expected + b"\0"


def test_a_window_that_follows_another(tmp_path: Path) -> None:
    """With a hop of all rows windows have none in common, and still are one stream."""
    request = Request(pairs.model(), "m", host(), push_rows=True, slide=pairs.SIDE)
    variant: Variant = variant_of(request, count=4)
    assert variant.samples.count(b"\1" + variant.samples[1:9]) == 1
    assert wrong_outputs([variant], tmp_path) == []
