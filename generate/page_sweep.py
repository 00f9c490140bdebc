"""Looks at pages in Chromium, light and dark, from a phone to a large screen: what is wrong?

    python -m generate.page_sweep [--shots=DIR] [--widths=400,800] FILE.html|DIR ...

A folder is served at 127.0.0.1, as a site is; a file is opened as it is.

Of each page: the rules of axe-core that it breaks, errors and warnings of the console, requests to
a network, pixels by which it is wider than its window, tables that are cut, and how far what is
seen moves while it loads.  With `--shots` a picture of each, to be looked at.  Ends with status 1
where anything was found.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.support.browser import Browser, BrowserError, Page

SCHEMES = ("light", "dark")
WIDTHS = (400, 800, 1200, 1600)
EDGES = (320, 2560)
"""Widths at which only the widths of the page and of its tables are looked at."""
READY = "!document.getElementById('summary') || !!document.getElementById('summary').textContent"
"""A page in which a firmware runs has an answer, or says that it waits for an input."""
SHIFT = """new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => {
        for (const each of list.getEntries()) sum += each.hadRecentInput ? 0 : each.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 300);
})"""
CUT = """[...document.querySelectorAll(".scroll:has(table)")]
    .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth)
    .map((each) => each.ariaLabel)"""
UNFOLDED = """document.querySelectorAll("details").forEach((each) => {
    each.dataset.was ??= each.open; each.open = %s; })"""
"""All that is folded, opened, or as it was."""
MOST_SHIFT = 0.02
"""What browsers call good is 0.1."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, which is served meanwhile."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def pages_of(name: Path) -> Iterator[Path | str]:
    """A file, or the addresses of all pages of a folder."""
    if not name.is_dir():
        yield name
        return
    with served(name) as address:
        for file in sorted(name.rglob("*.html")):
            yield f"{address}/{file.relative_to(name).as_posix()}"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nothing."""


def swept(
    browser: Browser, file: Path | str, widths: Sequence[int] = WIDTHS, shots: Path | None = None
) -> Iterator[str]:
    """What is wrong with a page."""
    for scheme in SCHEMES:
        page = browser.open(file, width=widths[-1], scheme=scheme, offline=isinstance(file, Path))
        try:
            page.wait(READY, seconds=90)
        except BrowserError as error:
            yield f"{scheme}: {error}"
        for width in widths:
            page.resize(width)
            if shots:
                page.shot(shots / f"{Path(file).stem}-{scheme}-{width}.png")
            page.evaluate(UNFOLDED % "true")
            for each in page.violations():
                yield f"{scheme} {width}: {each['rule']}: {each['help']}: {each['where']}"
            yield from (f"{scheme} {width}: {each}" for each in too_wide(page))
            page.evaluate(UNFOLDED % "each.dataset.was === 'true'")
        page.evaluate(UNFOLDED % "true")
        for width in EDGES:
            page.resize(width)
            yield from (f"{scheme} {width}: {each}" for each in too_wide(page))
        yield from (f"{scheme}: {each}" for each in page.heard())
        page.ask("close")
    page = browser.open(file, width=widths[-1], offline=isinstance(file, Path))
    page.wait(READY, seconds=90)
    shift = page.evaluate(SHIFT)
    if shift > MOST_SHIFT:
        yield f"moves by {shift:.3f} while it loads"
    page.ask("close")


def too_wide(page: Page) -> Iterator[str]:
    """What does not fit at the width that the window has."""
    if page.overflow() > 0:
        yield f"{page.overflow()} pixels wider than the window"
    yield from (f"table '{each}' is cut" for each in page.evaluate(CUT))


def main() -> int:
    """Sweep all pages named; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shots", type=Path)
    parser.add_argument("--widths", default=",".join(map(str, WIDTHS)))
    parser.add_argument("pages", type=Path, nargs="+")
    words = parser.parse_args()
    if words.shots:
        words.shots.mkdir(parents=True, exist_ok=True)
    widths = [int(each) for each in words.widths.split(",")]
    files, found = 0, 0
    with Browser() as browser:
        for file in (each for name in words.pages for each in pages_of(name)):
            files += 1
            for problem in swept(browser, file, widths, words.shots):
                found += 1
                print(f"{file}: {problem}", flush=True)
    print(f"{files} pages, {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
