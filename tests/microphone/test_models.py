"""From samples to a word: features, and the model that takes them, as one inference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel, ZooSample
from tests.microphone.images import Case, Samples, hear, image_of
from tests.sensor.images import described
from tests.support.combined import target_or_skip
from tests.support.microfrontend import reference_features
from tests.support.speech_features import read_sound
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import Target, load_target

STEP = 320
SECOND = 50 * STEP
YES, NO = 2, 3


@pytest.fixture(scope="module")
def recordings(zoo_sample: ZooSample) -> Samples:
    """A second of "yes", and one of "no"."""
    words = (read_sound(zoo_sample("speech", f"{word}_1000ms.wav")) for word in ("yes", "no"))
    return np.frombuffer(b"".join(words), np.int16)


def wanted(model: bytes, recordings: Samples) -> AnyArray:
    """What TFLM gives for the features of each second, begun anew."""
    features = [
        reference_features(second, {"window_step": 20}) for second in recordings.reshape(-1, SECOND)
    ]
    (found,) = tflm_outputs(model, [as_input(np.array(features)).reshape(-1, 1, 49 * 40)])
    return found.reshape(len(features), -1)


def as_input(features: AnyArray) -> AnyArray:
    """Features as `speech` was trained with them."""
    values: AnyArray = np.clip((features.astype(int) * 256 + 333) // 666 - 128, -128, 127)
    return values.astype(np.int8)


def with_microphone(model: bytes, name: str, target: Target, folder: Path) -> Request:
    table = {"features": "microfrontend", "window_step": 20}
    return Request(model, name, target, sensor=described(table, folder))


def test_every_way(zoo_model: ZooModel, recordings: Samples, tmp_path: Path) -> None:
    """The whole input and pushed rows, memory of the model's and of the caller's, a build that
    overwrites what is dead, and samples in other numbers."""
    model = zoo_model("speech").read_bytes()
    plain = with_microphone(model, "plain", load_target("host"), tmp_path)
    requests = (
        plain,
        replace(plain, name="pushed", push_rows=True),
        replace(plain, name="callers", arena=ArenaMode.CALLER),
        replace(plain, name="pushed_callers", push_rows=True, arena=ArenaMode.CALLER),
        replace(plain, name="checked", checked=True),
        replace(plain, name="pushed_checked", push_rows=True, checked=True),
    )
    cases = [
        Case(each.name, compile_model(each), recordings, chunk=chunk, reset_after=SECOND // chunk)
        for each, chunk in zip(requests, (320, 320, 160, 64, 20, 8000), strict=True)
    ]
    expected = wanted(model, recordings)
    assert expected.argmax(axis=1).tolist() == [YES, NO]
    for name, heard in hear(load_target("host"), cases, tmp_path).items():
        assert np.array_equal(heard.outputs, expected), name


def test_windows_that_slide(zoo_model: ZooModel, recordings: Samples, tmp_path: Path) -> None:
    """A word after every second row; each is that of the last second alone."""
    model = zoo_model("speech").read_bytes()
    plain = with_microphone(model, "slid", load_target("host"), tmp_path)
    slid = replace(plain, push_rows=True, slide=2)
    cases = [
        Case(each.name, compile_model(each), recordings, chunk=STEP)
        for each in (
            slid,
            replace(slid, name="slid_callers", arena=ArenaMode.CALLER),
            replace(slid, name="slid_checked", checked=True),
        )
    ]
    expected = of_windows(model, recordings)
    assert len(expected) == 26
    for name, heard in hear(load_target("host"), cases, tmp_path).items():
        assert np.array_equal(heard.outputs, expected), name


def of_windows(model: bytes, recordings: Samples) -> AnyArray:
    """What TFLM gives for each window that begins with every second row."""
    rows = as_input(reference_features(recordings, {"window_step": 20}))
    windows = np.array([rows[first : first + 49] for first in range(0, len(rows) - 48, 2)])
    (found,) = tflm_outputs(model, [windows.reshape(-1, 1, 49 * 40)])
    return found.reshape(len(windows), -1)


def test_microphone_to_word(zoo_model: ZooModel, recordings: Samples, tmp_path: Path) -> None:
    """A window that slides over sound, every 40 ms, on a part of 64 MHz: at most 11 % of the time,
    and 6 kB of RAM with the stack and a block of samples; a window a second takes less."""
    target = target_or_skip("nrf52840")
    model = zoo_model("speech").read_bytes()
    plain = with_microphone(model, "speech", target, tmp_path)
    single = replace(plain, push_rows=True)
    slid = replace(single, name="slid", slide=2)
    requests = {"speech": (single, 50), "slid": (slid, 0)}
    cases = [
        Case(name, compile_model(each), recordings, chunk=STEP, reset_after=after)
        for name, (each, after) in requests.items()
    ]
    heard = hear(target, cases, tmp_path)
    assert np.array_equal(heard["speech"].outputs, wanted(model, recordings))
    assert np.array_equal(heard["slid"].outputs, of_windows(model, recordings))
    taken = {name: sum(each.estimated_cycles[50:]) for name, each in heard.items()}  # 50 rows
    assert taken["slid"] <= 0.11 * 64_000_000
    assert taken["speech"] <= 0.06 * 64_000_000
    for case, most in zip(cases, (4_500, 6_000), strict=True):
        stack = measure_image(target, image_of(target, [case], tmp_path)).invoke_stack_bytes
        assert stack is not None
        assert case.compiled.report.model_ram_bytes + 2 * STEP + stack <= most
