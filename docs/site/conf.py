"""The site of the documentation: Sphinx's settings, and how the forge's pages become a site's.

The pages stay plain Markdown that a forge shows.  What a site needs beside them is made here: the
menu, from the links of docs/README.md in their order, and links to folders and sources, which lead
to a folder's page if it has one and are plain words if not.  `./tinyml site` builds it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    *("*.md", "docs/*.md", "docs/*/*.md"),
    *("e2e/*/README.md", "examples/*/README.md"),
    *("targets/*/README.md", "models/*/README.md"),
)
HOME = "docs/README"
SECTIONS = {
    "Tutorials": "docs/tutorials/",
    "How-to": "docs/how-to/",
    "Build systems": "docs/build_systems/",
    "Reference": "docs/reference/",
    "Explanation": "docs/explanation/",
    "The project": "",
}
"""Captions of the menu, and the folder whose pages stand below each; the last has the others."""

project = "tinyml_rules"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
include_patterns = list(PAGES)
root_doc = HOME
myst_heading_anchors = 6
html_theme = "furo"
html_title = project
html_baseurl = ""
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
templates_path = ["templates"]
html_additional_pages = {"index": "home.html"}
smartquotes = False
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # of Meson, whose lexer does not know numbers

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.M | re.S)


def setup(app: Any) -> None:
    """What Sphinx calls."""
    app.connect("source-read", _page_of_a_site)
    app.connect("build-finished", _copy_pictures)


def _page_of_a_site(_app: Any, name: str, source: list[str]) -> None:
    folder = (ROOT / name).parent
    words = _CODE.split(source[0])
    text = "".join(
        word if place % 2 else _LINK.sub(lambda link: _linked(folder, link), word)
        for place, word in enumerate(words)
    )
    source[0] = text + (_menu(text) if name == HOME else "")


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


def _menu(home: str) -> str:
    """A hidden table of contents a section, in the order in which the home page has the pages."""
    named = [(ROOT / HOME).parent / link[2].partition("#")[0] for link in _LINK.finditer(home)]
    every = [file for pattern in PAGES for file in sorted(ROOT.glob(pattern))]
    order = list(dict.fromkeys([*(file.resolve() for file in named), *every]))
    names = [file.relative_to(ROOT).as_posix() for file in order if _is_page(file)]
    menu, left = "", [name for name in names if name != f"{HOME}.md"]
    for caption, folder in SECTIONS.items():
        inside = [name for name in left if name.startswith(folder)]
        left = [name for name in left if name not in inside]
        lines = "\n".join(f"/{name}" for name in inside)
        menu += f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"
    return menu


def _copy_pictures(app: Any, error: Exception | None) -> None:
    """Those of HTML tags, which Sphinx does not look into."""
    if error is None:
        shutil.copytree(
            ROOT / "docs/pictures", Path(app.outdir) / "docs/pictures", dirs_exist_ok=True
        )
