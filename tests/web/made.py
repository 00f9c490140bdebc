"""Pages made of models as the verb makes them, with all that they are compared with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.conftest import MODELS_FOLDER
from tests.support.browser import Page
from tests.support.javascript import emulators
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.build import build_image_around
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request
from tinyml_rules.runners import RunResult, run_image
from tinyml_rules.runners.arrays import pack_samples
from tinyml_rules.runners.figures import describe_size
from tinyml_rules.runners.model import build_minimal
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.web.page import Known, live_page

_LINE = re.compile(r"(\d+) (\d+) cycles (\d+) instructions (\d+) B of stack (equal|DIFFERENT)")


@dataclass(frozen=True)
class Made:
    """A page, and what simavr or QEMU says of the same objects in a test image."""

    file: Path
    report: dict[str, Any]
    text: str
    ran: RunResult | None


@dataclass(frozen=True)
class Line:
    """A recorded input in the page's list."""

    cycles: int
    instructions: int
    stack_bytes: int
    is_equal: bool


def made(
    model: bytes,
    name: str,
    target_name: str,
    folder: Path,
    *,
    known: Known | None = None,
    options: Mapping[str, Any] | None = None,
) -> Made:
    """Compile, build, and write the page; where something is recorded, run the test image on it."""
    target = load_target(target_name)
    compiled = compile_model(Request.of(model, name, target, dict(options or {})))
    objects, size = build_minimal(compiled, target, folder=folder)
    report = replace(compiled.report, build=describe_size(size, target))
    known = known or Known()
    text = live_page(report, target, folder / f"{name}_minimal.elf", known, emulators())
    file = folder / f"{name}.live.html"
    file.write_text(text, encoding="utf-8")
    ran = None
    if known.recorded:
        inputs = {port.tensor: known.recorded[port.tensor] for port in compiled.interface.inputs}
        samples = pack_samples(compiled.interface, inputs, where=name)
        ran = run_image(target, build_image_around(target, objects, kind="test"), samples)
    return Made(file, to_json(report), text, ran)


def recorded(name: str, count: int, *, file: str = "vectors.npz") -> dict[str, Any]:
    """The first of TFLM's results for a model of the zoo."""
    with np.load(MODELS_FOLDER / name / file) as vectors:
        return {tensor: vectors[tensor][:count] for tensor in vectors}


def compared(page: Page, *, seconds: float = 120) -> tuple[Line, ...]:
    """What the page lists once it has compared all recorded inputs."""
    page.click("#compare")
    page.wait("document.getElementById('verdict').dataset.done === 'yes'", seconds=seconds)
    found = _LINE.findall(text_of(page, "log"))
    return tuple(
        Line(int(cycles), int(instructions), int(stack), word == "equal")
        for _, cycles, instructions, stack, word in found
    )


def text_of(page: Page, element: str) -> str:
    """What an element says."""
    return str(page.evaluate(f"document.getElementById({json.dumps(element)}).textContent"))


def number_in(page: Page, element: str) -> float:
    """The figure of a tile."""
    return float(text_of(page, element).replace(",", ""))


def wait_for_result(page: Page, *, seconds: float = 60) -> None:
    """Until the first inference has been shown."""
    page.wait("Boolean(document.body.dataset.shown)", seconds=seconds)


def clock_of(target: Target) -> int:
    """Of a part, in Hz."""
    assert target.clock_hz
    return target.clock_hz


def accessible(page: Page) -> None:
    """No rule of axe broken, nothing wider than a phone, light and dark; and nothing said about
    errors or asked of a network."""
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for width in (1100, 390):
            page.resize(width)
            assert page.overflow() == 0
        assert page.violations() == []
    page.check_quiet()
