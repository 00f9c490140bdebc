"""The site of the documentation: Sphinx's settings, and how the forge's pages become a site's.

The pages stay plain Markdown that a forge shows.  What a site needs more is made here: the first
page, which is README.md with three ways on and three live pages; the menu, from the links of
docs/README.md in their order; what is not released yet, in the changelog; links to folders and
sources, which lead to a folder's page if it has one and are plain words if not; and what the theme
lacks for the keyboard and for screen readers.  `./tinyml site` builds it.
"""

from __future__ import annotations

import re
import shutil
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

from generate.changelog import change_files, change_of, unreleased, with_release
from generate.live_pages import LIVE, LivePage

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    *("*.md", "docs/*.md", "docs/*/*.md"),
    *("e2e/*/README.md", "examples/*/README.md"),
    *("targets/*/README.md", "models/*/README.md", "tests/regression/README.md"),
    "changes/README.md",
    *("tinyml_rules/*/README.md", "tinyml_rules/*/*/README.md"),
)
HOME = "README"
CHANGELOG = "CHANGELOG"
OVERVIEW = "docs/README"
SECTIONS = {
    "Tutorials": "docs/tutorials/",
    "How-to": "docs/how-to/",
    "Build systems": "docs/build_systems/",
    "Reference": "docs/reference/",
    "Explanation": "docs/explanation/",
    "The project": "",
}
"""Captions of the menu, and the folder whose pages are below each; the last has the others."""
WAYS = {
    "docs/tutorials/sine_on_an_uno": ("Try it", "a first firmware, on an emulated Arduino Uno"),
    "docs/tutorials/own_firmware": ("Use it", "your own model in your own firmware"),
    OVERVIEW: ("Look it up", "every page: tasks, build systems, reference, explanation"),
}
"""From the first page: the page, and the words of its card."""

LIVE_PAGE = "docs/how-to/live_page"
"""Where the card of a live page leads that was not built."""
CARD = (640, 400)
"""Width and height of its picture."""

project = "tinyml_rules"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
include_patterns = list(PAGES)
exclude_patterns = [".*", "build"]  # where there are no pages, but more folders than in all others
root_doc = HOME
myst_heading_anchors = 6
html_theme = "furo"
html_title = project
html_baseurl = ""
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "static/favicon.svg"
smartquotes = False
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # of Meson, whose lexer does not know numbers

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_DRAWING = re.compile(r'<img [^>]*src="(docs/pictures/[\w-]+\.svg)"')
_VIEW_BOX = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.M | re.S)


def setup(app: Any) -> None:
    """What Sphinx calls."""
    app.add_config_value("live_pages", "", "html", str)
    app.connect("source-read", _page_of_a_site)
    app.connect("html-page-context", _with_menu, priority=400)  # before the theme's own
    app.connect("build-finished", _finish)


def _page_of_a_site(app: Any, name: str, source: list[str]) -> None:
    folder = (ROOT / name).parent
    words = _CODE.split(_with_unreleased(source[0]) if name == CHANGELOG else source[0])
    text = "".join(
        word if place % 2 else _LINK.sub(lambda link: _linked(folder, link), word)
        for place, word in enumerate(words)
    )
    if name == HOME:
        before, end, after = _sized(text).partition("</picture>\n")
        live = "".join(_live_card(page, app.config.live_pages) for page in LIVE)
        shown = f'<nav class="ways live" aria-label="Live pages">{live}</nav>\n'
        text = f"{before}{end}\n{_cards()}{shown}{after}{_menu()}"
    source[0] = text


def _sized(text: str) -> str:
    """The same with the size of each drawing, so that nothing moves when it arrives."""

    def with_size(match: re.Match[str]) -> str:
        drawing = (ROOT / match[1]).read_text(encoding="utf-8")
        found = _VIEW_BOX.search(drawing)
        return f'{match[0]} width="{found[1]}" height="{found[2]}"' if found else match[0]

    return _DRAWING.sub(with_size, text)


def _with_unreleased(changelog: str) -> str:
    return with_release(changelog, "Unreleased", unreleased(map(change_of, change_files(ROOT))))


def _cards() -> str:
    """The ways on, as HTML."""
    cards = (
        f'<a href="{page}.html"><strong>{title}</strong><span>{words}</span></a>'
        for page, (title, words) in WAYS.items()
    )
    return f'<nav class="ways" aria-label="Ways on">{"".join(cards)}</nav>\n'


def _live_card(page: LivePage, folder: str) -> str:
    """The picture of a live page and a link to it; else to the page about them."""
    is_there = bool(folder) and (Path(folder) / f"{page.name}.html").is_file()
    link = f"live/{page.name}.html" if is_there else f"{LIVE_PAGE}.html"
    pictures = f"docs/pictures/live_{page.name}"
    picture = (
        '<picture><source media="(prefers-color-scheme: dark)" '
        f'srcset="{pictures}-dark.png"><img alt="" width="{CARD[0]}" height="{CARD[1]}" '
        f'src="{pictures}-light.png"></picture>'
    )
    words = f"<strong>{page.title}</strong><span>{page.text}</span>"
    return f'<a href="{link}">{picture}{words}</a>'


def _linked(folder: Path, link: re.Match[str]) -> str:
    """A link to a page of the site or elsewhere, or the words of one to anything else."""
    target, _, anchor = link[2].partition("#")
    file = (folder / target).resolve()
    if not target or ":" in target or (file.suffix == ".md" and _is_page(file)):
        return link[0]
    page = file / "README.md"
    if not _is_page(page):
        return link[1]
    return f"[{link[1]}]({target.rstrip('/')}/README.md{'#' * bool(anchor)}{anchor})"


def _is_page(file: Path) -> bool:
    return file.is_file() and any(file.relative_to(ROOT).match(each) for each in PAGES)


def _with_menu(app: Any, name: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Sphinx would make the menu anew for each page out of all headings of all pages, in a third
    of the time of the site."""
    context["toctree"] = partial(_menu_of_page, app.env.titles, name, context["pathto"])


def _menu_of_page(titles: Any, current: str, pathto: Any, **_: object) -> str:
    """The sections and their pages as the theme expects them, in HTML."""
    lines = []
    for caption, names in _sections():
        if caption:
            text = f'<span class="caption-text">{escape(caption)}</span>'
            lines.append(f'<p class="caption" role="heading">{text}</p>')
        lines.append("<ul>")
        for each in (name.removesuffix(".md") for name in names):
            here = "current " * (each == current)
            link = f'<a class="{here}reference internal" href="{pathto(each)}">'
            title = escape(titles[each].astext())
            lines.append(f'<li class="toctree-l1 {here}">{link}{title}</a></li>')
        lines.append("</ul>")
    return "\n".join(lines)


def _menu() -> str:
    """A hidden table of contents a section."""
    return "".join(
        _contents(names, f":caption: {caption}\n" * bool(caption)) for caption, names in _sections()
    )


@cache
def _sections() -> list[tuple[str, list[str]]]:
    """Captions and pages, in the order in which the overview has the pages."""
    overview = ROOT / f"{OVERVIEW}.md"
    links = _LINK.finditer(overview.read_text(encoding="utf-8"))
    named = [overview, *(overview.parent / link[2].partition("#")[0] for link in links)]
    every = [file for pattern in PAGES for file in sorted(ROOT.glob(pattern))]
    order = list(dict.fromkeys([*(file.resolve() for file in named), *every]))
    names = [file.relative_to(ROOT).as_posix() for file in order if _is_page(file)]
    left = [name for name in names if name not in (f"{HOME}.md", f"{OVERVIEW}.md")]
    sections = [("", [f"{OVERVIEW}.md"])]
    for caption, folder in SECTIONS.items():
        inside = [name for name in left if name.startswith(folder)]
        left = [name for name in left if name not in inside]
        sections.append((caption, inside))
    return sections


def _contents(names: list[str], caption: str = "") -> str:
    lines = "\n".join(f"/{name}" for name in names)
    return f"\n\n```{{toctree}}\n:hidden:\n{caption}\n{lines}\n```\n"


MENDED = (
    (re.compile(r'role="heading"(?! aria-level)'), 'role="heading" aria-level="2"'),
    (
        re.compile(r'<aside class="sidebar-drawer"'),
        '<aside class="sidebar-drawer" aria-label="Pages"',
    ),
    (
        re.compile(r'<aside class="toc-drawer'),
        r'<aside aria-label="On this page" class="toc-drawer',
    ),
    (re.compile(r'<th class="head[^"]*">(?:<p></p>)?</th>'), "<td></td>"),
    (re.compile(r"<pre>"), '<pre tabindex="0">'),
    (re.compile(r'<div class="table-wrapper'), '<div tabindex="0" class="table-wrapper'),
)
"""What the theme leaves out for readers without a mouse or a screen: levels of headings, names of
landmarks, corners of tables that are no titles, and a place in the order of the keyboard for what
can be scrolled."""


def _finish(app: Any, error: Exception | None) -> None:
    """The first page by the name that servers look for, and the pictures of HTML tags, into which
    Sphinx does not look."""
    if error is None:
        out = Path(app.outdir)
        for file in out.rglob("*.html"):
            text = file.read_text(encoding="utf-8")
            for pattern, better in MENDED:
                text = pattern.sub(better, text)
            file.write_text(text, encoding="utf-8")
        shutil.copyfile(out / f"{HOME}.html", out / "index.html")
        shutil.copytree(ROOT / "docs/pictures", out / "docs/pictures", dirs_exist_ok=True)
        for page in Path(app.config.live_pages).glob("*.html") if app.config.live_pages else ():
            (out / "live").mkdir(exist_ok=True)
            shutil.copyfile(page, out / "live" / page.name)
