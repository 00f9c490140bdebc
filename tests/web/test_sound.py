"""The page of a model with a microphone in front of it, in Chromium: it hears files."""

from __future__ import annotations

import re
import wave
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel, ZooSample
from tests.microphone.images import Case, Samples, hear
from tests.microphone.test_models import as_input, wanted, with_microphone
from tests.sensor.images import described
from tests.support.browser import Browser, Page
from tests.support.hand_written import target_or_skip
from tests.support.microfrontend import reference_features
from tests.support.speech_features import read_sound
from tests.support.tflm import AnyArray, tflm_outputs
from tests.web.made import accessible, made, text_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.web.page import Known

RATE, STEP = 16_000, 320
LABELS = ("silence", "unknown", "yes", "no")
MICROPHONE = {"features": "microfrontend", "window_step": 20}
_AROUND = 40
_RANGE = re.compile(r"([\d,]+) to ([\d,]+) in 50 blocks")
_LINE = re.compile(r"([\d.]+) s (\w+) [\d.]+ \(([-\d, ]+)\)")


def samples_of(name: str, zoo_sample: ZooSample) -> Samples:
    return np.frombuffer(read_sound(zoo_sample("speech", f"{name}_1000ms.wav")), np.int16)


def page_of(
    model: bytes, target: str, folder: Path, browser: Browser, options: dict[str, object]
) -> Page:
    """Of `speech` with a microphone."""
    folder.mkdir(exist_ok=True)
    known = Known(LABELS, sensor=described(MICROPHONE, folder), is_of_sound=True)
    options = {"sensor": folder / "sensor.toml", "push_rows": True, **options}
    return browser.open(made(model, "speech", target, folder, known=known, options=options).file)


def written(samples: Samples, file: Path, *, rate: int = RATE, channels: int = 1) -> Path:
    """A WAV file."""
    with wave.open(str(file), "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(samples.tobytes())
    return file


def listen(page: Page, file: Path | None, *, seconds: float = 60) -> tuple[AnyArray, list[str]]:
    """The outputs of all results, and their names; without a file of the one before."""
    turn = page.evaluate("Number(document.getElementById('heard').dataset.done ?? 0)") + 1
    if file is None:
        page.click("#again")
    else:
        page.ask("files", selector="#sound", files=[str(file)])
    page.wait(f"document.getElementById('heard').dataset.done === '{turn}'", seconds=seconds)
    lines = _LINE.findall(text_of(page, "log"))
    values = [[int(each) for each in numbers.split(", ")] for _, _, numbers in lines]
    return np.array(values, np.int8), [name for _, name, _ in lines]


def test_words(
    zoo_model: ZooModel, zoo_sample: ZooSample, tmp_path: Path, browser: Browser
) -> None:
    """A window that slides over two recordings gives TFLM's bytes each time, and again from the
    beginning; a recording at another rate gives the word; what is no sound is said to be none."""
    target_or_skip("rp2040")
    sound = np.concatenate([samples_of(name, zoo_sample) for name in ("yes", "no")])
    model = zoo_model("speech").read_bytes()
    page = page_of(model, "rp2040", tmp_path, browser, {"slide": 2})
    assert text_of(page, "summary") == "Choose a sound: nothing has no answer."
    rows = as_input(reference_features(sound, MICROPHONE))
    windows = np.array([rows[first : first + 49] for first in range(0, len(rows) - 48, 2)])
    (expected,) = tflm_outputs(model, [windows.reshape(-1, 1, 49 * 40)])
    file = written(sound, tmp_path / "both.wav")
    for each in (file, None):
        found, names = listen(page, each)
        assert np.array_equal(found, expected.reshape(len(windows), -1))
    assert names == [LABELS[each] for each in found.argmax(axis=1)]
    assert {"yes", "no"} <= set(names)
    assert text_of(page, "spread").endswith(f"in {2 * len(sound) // STEP} blocks")
    assert "2.00 s heard. The part takes " in text_of(page, "heard")
    accessible(page)
    slower = written(np.repeat(sound[:RATE], 3), tmp_path / "slower.wav", rate=3 * RATE)
    assert listen(page, slower)[1] == ["yes"]
    for wrong, said in (
        (tmp_path / "both.npy", "not a WAV file"),
        (written(sound, tmp_path / "stereo.wav", channels=2), "a WAV file of 2 × 16 bits at 16000"),
    ):
        wrong.touch()
        page.ask("files", selector="#sound", files=[str(wrong)])
        page.wait(f"document.getElementById('error').textContent.startsWith('{said}')")
    page.check_quiet()


@pytest.mark.parametrize("target_name", ["rp2040", "atmega1284p"])
def test_counts(
    target_name: str, zoo_model: ZooModel, zoo_sample: ZooSample, tmp_path: Path, browser: Browser
) -> None:
    """In memory of the caller's; QEMU and simavr give the same output, and count of the shortest
    and of the longest block the same cycles but for those of the switch around the call there."""
    target = target_or_skip(target_name)
    sound = samples_of("yes", zoo_sample)
    model = zoo_model("speech").read_bytes()
    page = page_of(model, target_name, tmp_path / "page", browser, {"arena": "caller"})
    found, names = listen(page, written(sound, tmp_path / "yes.wav"), seconds=120)
    request = with_microphone(model, "speech", target, tmp_path)
    request = replace(request, push_rows=True, arena=ArenaMode.CALLER)
    case = Case("speech", compile_model(request), sound, chunk=STEP)
    heard = hear(target, [case], tmp_path)["speech"]
    assert names == ["yes"]
    assert np.array_equal(found, heard.outputs)
    assert np.array_equal(found, wanted(model, sound))
    is_late = "more time than there is" in text_of(page, "heard")
    assert is_late == (target_name == "atmega1284p")
    (ends,) = _RANGE.findall(text_of(page, "spread"))
    least, most = (int(each.replace(",", "")) for each in ends)
    cycles = heard.estimated_cycles or heard.counts
    assert 0 < min(cycles) - least < _AROUND
    assert 0 < max(cycles) - most < _AROUND


def test_microphone(zoo_model: ZooModel, zoo_sample: ZooSample, tmp_path: Path) -> None:
    """What the browser's own gives, here a file over and over, is heard while it comes, until it is
    stopped."""
    target_or_skip("rp2040")
    sound = written(samples_of("yes", zoo_sample), tmp_path / "yes.wav")
    fake = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
    model = zoo_model("speech").read_bytes()
    with Browser(*fake, f"--use-file-for-fake-audio-capture={sound}") as browser:
        page = page_of(model, "rp2040", tmp_path, browser, {"slide": 2})
        page.click("#microphone")
        page.wait("document.getElementById('log').textContent.includes(' yes ')", seconds=60)
        page.click("#halt")
        page.wait("document.getElementById('heard').dataset.done === '1'", seconds=60)
        assert not page.evaluate("document.getElementById('halt').checkVisibility()")
        assert text_of(page, "error") == ""
        (said,) = page.ask("seen")["problems"]
        assert said.startswith("The ScriptProcessorNode is deprecated.")
