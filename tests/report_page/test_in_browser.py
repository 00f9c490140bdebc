"""The page in Chromium: quiet, reachable, sortable, as wide as its window, and what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from generate.page_sweep import too_wide
from tests.report_page.pages import HOSTILE, Made, hostile_report, sine_page, wide, written
from tests.support.browser import Browser, Page
from tests.support.hand_written import target_or_skip

NAMES = ("sine", "hostile", "both")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all tests of this file."""
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    """A firmware that was built and run, hostile names and no build, and both on one page."""
    target_or_skip("atmega328")
    folder = tmp_path_factory.mktemp("pages")
    sine, hostile = sine_page(folder), hostile_report()
    return {
        "sine": sine,
        "hostile": written(folder / "hostile.html", hostile),
        "both": written(folder / "both.html", sine.report, hostile),
    }


def opened(page: Page) -> Page:
    """With everything unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    return page


@pytest.mark.parametrize("name", NAMES)
def test_quiet_and_reachable(name: str, browser: Browser, pages: dict[str, Made]) -> None:
    """No error, no request, nothing that axe-core finds, light and dark, and no page wider than the
    window of a phone or a screen."""
    page = opened(browser.open(pages[name].file))
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        assert page.violations() == []
    for width in (390, 1100):
        page.resize(width)
        assert page.overflow() <= 0
    page.check_quiet()
    page.ask("close")


def test_no_table_is_cut(browser: Browser, pages: dict[str, Made], tmp_path: Path) -> None:
    """From a phone to a large screen everything of every table is seen, of a model with long names
    and large figures too: where columns have no room, a row is a block."""
    report = wide(pages["sine"].report)
    file = written(tmp_path / "wide.html", report, report, report | {"options": {}}).file
    page = opened(browser.open(file))
    labels = page.evaluate("[...document.querySelectorAll('.scroll')].map(each => each.ariaLabel)")
    assert len(labels) == len(set(labels)) > 15
    for width in (320, 400, 640, 767, 768, 900, 1023, 1024, 1280, 2560):
        page.resize(width)
        assert list(too_wide(page)) == [], width
    page.ask("close")


def test_blocks_say_what_their_figures_are(browser: Browser, pages: dict[str, Made]) -> None:
    """On a phone each figure has the title of its column, and rows are sorted as in a table."""
    page = opened(browser.open(pages["both"].file, width=390))
    figures = "[...document.querySelectorAll('tbody td.n:not(:empty)')]"
    untitled = f"{figures}.filter(each => !each.dataset.is).map(each => each.textContent)"
    assert page.evaluate(f"{figures}.length") > 20
    assert page.evaluate(untitled) == []
    titles = (
        "[...document.querySelectorAll('tbody tr')].every(row => [...row.cells].every(each =>"
        " !each.dataset.is || each.closest('table').tHead.textContent.includes(each.dataset.is)))"
    )
    assert page.evaluate(titles) is True
    head = "document.querySelector('th button')"
    assert page.evaluate(f"{head}.checkVisibility()") is True
    page.ask("close")


def test_policy_lets_nothing_out(browser: Browser, pages: dict[str, Made]) -> None:
    """What a page might ask for is refused by its own policy, not only for want of a network."""
    page = browser.open(pages["sine"].file, offline=False)
    refused = page.evaluate(
        "new Promise(done => {"
        "const seen = [];"
        "document.addEventListener('securitypolicyviolation', each => {"
        "seen.push(each.effectiveDirective); if (seen.length === 3) done(seen.sort()); });"
        "const image = new Image(); image.src = 'data:,'; document.body.append(image);"
        "fetch('http://127.0.0.1:9/').catch(() => 0);"
        "const script = document.createElement('script'); script.textContent = '1';"
        "document.body.append(script); })"
    )
    assert refused == ["connect-src", "img-src", "script-src-elem"]
    page.ask("close")


def test_figures_are_the_reports(browser: Browser, pages: dict[str, Made]) -> None:
    """Each figure with a key has the value that the report has there, and reads like it."""
    made = pages["sine"]
    report = {**made.report, **made.report["flash"]}
    page = browser.open(made.file)
    found = page.evaluate(
        "[...document.querySelectorAll('data[data-key]')]"
        ".map(each => [each.dataset.key, each.value, each.textContent])"
    )
    keys = {key for key, _, _ in found}
    assert keys >= {"flash_bytes", "ram_bytes", "cycles", "milliseconds", "estimated_microjoules"}
    assert keys >= {"equal_samples", "weights_bytes", "code_bytes"}
    for key, value, text in found:
        assert json.loads(value) == report[key]
        if isinstance(report[key], int):
            assert text == f"{report[key]:,}"
    assert report["equal_samples"] == 4


def cells(page: Page, region: str) -> list[list[str]]:
    """The texts of the rows of a table."""
    rows: list[list[str]] = page.evaluate(
        f"[...document.querySelectorAll('[aria-label=\"{region}\"] tbody tr')]"
        ".map(row => [...row.cells].map(each => each.textContent.trim()))"
    )
    return rows


def test_nodes_are_the_reports(browser: Browser, pages: dict[str, Made]) -> None:
    """A row for each, with the counts of its profile."""
    made = pages["sine"]
    report: Any = made.report
    page = browser.open(made.file)
    rows = cells(page, "nodes of sine on atmega328")
    counted = report["profile"]["nodes"]
    assert len(rows) == len(counted) == 3
    for row, node in zip(rows, counted, strict=True):
        head, _, macs, count, share, per_mac, per_value, floor, *_ = row
        assert head == f"{node['label']} {node['op'].upper()}{node['kernel']}"
        assert [macs, count] == [f"{node['macs']:,}", f"{node['count']:,}"]
        assert share == f"{100 * node['share']:.1f}\u202f%"
        assert [per_mac, per_value] == [f"{node['per_mac']:.2f}", f"{node['per_value']:.2f}"]
        assert floor == f"{node['times_floor']:.2f}"
    bars, ticks = (
        page.evaluate(f"[...document.querySelectorAll('.bar .{part}')].map(a => a.getBBox().{of})")
        for part, of in (("fill", "width"), ("tick", "x"))
    )
    scale = max(bars) / max(node["count"] for node in counted)
    assert bars == pytest.approx([node["count"] * scale for node in counted], abs=0.2)
    assert ticks == pytest.approx([node["floor"] * scale for node in counted], abs=0.2)
    link = page.evaluate("document.querySelector('.graph a').getAttribute('href').slice(1)")
    first = page.evaluate(f"document.getElementById('{link}').cells[0].textContent.trim()")
    assert first == rows[0][0]


def test_sorting_by_keyboard(browser: Browser, pages: dict[str, Made]) -> None:
    """Figures from the largest, then from the smallest; the head says so."""
    made = pages["sine"]
    page = browser.open(made.file)
    region = "nodes of sine on atmega328"
    counts = [each["count"] for each in made.report["profile"]["nodes"]]
    table = f'[aria-label="{region}"]'
    page.focus(f"{table} th:nth-child(3) button")
    page.press("Tab", "Enter")
    for says in ("descending", "ascending"):
        order = sorted(counts, reverse=says == "descending")
        assert [row[3] for row in cells(page, region)] == [f"{each:,}" for each in order]
        heads = page.evaluate(
            f"[...document.querySelectorAll('{table} th[aria-sort]')]"
            ".map(each => [each.textContent, each.getAttribute('aria-sort')])"
        )
        assert heads == [["cycles", says]]
        page.press("Space")
    page.focus(f"{table} th:nth-child(1) button")
    page.press("Enter")
    assert [row[0][0] for row in cells(page, region)] == ["0", "1", "2"]


def test_without_scripts(browser: Browser, pages: dict[str, Made]) -> None:
    """Nothing is missing but the buttons."""
    with_scripts = browser.open(pages["sine"].file)
    without = browser.open(pages["sine"].file, javaScriptEnabled=False)
    text = "document.querySelector('main').textContent"
    assert without.evaluate(text) == with_scripts.evaluate(text)
    assert without.evaluate("document.querySelectorAll('button').length") == 0
    assert with_scripts.evaluate("document.querySelectorAll('button').length") > 10
    without.check_quiet()


def test_hostile_names_are_only_text(browser: Browser, pages: dict[str, Made]) -> None:
    """No element and no handler of theirs, nothing that turns text, and each still told apart."""
    page = opened(browser.open(pages["hostile"].file))
    assert page.evaluate("document.title") == "hostile on host"
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.querySelectorAll('img, b, [onclick], [onerror]').length") == 0
    names = [row[-1] for row in cells(page, "tensors of hostile on host")]
    assert any(each.startswith(HOSTILE[0][:30]) for each in names)
    text = page.evaluate("document.documentElement.textContent")
    assert not set("\u202e\u2066\x00") & set(text)
    assert "gnp.exe" in text
    assert max(map(len, names)) <= 81
    page.check_quiet()


def test_headings_in_order(browser: Browser, pages: dict[str, Made]) -> None:
    """One of the first level, and none that leaves one out; the seven questions of each report."""
    for name, count in (("sine", 1), ("both", 2)):
        page = browser.open(pages[name].file)
        levels = page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4')].map(each => Number(each.tagName[1]))"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert levels.count(1 + count) == 7 * count
        assert all(after - before <= 1 for before, after in pairwise(levels))
