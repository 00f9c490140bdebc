"""The live pages of the site: a table, and what builds them.

    python -m generate.live_pages FOLDER

writes FOLDER/<name>.html for each page that can be built here, and says why one cannot.  The models
are all in this repository, so that nothing is downloaded.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "site-models"
TARGETS = ("atmega328", "rp2040")
"""Whose compilers the pages need."""
FIRST_WORD = 2
"""The number of the first class that is a word."""
FIRST_WINDOW = 4
"""From here on the first window of yes is heard right; one of those shown is not."""


@dataclass(frozen=True)
class LivePage:
    """`title` and `text` of its card; `verb`: the words after `scons` that make the page `file`;
    `prepare` makes what they name."""

    name: str
    title: str
    text: str
    verb: tuple[str, ...]
    file: str
    prepare: Callable[[], None] = lambda: None

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "SCons", "-s", *self.verb, "web"]


def _words() -> None:
    """The words among the model's windows that training never heard."""
    import numpy as np  # noqa: PLC0415 - the table alone needs no package

    with np.load(ROOT / "models" / "keyword_synthetic" / "held_out.npz") as windows:
        are_words = windows["labels"] >= FIRST_WORD
        shown = [name for name in windows if name != "names"]
        words = {name: windows[name][are_words][FIRST_WINDOW:] for name in shown}
    BUILD.mkdir(parents=True, exist_ok=True)
    np.savez(BUILD / "words.npz", **words)


def _digits() -> None:
    """The example's float model in integers."""
    folder = ROOT / "examples" / "digits"
    words = ["--calibration", str(folder / "calibration.npz"), "--scales", "power-of-two"]
    words += ["--sensor", str(folder / "sensor.toml"), "--out", str(BUILD / "digits.tflite")]
    BUILD.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tinyml_rules", "quantize", str(folder / "digits.tflite")]
    subprocess.run([*command, *words], cwd=ROOT, check=True, capture_output=True, text=True)


LIVE = (
    LivePage(
        "digits",
        "Draw a digit",
        "An ATmega328 with 2 kB of RAM reads it: 6 kB of flash, 16 ms",
        (
            *("target=atmega328", f"model={BUILD / 'digits.tflite'}"),
            *("sensor=examples/digits/sensor.toml", "samples=examples/digits/evaluation.npz"),
        ),
        "build/atmega328/own/digits/digits.live.html",
        _digits,
    ),
    LivePage(
        "keyword",
        "Hear a word",
        "Yes, no, up, down, stop on the Cortex-M0+ of a Raspberry Pi Pico",
        ("target=rp2040", "model=keyword_synthetic", f"samples={BUILD / 'words.npz'}"),
        "build/rp2040/keyword_synthetic/keyword_synthetic.live.html",
        _words,
    ),
    LivePage(
        "sine",
        "Follow a sine",
        "Three layers on an Arduino Uno, every cycle counted",
        ("target=atmega328", "model=sine", "optimize=layers"),
        "build/atmega328/sine/sine.live.html",
    ),
)


def build(page: LivePage, folder: Path) -> str:
    """Make a page; returns why it could not be made, or nothing."""
    try:
        page.prepare()
        subprocess.run(page.command, cwd=ROOT, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()
        named = [line for line in said if "error:" in line.lower()]
        return next(iter([*named, *said[-1:]]), f"ended with status {error.returncode}")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / page.file, folder / f"{page.name}.html")
    return ""


def main() -> int:
    """Build all of them; 1 if one is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    missing = 0
    for page in LIVE:
        why = build(page, folder)
        missing += bool(why)
        if why:
            print(f"live page {page.name}: not built: {why}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
