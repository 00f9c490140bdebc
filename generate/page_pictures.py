"""Pictures of pages in docs/ that show a model: its memory plan, its report, its live page, its
result in a notebook; and those of the live pages of the site, light and dark.

    python -m generate.page_pictures --models=DIR [--only=CARD]

The plan is drawn by the compiler; the pages are made as a reader makes them and looked at in
Chromium, so that their pictures differ a little where other fonts are installed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

import tinyml_rules as tr
from generate.live_pages import LIVE, LivePage, build
from generate.palette_png import with_palette
from tests.support.browser import Browser
from tinyml_rules.compiler import compile_model
from tinyml_rules.reporting.memory_picture.page import memory_picture
from tinyml_rules.reporting.timeline import Timeline, timeline_from
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
PLAN = "memory_plan.svg"
PLANNED = ("person_detect", "nrf52840")
"""A model on a part in whose plan everything is that the page tells of."""
SHOWN = "kws"
SCREENS = {
    "report.png": ("nrf52840", "report", f"{SHOWN}.html", 1500, "true"),
    "live_page.png": ("rp2040", "web", f"{SHOWN}.live.html", 850, "!!document.body.dataset.shown"),
}
"""The target, the verb, its page, pixels of its height that are shown, and when it is ready."""
NOTEBOOK = "notebook.png"
WIDTH = 1100
MOST_BYTES = 100_000
CARDS = tuple(f"live_{page.name}-{scheme}.png" for page in LIVE for scheme in ("light", "dark"))
"""Of the live pages of the site."""
CARD = {"width": 1000, "height": 625, "deviceScaleFactor": 0.64}
"""Pixels of a live page that its card shows, and how many of the picture each is."""
SHOWN_FIRST = {"digits": "[...document.querySelectorAll('.known button')][7].click()"}
"""What is done before the picture of a card is taken."""
READY = {"sine": "document.querySelectorAll('.points circle').length === 256"}


def planned(model: bytes) -> Timeline:
    """What is in the arena of the model PLANNED, and when."""
    name, target = PLANNED
    return timeline_from(compile_model(Request(model, name, load_target(target))).report)


def screen(browser: Browser, name: str, models: Path) -> bytes:
    """A page of the model SHOWN, built anew."""
    target, verb, file, height, is_ready = SCREENS[name]
    words = (f"target={target}", f"model={SHOWN}", f"models={models}", verb)
    subprocess.run([sys.executable, "-m", "SCons", "-s", *words], cwd=ROOT, check=True)
    page = browser.open(ROOT / "build" / target / SHOWN / file, width=WIDTH, height=height)
    page.wait(is_ready)
    shot = ROOT / "build" / name
    page.shot(shot, full=False)
    return with_palette(shot.read_bytes())


def notebook(browser: Browser) -> bytes:
    """The result of a run, as the cell of a notebook shows it."""
    digits = ROOT / "examples" / "digits"
    sensor = digits / "sensor.toml"
    model = tr.quantize(digits / "digits.tflite", digits / "calibration.npz", sensor=sensor)
    inputs = np.load(digits / "evaluation.npz")["digits/input"][:20].astype(np.float32)
    shown = tr.run(model, inputs, "atmega328", profile=True, sensor=sensor)._repr_html_()
    page, shot = ROOT / "build" / "notebook.html", ROOT / "build" / NOTEBOOK
    page.parent.mkdir(exist_ok=True)
    page.write_text(f'<!doctype html><meta charset="utf-8">{shown}', encoding="utf-8")
    browser.open(page, width=WIDTH, height=1080).shot(shot, full=False)
    return with_palette(shot.read_bytes())


def card(browser: Browser, page: LivePage, scheme: str) -> bytes:
    """The upper part of a live page, input and output, in the size of its card."""
    file, scale = ROOT / "build" / "live" / f"{page.name}.html", CARD["deviceScaleFactor"]
    width, height = int(CARD["width"]), int(CARD["height"])
    shown = browser.open(file, width=width, height=height, scheme=scheme, deviceScaleFactor=scale)
    shown.wait("!!document.body.dataset.shown")
    shown.evaluate(SHOWN_FIRST.get(page.name, "0"))
    shown.wait(READY.get(page.name, "true"), seconds=120)
    shown.evaluate("new Promise((done) => setTimeout(done, 1000))")
    shown.evaluate("scrollTo(0, document.querySelector('.live').offsetTop - 16)")
    shot = ROOT / "build" / "card.png"
    shown.shot(shot, full=False)
    return with_palette(shot.read_bytes())


def main() -> None:
    """Write all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="folder of the models' files")
    parser.add_argument("--only", help="the name of one live page, whose card alone is made")
    words = parser.parse_args()
    models = words.models.resolve()
    with Browser() as browser:
        for page in LIVE:
            if words.only not in (None, page.name):
                continue
            why = build(page, ROOT / "build" / "live")
            assert not why, why
            for scheme in ("light", "dark"):
                file = PICTURES / f"live_{page.name}-{scheme}.png"
                file.write_bytes(card(browser, page, scheme))
    if words.only:
        return
    model = (models / f"{PLANNED[0]}.tflite").read_bytes()
    plan = memory_picture(planned(model), has_table=False)
    (PICTURES / PLAN).write_text(plan, encoding="utf-8")
    with Browser() as browser:
        for name in SCREENS:
            (PICTURES / name).write_bytes(screen(browser, name, models))
        (PICTURES / NOTEBOOK).write_bytes(notebook(browser))


if __name__ == "__main__":
    main()
