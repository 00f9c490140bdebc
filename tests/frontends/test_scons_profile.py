"""`scons run profile=yes`: what it prints, what the report has then, and when it is made again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.frontends.builds import build, copy_project, scons
from tests.support.hand_written import target_or_skip
from tinyml_rules.report_page.page import page
from tinyml_rules.reporting.firmware import Profile
from tinyml_rules.reporting.profile import profile_lines
from tinyml_rules.reporting.record import from_json
from tinyml_rules.reporting.report import Report

WORDS = ("target=atmega328", "model=sine", "run")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy in which nothing was built."""
    return copy_project(tmp_path_factory.mktemp("project") / "copy")


def test_profile(project: Path) -> None:
    """The figures of the run are those without it, and the same again come from files."""
    target_or_skip("atmega328")
    file = project / "build" / "atmega328" / "sine" / "sine.report.json"
    plain = build(project, *WORDS)
    figures = json.loads(file.read_text())
    text = build(project, *WORDS, "profile=yes")
    report = json.loads(file.read_text())
    profile = report.pop("profile")
    assert report == figures
    assert profile["total"] - profile["difference"] == report["cycles"]
    assert (
        sum(each["count"] for each in profile["nodes"]) + profile["between_nodes"]
        == (profile["total"])
    )
    table = "\n".join(profile_lines(from_json(Profile, profile)))
    assert "per product" in table
    assert "per product" not in plain
    assert text.endswith(f"{table}\n")
    again = build(project, *WORDS, "profile=yes")
    assert "RUN  " not in again
    assert again.endswith(f"{table}\n")
    assert "RUN  " in build(project, *WORDS, "profile=yes", "schedule=layer", "push_rows=no")


def test_page(project: Path) -> None:
    """The verb `report`: a page with the figures of build, run and profile, made once."""
    target_or_skip("atmega328")
    words = ("target=atmega328", "model=sine", "report", "optimize=layers")
    folder = project / "build" / "atmega328" / "sine"
    assert build(project, *words).endswith("REPORT  build/atmega328/sine/sine.html\n")
    text = (folder / "sine.html").read_text(encoding="utf-8")
    report = json.loads((folder / "sine.report.json").read_text())
    assert text == page([from_json(Report, report)])
    for key in ("flash_bytes", "ram_bytes", "cycles"):
        assert f'<data value="{report[key]}" data-key="{key}">{report[key]:,}</data>' in text
    assert [f"{each['count']:,}" in text for each in report["profile"]["nodes"]] == 3 * [True]
    assert build(project, *words) == "REPORT  build/atmega328/sine/sine.html\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ("target=host", "run", "profile=yes"),
            "run: error: 'host' has no counter, expected a target with an emulator to profile on",
        ),
        (
            ("target=atmega328", "profile=yes"),
            "scons: error: 'profile' is yes, expected the verb 'run' with it",
        ),
        (
            ("target=atmega328", "run", "profile=on"),
            "scons: error: 'profile' is 'on', expected yes or no",
        ),
    ],
)
def test_mistakes(project: Path, words: tuple[str, ...], error: str) -> None:
    done = scons(project, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(error)
