"""Tables of pages that compare options are what the firmware takes today; `--write-pages` writes
them."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from tests.conftest import ZooModel
from tests.docs.pages import DOCS
from tests.docs.steps import Followed, hold
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.target.target import load_target

Figures = dict[str, Any]
Measure = Callable[..., Figures | None]
KWS, AD, SPEECH, SINE = "kws", "ad", "speech", "sine"
PART_NAMES = {"nrf52840": "nRF52840", "atmega1284p": "ATmega1284P", "atmega328": "ATmega328"}


@dataclass(frozen=True)
class Row:
    """A model on a part with the options that both figures of a line have."""

    model: str
    part: str
    options: str = ""


PACKED = (
    *(Row(AD, part) for part in ("lm3s6965", "nrf51", "nrf52840", "riscv32imc", "atmega2560")),
    Row(SPEECH, "atmega328", "--push-rows"),
)
EXTERNAL_PAGES = (16, 64, 128, 256)
EXCHANGED = (
    Row(KWS, "nrf52840"),
    Row("person_detect", "nrf52840"),
    Row(SPEECH, "nrf52840"),
    Row(SPEECH, "atmega1284p"),
    Row(SINE, "atmega328", "--optimize layers"),
)
SIZES = tuple(Row(KWS, part) for part in ("nrf52840", "nrf51", "riscv32imc", "atmega1284p"))


@pytest.fixture(scope="module")
def measure(zoo_model: ZooModel) -> Measure:
    """A function from a row and further options to the report of a run; None for what does not
    fit."""

    @cache
    def run(row: Row, options: str) -> Figures | None:
        target_or_skip(row.part)
        words = [str(zoo_model(row.model)), "--target", row.part, *row.options.split()]
        printed, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(error):
            status = main(["run", *words, *options.split(), "--json"])
        assert status == 0 or "bytes of flash" in error.getvalue(), error.getvalue()
        report: Figures = json.loads(printed.getvalue())
        return report if "flash_bytes" in report else None

    return run


def count(report: Figures) -> int:
    """Cycles, or instructions."""
    value: int = report.get("cycles") or report["instructions"]
    return value


def packed_rows(measure: Measure) -> list[str]:
    """Packed weights, and the same firmware before."""
    rows = []
    for row in PACKED:
        packed, plain = measure(row, "--weights packed"), measure(row, "")
        assert packed is not None
        unit = "cycles" if "cycles" in packed else "instructions"
        name = f"{row.model}, {row.part}" + (f", `{row.options}`" if row.options else "")
        before = (
            (f"{plain['flash_bytes']:,}", f"{count(plain):,}") if plain else ("does not fit", "")
        )
        rows.append(
            f"| {name} | {packed['flash_bytes']:,} | {before[0]} | {count(packed):,} {unit} |"
            + (f" {before[1]} |" if before[1] else " |")
        )
    return rows


def external_rows(measure: Measure) -> list[str]:
    """Weights outside flash by the size of the page."""
    reports = [
        (page, measure(Row(AD, "atmega328"), f"--weights external --page {page}"))
        for page in EXTERNAL_PAGES
    ]
    return [
        f"| {page} | {each['flash_bytes']:,} | {each['ram_bytes']:,} | {each['stack_bytes']} "
        f"| {count(each):,} | {each['external_bytes_read']:,} |"
        for page, each in reports
        if each
    ]


def exchanged_rows(measure: Measure) -> list[str]:
    """What an image costs that a firmware can exchange."""
    rows = []
    for row in EXCHANGED:
        plain, other = measure(row, ""), measure(row, "--weights partition")
        assert plain is not None
        assert other is not None
        share = 100 * (count(other) / count(plain) - 1)
        name = row.model + (" (layers)" if row.options else "")
        rows.append(
            f"| {name}, {PART_NAMES[row.part]} "
            f"| {plain['flash_bytes']:,} → {other['flash_bytes']:,} B "
            f"| {plain['ram_bytes']:,} → {other['ram_bytes']:,} B | {share:+.1f} % |"
        )
    return rows


def size_rows(measure: Measure) -> list[str]:
    """For size, beside the default."""
    rows = []
    for row in SIZES:
        for name, word in ((row.part, "balanced"), ("", "size")):
            report = measure(row, f"--optimize {word}")
            assert report is not None
            figures = (report["flash_bytes"], report["ram_bytes"], count(report))
            words = " | ".join((name, word, *(f"{each:,}" for each in figures)))
            rows.append(f"| {words} |".replace("|  |", "| |"))
    return rows


TABLES: dict[str, tuple[str, str, Callable[[Measure], list[str]]]] = {
    "packed": ("how-to/weights.md", "| ad, lm3s6965 |", packed_rows),
    "external": ("how-to/weights.md", "| 16 |", external_rows),
    "exchanged": ("how-to/exchange.md", "| kws, nRF52840 |", exchanged_rows),
    "size": ("how-to/optimize.md", "| nrf52840 | balanced |", size_rows),
}
"""{table: (page, how its first row begins, what makes the rows)}"""


@pytest.mark.parametrize("name", TABLES)
def test_table(name: str, measure: Measure, request: pytest.FixtureRequest) -> None:
    """Every row is what a fresh build takes and counts."""
    page, begins, make = TABLES[name]
    text = (DOCS / page).read_text(encoding="utf-8")
    start = text.index(f"\n{begins}") + 1
    end = text.find("\n\n", start) + 1 or len(text)
    rows = "".join(f"{row}\n" for row in make(measure))
    hold(DOCS / page, text, Followed(text[:start] + rows + text[end:]), request)


def test_parts_have_their_names() -> None:
    assert all(load_target(part) for part in PART_NAMES)
