"""The quick tests: what they leave out is there, and so is what they have of it."""

from __future__ import annotations

import subprocess
import sys

from requirements.checks import FULL_PACKAGES, QUICK_PACKAGES, QUICK_TARGETS
from tests.conftest import PROJECT
from tests.support.selection import FULL, ONE_BUILD_EACH
from tinyml_rules.target.target import target_names


def test_names() -> None:
    """Of folders, modules, tests and targets."""
    assert [each for each in FULL if not (PROJECT / each.partition("::")[0]).exists()] == []
    assert list(FULL) == sorted(FULL)
    assert set(QUICK_TARGETS) < set(target_names())
    assert set(QUICK_PACKAGES) < set(FULL_PACKAGES)


def test_one_build_of_each_front_end() -> None:
    """They are collected, and nothing else of their folder is."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q"]
    done = subprocess.run(
        [*command, "--quick", "tests/frontends", "-o", "addopts="],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(line for line in done.stdout.splitlines() if "::" in line) == [*ONE_BUILD_EACH]


def test_readme_names_both() -> None:
    """And continuous integration runs the full one."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert "\n./tinyml check  " in readme
    assert "\n./tinyml check full  " in readme
    assert "\n./tinyml check full " in (PROJECT / ".ci" / "run").read_text(encoding="utf-8")
