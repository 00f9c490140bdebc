"""What the page shows at first, before there is an input and once there is one, in Chromium."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.zoo import load_manifest
from tests.conftest import MODELS_FOLDER, PROJECT, ZooModel
from tests.docs.pages import code_blocks
from tests.frontends.builds import build, copy_project
from tests.support.browser import Browser, Page
from tests.support.hand_written import target_or_skip
from tests.web.made import accessible, made, recorded, text_of, wait_for_result
from tinyml_rules.cli import main
from tinyml_rules.sensor.description import read_description
from tinyml_rules.web.page import Known

SINE = PROJECT / "models" / "sine" / "sine.tflite"
DIGITS = PROJECT / "examples" / "digits"
STROKES: Mapping[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "0": (
        ((0.5, 0.06), (0.34, 0.2), (0.27, 0.5), (0.34, 0.8), (0.5, 0.93)),
        ((0.5, 0.93), (0.66, 0.8), (0.73, 0.5), (0.66, 0.2), (0.5, 0.06)),
    ),
    "1": (((0.36, 0.28), (0.53, 0.06), (0.53, 0.94)), ((0.57, 0.06), (0.57, 0.94))),
    "7": (((0.27, 0.08), (0.74, 0.08), (0.6, 0.4), (0.45, 0.94)), ((0.35, 0.5), (0.7, 0.5))),
}
"""Lines of the pointer, as parts of the paper."""


def test_opening(zoo_model: ZooModel, tmp_path: Path, browser: Browser) -> None:
    """A page begins with a known result that says something: here the word yes, as a map of its
    features, with the numbers put away; and with what was counted once, which is no range."""
    target_or_skip("rp2040")
    parts = [recorded("kws", 1), recorded("kws", 1, file="samples.npz"), recorded("kws", 6)]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    labels = load_manifest(MODELS_FOLDER, "kws").demo.labels
    known = Known(labels, recorded=arrays, names=("silent", "yes"), is_of_sound=True)
    model = zoo_model("kws").read_bytes()
    page = browser.open(made(model, "kws", "rp2040", tmp_path, known=known).file)
    wait_for_result(page)
    assert text_of(page, "summary") == "yes 0.9961"
    assert (text_of(page, "spread"), text_of(page, "inferences")) == ("", "1")
    assert page.evaluate(
        "(({width, height}) => [width, height])(document.querySelector('fieldset .heat'))"
    ) == [49, 10]
    assert not page.evaluate("document.getElementById('values-0').checkVisibility()")
    assert page.evaluate("document.querySelector('.bars .track').clientWidth") > 100
    pressed = "document.querySelector('.known [aria-pressed=true]').textContent"
    assert page.evaluate(pressed) == "yes"
    page.click(".known button:nth-of-type(3)")
    page.wait("document.body.dataset.shown === '2'")
    assert page.evaluate(pressed) == "input 2"
    assert text_of(page, "spread").endswith("in 2 inferences")
    accessible(page)


def test_nothing_yet(browser: Browser, tmp_path: Path) -> None:
    """Before the first result, here of an emulator that does nothing, the plot has no marker."""
    target_or_skip("atmega328")
    its = made(SINE.read_bytes(), "sine", "atmega328", tmp_path, known=Known(reference="sin"))
    file = tmp_path / "still.html"
    text = re.sub(
        r'(<script type="text/plain" id="worker">).*?</script>',
        r"\1</script>",
        its.text,
        flags=re.DOTALL,
    )
    file.write_text(text, encoding="utf-8")
    page = browser.open(file)
    assert page.evaluate("document.querySelectorAll('.plot .grid').length") == 5
    assert page.evaluate("document.querySelectorAll('.plot .now').length") == 0
    page.check_quiet()


def test_digits(tmp_path: Path, browser: Browser) -> None:
    """Drawn by the pointer, scaled as the example's description says."""
    target_or_skip("atmega328")
    model = quantized_digits(tmp_path / "digits.tflite")
    known = Known(sensor=read_description(DIGITS / "sensor.toml"))
    page = browser.open(made(model.read_bytes(), "digits", "atmega328", tmp_path, known=known).file)
    assert EMPTY_PAPER.items() <= on_paper(page).items()
    for digit, strokes in STROKES.items():
        page.click("#clear")
        draw_on(page, strokes)
        page.wait(f"document.getElementById('summary').textContent.startsWith('value {digit} ')")
    bars = page.evaluate(BARS)
    assert 0 < bars["zero"] < 100
    for value, start, width in bars["bars"]:
        ends = sorted((bars["zero"], bars["zero"] + (width if value > 0 else -width)))
        assert [start, start + width] == pytest.approx(ends, abs=0.01), value
    assert {value > 0 for value, _, _ in bars["bars"]} == {True, False}
    page.click("#clear")
    assert EMPTY_PAPER.items() <= on_paper(page).items()
    accessible(page)


def quantized_digits(file: Path) -> Path:
    """The example's model in int8, as its SConstruct quantizes it."""
    words = ["--calibration", str(DIGITS / "calibration.npz"), "--scales", "power-of-two"]
    words += ["--sensor", str(DIGITS / "sensor.toml"), "--out", str(file)]
    assert main(["quantize", str(DIGITS / "digits.tflite"), *words]) == 0
    return file


def test_commands_of_the_page(tmp_path: Path, browser: Browser) -> None:
    """Each of docs/how-to/live_page.md makes the page that it says; with the example's description
    what is drawn are its raw values."""
    target_or_skip("atmega328")
    folder = copy_project(tmp_path / "copy")
    (folder / ".venv").symlink_to(PROJECT / ".venv")
    (folder / "examples").mkdir()
    shutil.copytree(DIGITS, folder / "examples" / "digits")
    text = (PROJECT / "docs" / "how-to" / "live_page.md").read_text(encoding="utf-8")
    files = []
    for block in code_blocks(text, "sh"):
        start, *words = shlex.split(block)
        assert (start, words[-1]) == ("./tinyml", "web")
        (model,) = (Path(word[6:]) for word in words if word.startswith("model="))
        if model.suffix:
            (folder / model).parent.mkdir(parents=True)
            quantized_digits(folder / model)
        shown = build(folder, *words)
        files += re.findall(r"WEB +(\S+): ", shown)
    assert [Path(file).name for file in files] == ["sine.live.html", "digits.live.html"]
    page = browser.open(folder / files[1])
    draw_on(page, STROKES["7"])
    page.wait("document.getElementById('summary').textContent.startsWith('value 7 ')")


EMPTY_PAPER = {"summary": "Draw something: an empty paper has no answer.", "figure": "\u2013"}
BARS = """(() => {
    const rows = Array.from(document.querySelectorAll(".bars li"));
    const bars = rows.map((row) => {
        const { marginLeft, width } = row.querySelector(".fill").style;
        return [row.querySelector(".figure").textContent, marginLeft, width].map(parseFloat);
    });
    const zero = parseFloat(document.querySelector(".signed").style.getPropertyValue("--zero"));
    return { zero, bars };
})()"""
"""Of logits, some of which are negative: where zero is, and value, start and width of each bar."""


def on_paper(page: Page) -> dict[str, Any]:
    """What the page says of the paper, and whether it invites to draw."""
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.invitation')).display") != "none"
    )
    figure = page.evaluate("document.querySelector('.bars .figure').textContent")
    return {"summary": text_of(page, "summary"), "figure": figure}


def draw_on(page: Page, strokes: tuple[tuple[tuple[float, float], ...], ...]) -> None:
    """With the mouse."""
    page.evaluate("document.getElementById('paper').scrollIntoView({block: 'center'})")
    box = page.evaluate(
        "(({left, top, width}) => [left, top, width])(paper.getBoundingClientRect())"
    )
    left, top, width = box
    for stroke in strokes:
        page.drag([(left + x * width, top + y * width) for x, y in stroke])
