"""The site that `./tinyml site` builds of the pages: whole, without warnings, with a search."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from generate.changelog import change_files
from generate.live_pages import LIVE
from generate.page_sweep import served, swept
from tests.conftest import PROJECT
from tests.docs.pages import PAGES, links
from tests.support.browser import Browser
from tinyml_rules import __version__

LIVE_TEXT = "<!doctype html><title>a firmware</title>"
_BUILD = ("-q", "-W", "--keep-going", "-b", "html", "-c", "docs/site")


def test_site(tmp_path: Path) -> None:
    """One build, which takes most of the time, and all that is asked of it."""
    live = tmp_path / "made"
    live.mkdir()
    (live / f"{LIVE[0].name}.html").write_text(LIVE_TEXT, encoding="utf-8")
    words = ("-D", f"live_pages={live}", ".", str(tmp_path / "site"))
    command = [sys.executable, "-m", "sphinx", *_BUILD, *words]
    built = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    site = tmp_path / "site"
    every_page_is_in_the_menu(site)
    the_first_page_is_the_readme(site)
    the_changelog_has_what_is_not_released(site)
    links_lead_to_files_of_the_site(site)
    links_of_pages_stay_links(site)
    the_search_knows_the_words(site)
    nothing_comes_from_elsewhere(site)
    readers_without_a_mouse_reach_everything(site)


def every_page_is_in_the_menu(site: Path) -> None:
    home = (site / "README.html").read_text(encoding="utf-8")
    menu = re.findall(r'<a class="reference internal" href="([^"#]+)"', home)
    found = {(site / each).resolve() for each in menu}
    pages = [page.relative_to(PROJECT).with_suffix(".html") for page in PAGES]
    missing = [page for page in pages if page.name != "README.html" and (site / page) not in found]
    assert missing == []


def the_first_page_is_the_readme(site: Path) -> None:
    """With its picture and what this is, three ways on and three live pages: the one that was made,
    and the page about them for the others."""
    first = (site / "index.html").read_text(encoding="utf-8")
    assert first == (site / "README.html").read_text(encoding="utf-8")
    assert "into static C for" in first
    assert 'src="docs/pictures/comparison-light.svg"' in first
    ways = re.findall(r'<nav class="ways.*?</nav>', first, re.DOTALL)
    assert [way.count("<a href=") for way in ways] == [3, 3]
    live = re.findall(r'<a href="([^"]*)">', ways[1])
    assert live == [f"live/{LIVE[0].name}.html", *["docs/how-to/live_page.html"] * 2]
    assert (site / live[0]).read_text(encoding="utf-8") == LIVE_TEXT


def the_changelog_has_what_is_not_released(site: Path) -> None:
    """Above the versions, each change of its folder once."""
    page = (site / "CHANGELOG.html").read_text(encoding="utf-8")
    first, _, released = page.partition(f"{__version__} (")
    changes = len(change_files(PROJECT))
    assert first.partition("Unreleased")[2].count("<li><p>") >= changes
    assert released


def test_pages_have_one_name() -> None:
    """The one in the overview is that of the page, and so that in the menu."""
    text = (PROJECT / "docs" / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| \[([^\]]+)\]\(([^)#]+\.md)\)", text, re.MULTILINE)
    assert len(named) > 40
    for name, file in named:
        title = (PROJECT / "docs" / file).read_text(encoding="utf-8").partition("\n")[0]
        assert title == f"# {name}", file


def test_code_of_the_readme_is_not_cut() -> None:
    """Its lines have room in a page of the site, 88 characters at a window of 1,400 pixels."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    boxes = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for box in boxes for line in box.splitlines()]
    assert [line for line in lines if len(line) > 88] == []


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


def readers_without_a_mouse_reach_everything(site: Path) -> None:
    """No rule of axe broken, nothing wider than its window and no error, on pages with all kinds of
    contents; `python -m generate.page_sweep build/site` looks at all."""
    names = ("index", "docs/reference/results")
    with Browser() as browser, served(site) as address:
        for name in names:
            page = f"{address}/{name}.html"
            assert list(swept(browser, page, widths=(400,))) == [], name
