"""The figures of the page about microphones are those that the emulators count."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooSample
from tests.docs.pages import DOCS
from tests.microphone.images import Case, hear, of_features
from tests.support.combined import target_or_skip
from tests.support.speech_features import read_sound

ROWS = {
    "nrf52840": "nRF52840",
    "nrf51": "nRF51822",
    "riscv32imc": "RV32IMC",
    "atmega1284p": "ATmega1284P",
}
STEP = 160
PAGE = DOCS / "how-to" / "microphone.md"


@pytest.mark.parametrize("part", ROWS)
def test_a_row(
    part: str, zoo_sample: ZooSample, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The mean of what a row of features takes, for a second with a word in it; `--write-pages`
    writes it."""
    target = target_or_skip(part)
    samples = np.frombuffer(read_sound(zoo_sample("speech", "yes_1000ms.wav")), np.int16)
    case = Case("heard", of_features("heard", target, tmp_path), samples, chunk=STEP)
    heard = hear(target, [case], tmp_path)["heard"]
    counted = [each for each in (heard.counts, heard.estimated_cycles) if each]
    means = iter([round(np.array(each)[heard.is_new].mean(), -2) for each in counted])
    page = PAGE.read_text(encoding="utf-8")
    (told,) = re.findall(rf"^\| {ROWS[part]}\b[^|]*\| ([^|]*) \|", page, re.M)
    is_now = re.sub(r"\d[\d,]*(?= )", lambda _: f"{next(means):,.0f}", told)
    assert not list(means)
    if request.config.getoption("--write-pages"):
        PAGE.write_text(page.replace(f"| {told} |", f"| {is_now} |"), encoding="utf-8")
    else:
        assert told == is_now
