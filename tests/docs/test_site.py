"""The site that `./tinyml site` builds of the pages: whole, without warnings, with a search."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import PROJECT
from tests.docs.pages import PAGES, links

_BUILD = ("-q", "-W", "--keep-going", "-b", "html", "-c", "docs/site")


def test_site(tmp_path: Path) -> None:
    """One build, which takes most of the time, and all that is asked of it."""
    command = [sys.executable, "-m", "sphinx", *_BUILD, ".", str(tmp_path)]
    built = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    every_page_is_in_the_menu(tmp_path)
    links_lead_to_files_of_the_site(tmp_path)
    links_of_pages_stay_links(tmp_path)
    the_search_knows_the_words(tmp_path)
    nothing_comes_from_elsewhere(tmp_path)


def every_page_is_in_the_menu(site: Path) -> None:
    home = (site / "docs" / "README.html").read_text(encoding="utf-8")
    menu = re.findall(r'<a class="reference internal" href="([^"#]+)"', home)
    found = {(site / "docs" / each).resolve() for each in menu}
    pages = [page.relative_to(PROJECT).with_suffix(".html") for page in PAGES]
    missing = [page for page in pages if page.name != "README.html" and (site / page) not in found]
    assert missing == []


def links_lead_to_files_of_the_site(site: Path) -> None:
    """All but those to other places; the first page too, which leads to the home page."""
    for page in (site / "index.html", *site.glob("docs/**/*.html")):
        for link in re.findall(r'(?:href|src|srcset)="([^"]*)"', page.read_text(encoding="utf-8")):
            target = link.partition("#")[0].partition("?")[0]
            if target and not re.match(r"[a-z]+:", target):
                assert (page.parent / target).exists(), f"{page.relative_to(site)}: {link}"


def links_of_pages_stay_links(site: Path) -> None:
    """A page that another names is reached from there on the site as well."""
    for page in PAGES:
        html = (site / page.relative_to(PROJECT)).with_suffix(".html").read_text(encoding="utf-8")
        for link in links(page.read_text(encoding="utf-8")):
            name = Path(link.partition("#")[0]).stem
            if ":" not in link and link.partition("#")[0].endswith(".md"):
                assert f"{name}.html" in html, f"{page.name}: {link}"


def the_search_knows_the_words(site: Path) -> None:
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    places = [index[kind]["arena"] for kind in ("terms", "titleterms")]
    numbers = {each for found in places for each in (found if isinstance(found, list) else [found])}
    assert "docs/how-to/memory" in {index["docnames"][number] for number in numbers}


def nothing_comes_from_elsewhere(site: Path) -> None:
    """No font, script or picture of another host."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]+)"', text)
        loaded += re.findall(r'<link[^>]* rel="stylesheet"[^>]* href="([^"]+)"', text)
        assert [each for each in loaded if re.match(r"\w+:|//", each)] == [], page.name
