"""The page in Chromium: every output and count beside TFLM, simavr and QEMU, and how it is used.

One browser for all of it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT, ZooModel
from tests.frontends.builds import build, copy_project
from tests.support.browser import Browser, Page
from tests.support.hand_written import target_or_skip
from tests.web.made import (
    Made,
    accessible,
    clock_of,
    compared,
    made,
    number_in,
    recorded,
    text_of,
    wait_for_result,
)
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.target.target import load_target
from tinyml_rules.web.page import Known

SINE = PROJECT / "models" / "sine" / "sine.tflite"
DIGITS = PROJECT / "examples" / "digits"
MOST_BYTES = 200_000
CALLS = {"atmega328": (3, 4), "rp2040": (3,)}
"""Cycles of a call, which the runners count behind the inference."""
HOSTILE = "</script><img src=x onerror=alert(1)>\u2028'\"&{{7*7}}"


@pytest.fixture(scope="module")
def sines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    """By target, with its layers, so that there is something to count."""
    known = Known(reference="sin", recorded=recorded("sine", 256))
    model, options = SINE.read_bytes(), {"optimize": "layers"}
    return {
        target: made(
            model, "sine", target, tmp_path_factory.mktemp(target), known=known, options=options
        )
        for target in CALLS
        if target_or_skip(target)
    }


@pytest.mark.parametrize("target", CALLS)
def test_sine(target: str, sines: dict[str, Made], browser: Browser) -> None:
    """All 256 inputs: TFLM's outputs; simavr's cycles and stack, QEMU's instructions and the
    estimated cycles; and the figures of the report."""
    page, report, ran = browser.open(sines[target].file), sines[target].report, sines[target].ran
    assert ran
    wait_for_result(page)
    lines = compared(page)
    assert (len(lines), all(each.is_equal for each in lines)) == (256, True)
    is_exact = ran.count_unit == "cycles"
    cycles = ran.counts if is_exact else ran.estimated_cycles
    (call,) = {whole - each.cycles for whole, each in zip(cycles, lines, strict=True)}
    assert call in CALLS[target]
    if not is_exact:
        assert [each.instructions + 1 for each in lines] == list(ran.counts)
    assert {each.stack_bytes for each in lines} == {ran.stack_bytes}
    for element, key in (("flash", "flash_bytes"), ("arena", "arena_bytes")):
        assert number_in(page, element) == report[key]
    assert number_in(page, "ram") <= report["ram_bytes"]
    assert number_in(page, "stack") <= report["invoke_stack_bytes"]
    milliseconds = 1000 * number_in(page, "cycles") / clock_of(load_target(target))
    assert number_in(page, "milliseconds") == pytest.approx(milliseconds, rel=0.005)
    page.check_quiet()


def test_curve(sines: dict[str, Made], browser: Browser) -> None:
    """The slider by keys moves the input, and the curve has a point for every input."""
    page = browser.open(sines["atmega328"].file)
    wait_for_result(page)
    page.wait("document.querySelectorAll('.points circle').length === 256", seconds=60)
    page.focus("#slider")
    page.press("Home")
    page.wait("document.getElementById('summary').textContent === '0.02382'")
    page.press("ArrowRight")
    assert text_of(page, "slider-value") == "0.02464, as an integer -127"
    ticks = "Array.from(document.querySelectorAll('.plot .{}'), (each) => each.textContent)"
    assert page.evaluate(ticks.format("up")) == ["-1", "-0.5", "0", "0.5", "1"]
    assert page.evaluate(ticks.format("across")) == ["0", "2", "4", "6"]
    accessible(page)


def wait_for_most(page: Page, name: str) -> None:
    """Until the greatest output is the one of this name."""
    page.wait(f"document.getElementById('summary').textContent.startsWith('{name} ')")


def test_speech(zoo_model: ZooModel, tmp_path: Path, browser: Browser) -> None:
    """Rows pushed into a caller's memory; recorded features, or those of a file; and a word on
    where no sound is taken."""
    target_or_skip("rp2040")
    arrays = recorded("speech", 2)
    known = Known(("silence", "unknown", "yes", "no"), recorded=arrays, is_of_sound=True)
    options = {"push_rows": True, "arena": "caller"}
    its = made(
        zoo_model("speech").read_bytes(), "speech", "rp2040", tmp_path, known=known, options=options
    )
    assert len(its.text.encode()) <= MOST_BYTES
    page = browser.open(its.file)
    wait_for_result(page)
    assert [each.is_equal for each in compared(page)] == [True, True]
    assert "features of sound" in page.evaluate("document.querySelector('main').textContent")
    file = tmp_path / "features.npy"
    np.save(file, arrays["Reshape_1"][0])
    page.ask("files", selector="#file-0", files=[str(file)])
    best = known.labels[int(arrays["labels_softmax"][0].argmax())]
    wait_for_most(page, best)
    none = tmp_path / "none.npy"
    none.write_bytes(b"none")
    page.ask("files", selector="#file-0", files=[str(none)])
    page.wait("document.getElementById('error').textContent === 'not a .npy file'")
    accessible(page)


STOPPED = """(() => {
    const soFar = document.getElementById("so-far").textContent;
    if (!soFar.endsWith(" cycles")) return false;
    document.getElementById("stop").click();
    return true;
})()"""
"""In one go, so that the inference does not end in between, however busy the computer is."""


def test_slow(zoo_model: ZooModel, tmp_path: Path, browser: Browser) -> None:
    """An inference of seconds has a bar, and can be stopped."""
    target_or_skip("rp2040")
    model = zoo_model("person_detect").read_bytes()
    samples = recorded("person_detect", 2, file="samples.npz")
    known = Known(recorded=samples, names=("person", "no_person"))
    page = browser.open(made(model, "person_detect", "rp2040", tmp_path, known=known).file)
    page.wait("!document.getElementById('running').hidden", seconds=60)
    page.wait(STOPPED, seconds=60)
    assert page.evaluate("document.getElementById('running').hidden")
    assert text_of(page, "inferences") == "0"
    page.check_quiet()
    page = browser.open(made(model, "person_detect", "rp2040", tmp_path / "unknown").file)
    assert text_of(page, "summary") == "Choose a picture: nothing has no answer."
    page.check_quiet()


def test_hostile_names(tmp_path: Path, browser: Browser) -> None:
    """What a file calls its tensors, and a person the classes, is text."""
    target_or_skip("atmega328")
    tensors = tuple(TensorSpec(f"{HOSTILE}{end}", (1, 8), "int8", (0.5,), (0,)) for end in "io")
    model = build_model(ModelSpec(tensors, (OperatorSpec("RELU", (0,), (1,)),), (0,), (1,)))
    known = Known(labels=tuple(f"{HOSTILE}{number}" for number in range(8)))
    page = browser.open(made(model, "names", "atmega328", tmp_path, known=known).file)
    wait_for_result(page)
    assert page.evaluate("document.images.length") == 0
    assert f"{HOSTILE}o" in text_of(page, "outputs")
    assert f"{HOSTILE}7" in text_of(page, "outputs")
    accessible(page)


def test_verb(tmp_path: Path, sines: dict[str, Made], browser: Browser) -> None:
    """`scons web` says where the page is; the same firmware gives the same bytes."""
    target_or_skip("atmega328")
    folder = copy_project(tmp_path / "copy")
    (folder / ".venv").symlink_to(PROJECT / ".venv")
    words = ("web", "model=sine", "target=atmega328")
    shown = build(folder, *words)
    file = folder / "build" / "atmega328" / "sine" / "sine.live.html"
    size = file.stat().st_size
    assert f"{file.relative_to(folder)}: {size:,} bytes" in shown
    assert size <= MOST_BYTES
    build(folder, *words, "optimize=layers")
    assert file.read_text(encoding="utf-8") == sines["atmega328"].text
    page = browser.open(file)
    wait_for_result(page)
    page.check_quiet()


def test_sizes(sines: dict[str, Made]) -> None:
    """Small enough for any mail, licence included, and without an address that could be asked."""
    for each in sines.values():
        assert len(each.text.encode()) <= MOST_BYTES
        assert "Permission is hereby granted, free of charge" in each.text
        assert "connect-src" not in each.text
        assert "default-src 'none'" in each.text or "default-src &#39;none&#39;" in each.text
