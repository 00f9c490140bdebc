"""A real browser for tests of pages: Chromium, driven by playwright-core through `browser.mjs`.

The machine is offline for the pages, so that a request that leaves would be seen and fail.  A
browser takes a second to start: open as many pages in one as there are.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PROJECT = Path(__file__).parents[2]
NPM = PROJECT / ".venv" / "npm"
CHROMIUM = "/usr/bin/chromium"


class BrowserError(AssertionError):
    """What the driver could not do: a selector that matches nothing, a script that fails."""


class Browser:
    """A running browser; a context manager.  `arguments` are more of Chromium's own."""

    def __init__(self, *arguments: str) -> None:
        driver = Path(__file__).with_suffix(".mjs")
        command = ["node", str(driver), str(NPM.resolve()), CHROMIUM, *arguments]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=60)  # closes its input, which ends it

    def ask(self, what: str, **details: Any) -> Any:
        """One action of the driver and its answer; raises BrowserError."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"do": what, **details}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise BrowserError(f"the browser ended at {what}")
        answer = json.loads(line)
        if "error" in answer:
            raise BrowserError(f"{what}: {answer['error']}")
        return answer["found"]

    def open(
        self,
        file: Path | str,
        *,
        width: int = 1100,
        height: int = 900,
        scheme: str = "light",
        **options: Any,
    ) -> Page:
        """A page of its own for a file or an address; `options` are those of playwright's contexts,
        for instance `javaScriptEnabled=False`, `permissions=["microphone"]`."""
        options = {
            "viewport": {"width": width, "height": height},
            "colorScheme": scheme,
            **options,
        }
        url = file if isinstance(file, str) else file.resolve().as_uri()
        return Page(self, self.ask("open", url=url, options=options), url)


@dataclass(frozen=True)
class Page:
    """An open page."""

    browser: Browser
    number: int
    url: str

    def ask(self, what: str, **details: Any) -> Any:
        """One action of the driver on this page."""
        return self.browser.ask(what, page=self.number, **details)

    def evaluate(self, script: str) -> Any:
        """The value of an expression of JavaScript; of a promise what it becomes."""
        return self.ask("evaluate", script=script)

    def wait(self, script: str, *, seconds: float = 30) -> None:
        """Until an expression is true."""
        self.ask("wait", script=script, milliseconds=1000 * seconds)

    def press(self, *keys: str) -> None:
        """Keys, one after the other, on what has the focus."""
        for key in keys:
            self.ask("press", key=key)

    def click(self, selector: str) -> None:
        """On the element that the selector names."""
        self.ask("click", selector=selector)

    def focus(self, selector: str) -> None:
        """On the element that the selector names."""
        self.ask("focus", selector=selector)

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """The mouse, its button held, from the first point of the window to the last."""
        self.ask("drag", points=points)

    def resize(self, width: int, height: int = 900) -> None:
        """The window, in CSS pixels."""
        self.ask("resize", width=width, height=height)

    def scheme(self, scheme: str) -> None:
        """`light` or `dark`."""
        self.ask("scheme", scheme=scheme)

    def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        root = "document.documentElement"
        return int(self.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))

    def violations(self) -> list[dict[str, Any]]:
        """The rules of axe-core that the page breaks, as it is now."""
        found: list[dict[str, Any]] = self.ask("axe")
        return found

    def check_quiet(self) -> None:
        """Fail where the page wrote errors or warnings, or asked for anything but itself."""
        seen = self.ask("seen")
        assert seen["problems"] == []
        assert [each for each in seen["requests"] if not _is_inside(each, self.url)] == []

    def heard(self) -> list[str]:
        """Its errors and warnings, and what it asked of a network."""
        seen = self.ask("seen")
        asked = [each for each in seen["requests"] if not each.startswith(_OF_THIS_MACHINE)]
        return [*seen["problems"], *(f"asks for {each}" for each in asked)]

    def shot(self, file: Path, *, full: bool = True) -> None:
        """A picture of the page, for looking at."""
        self.ask("shot", file=str(file), full=full)


_OF_THIS_MACHINE = ("file:", "data:", "blob:", "http://127.0.0.1:")


def _is_inside(request: str, url: str) -> bool:
    """The file itself, or bytes that it holds."""
    return request.partition("#")[0] == url or request.startswith(("data:", "blob:"))
