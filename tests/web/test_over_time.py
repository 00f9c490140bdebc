"""What the page shows of any model, and of one that keeps something from one input to the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import PROJECT, ZooModel
from tests.support.browser import Browser, Page
from tests.support.hand_written import target_or_skip
from tests.web.made import accessible, compared, made, recorded, text_of, wait_for_result
from tests.web.test_at_first import DIGITS, quantized_digits
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops.unidirectional_sequence_lstm.cases import lstm
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import read_description
from tinyml_rules.target.target import load_target
from tinyml_rules.web.page import Known
from tinyml_rules.web.samples import known_results

LABELS = ("silence", "unknown", "yes", "no")
EVENT = """[output]
head = "event"
labels = ["silence", "unknown", "yes", "no"]
threshold = 0.6
window = 3
debounce = 2
background = ["silence", "unknown"]
"""
CLASSES = 40


def known_of(
    model: bytes, options: dict[str, Any], file: Path | None = None, target: str = "atmega328"
) -> Known:
    """As the verb `web` finds it for a model of one's own."""
    request = Request.of(model, "its", load_target(target), options)
    found, names, source = known_results(request, compile_model(request).interface, file, ())
    return Known(recorded=found, names=names, source=source, sensor=request.sensor)


def press(page: Page, number: int, turn: int) -> None:
    """A known result, and wait for its answer."""
    page.click(f".known button:nth-of-type({number})")
    page.wait(f"document.body.dataset.shown === '{turn}'")


def test_rows_that_slide(zoo_model: ZooModel, tmp_path: Path, browser: Browser) -> None:
    """Rows of an input follow those of the one before; the comparison begins anew for each."""
    target_or_skip("rp2040")
    samples = recorded("speech", 2, file="samples.npz")
    known = Known(LABELS, recorded=samples, names=("yes", "no"))
    options = {"push_rows": True, "slide": 2}
    model = zoo_model("speech").read_bytes()
    page = browser.open(
        made(model, "speech", "rp2040", tmp_path, known=known, options=options).file
    )
    wait_for_result(page)
    assert text_of(page, "summary").startswith("yes ")
    press(page, 2, 2)
    assert text_of(page, "stream-text") == "98 rows pushed, 25 results since the reset."
    points = (
        "document.querySelector('.course path:not(.event)').getAttribute('d').split('L').length"
    )
    assert page.evaluate(points) == 25
    page.click("#reset")
    press(page, 2, 3)
    assert text_of(page, "stream-text") == "49 rows pushed, 1 result since the reset."
    assert text_of(page, "summary").startswith("no ")
    assert [each.is_equal for each in compared(page)] == [True, True]
    accessible(page)


def test_events(zoo_model: ZooModel, tmp_path: Path, browser: Browser) -> None:
    """Which the firmware's own call of the function gives: with a mean of three results, on twice,
    the fourth yes is one and the next is none."""
    target_or_skip("rp2040")
    described = tmp_path / "event.toml"
    described.write_text(EVENT)
    samples = recorded("speech", 2, file="samples.npz")
    known = Known(recorded=samples, sensor=read_description(described))
    options = {"sensor": described}
    model = zoo_model("speech").read_bytes()
    page = browser.open(
        made(model, "speech", "rp2040", tmp_path, known=known, options=options).file
    )
    wait_for_result(page)
    said = [text_of(page, "summary")]
    for turn in range(2, 6):
        press(page, 1, turn)
        said.append(text_of(page, "summary"))
    assert [
        each.startswith("No event with this result; the greatest is yes ") for each in said
    ] == [*(True, True, True, False, True)]
    assert said[3] == "yes was just recognised"
    assert text_of(page, "stream-text").endswith("Events: yes (result 4).")
    marks = "[...document.querySelectorAll('.course .event')].map((each) => each.getAttribute('d'))"
    assert [each.count("V") for each in page.evaluate(marks)] == [0, 0, 1, 0]
    accessible(page)


def test_state(tmp_path: Path, browser: Browser) -> None:
    """Random samples of a model with state, each of which follows the one before, also in what they
    are compared with."""
    target_or_skip("rp2040")
    model = build_model(lstm(steps=1, units=3, input_count=5))
    known = known_of(model, {}, target="rp2040")
    page = browser.open(made(model, "lstm", "rp2040", tmp_path, known=known).file)
    wait_for_result(page)
    assert [each.is_equal for each in compared(page)] == [True] * 4
    assert text_of(page, "verdict").startswith("4 of 4 equal to the results of ")
    press(page, 2, 6)
    assert text_of(page, "stream-text") == "1 inference, 1 result since the reset."
    accessible(page)


def test_many_classes(tmp_path: Path, browser: Browser) -> None:
    """The ten greatest are bars, and the greatest is the answer."""
    target_or_skip("atmega328")
    tensors = tuple(TensorSpec(name, (1, CLASSES), "int8", (0.5,), (0,)) for name in "io")
    hot = TensorSpec("logits", (1, 8), "int8", (0.5,), (0,))
    weights = np.random.default_rng(1).integers(-127, 128, (CLASSES, 8)).astype(np.int8)
    dense = TensorSpec("w", (CLASSES, 8), "int8", (0.01,), (0,), data=weights)
    operators = (OperatorSpec("FULLY_CONNECTED", (0, 1), (2,)),)
    model = build_model(ModelSpec((hot, dense, tensors[1]), operators, (0,), (2,)))
    known = known_of(model, {})
    page = browser.open(made(model, "many", "atmega328", tmp_path, known=known).file)
    wait_for_result(page)
    scores = known.recorded["o"][0].ravel()
    greatest = np.argsort(-scores.astype(int), kind="stable")[:10]
    names = "[...document.querySelectorAll('.bars .name')].map((each) => each.textContent)"
    assert page.evaluate(names) == [f"[{each}]" for each in greatest]
    assert text_of(page, "summary").startswith(f"value {greatest[0]} ")
    assert [each.is_equal for each in compared(page)] == [True] * 4


def test_samples_of_a_file(tmp_path: Path, browser: Browser) -> None:
    """Raw values of a sensor and their labels: a digit of each class, on the paper."""
    target_or_skip("atmega328")
    model = quantized_digits(tmp_path / "digits.tflite").read_bytes()
    options = {"sensor": DIGITS / "sensor.toml"}
    known = known_of(model, options, DIGITS / "evaluation.npz")
    assert known.names == (*map(str, range(10)), "0", "1")
    file = made(model, "digits", "atmega328", tmp_path, known=known, options=options).file
    page = browser.open(file)
    wait_for_result(page)
    for number in (7, 4):
        page.click(f".known button:nth-of-type({number + 1})")
        page.wait(f"document.getElementById('summary').textContent.startsWith('value {number} ')")
    accessible(page)


def test_wrong_samples(tmp_path: Path) -> None:
    """The tensor that the file lacks is named."""
    file = tmp_path / "wrong.npz"
    np.savez(file, other=np.zeros((1, 1), np.int8))
    with pytest.raises(UsageError) as caught:
        known_of((PROJECT / "models" / "sine" / "sine.tflite").read_bytes(), {}, file)
    assert json.dumps(str(caught.value)).startswith(f'"{file}: error: lacks ')
