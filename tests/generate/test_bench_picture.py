"""The picture of what an inference counts: dots where the shares are, and a text of all figures."""

from __future__ import annotations

import re

from benchmarks.layer_figures import TARGETS
from benchmarks.release import RELEASE, release_of
from benchmarks.results import rows_of
from benchmarks.tflm import references_of
from generate.bench_picture import Bar, bars_of, bench_svg, place
from generate.drawing import LIGHT
from tests.conftest import MODELS_FOLDER

ROWS = rows_of((MODELS_FOLDER / "results.json").read_text("utf-8"))
REFERENCES = references_of((MODELS_FOLDER / "tflm.json").read_text("utf-8"))


def test_picture() -> None:
    """A dot is where the share of TFLM's count is, a ring where the release's is, on a scale from
    nothing on; the text for screen readers has all figures."""
    assert place(0.5) - place(0) == place(1) - place(0.5) > 100
    bars = bars_of(ROWS, release_of(RELEASE.read_text("utf-8")), REFERENCES)
    assert list(dict.fromkeys(bar.target for bar in bars)) == list(TARGETS)
    assert len({(bar.target, bar.model) for bar in bars}) == len(bars)
    text = bench_svg([Bar("nrf52840", "kws", 300, 200, 400)], LIGHT, version="0.2.0, commit 1")
    dots = re.findall(r'cx="(\d+)" cy="(\d+)" r="\d" fill="([^"]+)"', text)
    row = [(int(x), fill) for x, y, fill in dots if int(y) > 60]
    assert row == [(place(1.5), "none"), (place(0.75), LIGHT.ours)]
    ticks = re.findall(r">([^<]+) %<", text)
    assert ticks == ["0", "25", "50", "75", "100", "125", "150"]
    assert "of version 0.2.0<" in text
    assert "kws on nrf52840: 300, 200 in the release, 400 with TFLM." in text
