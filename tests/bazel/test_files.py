"""The rules' files: taken by newer Bazels, formatted, and equal to what they repeat."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import starlark

from tests.bazel.newer_bazel import load_file, load_text
from tests.conftest import PROJECT
from tests.frontends.builds import run
from tinyml_rules import __version__

RULES = PROJECT / "tinyml_rules" / "frontends" / "bazel"
BUILDIFIER = PROJECT / ".venv" / "npm" / "node_modules" / ".bin" / "buildifier"
FOLDERS = ("examples/bazel", "examples/bazel-remote", "requirements", "targets", "tinyml_rules")
STAND_INS = RULES / "offline"

OLD = {
    "a rule that was built in": "def f():\n    native.cc_library(name = 'a')\n\nf()\n",
    "a provider that was built in": "def f(ctx):\n    return CcInfo()\n",
    "a file that is not there": "load(':other.bzl', 'other')\n",
    "a name of another repository": "load('@rules_cc//cc:cc_test.bzl', 'cc_binary')\n",
    "an attribute without doc": "rule(implementation = len, doc = 'r', attrs = {'a': attr.int()})",
}


def bazel_files() -> list[Path]:
    """Every file in Bazel's language."""
    files = [*PROJECT.glob("*.bazel"), PROJECT / "WORKSPACE"]
    for folder in FOLDERS:
        for pattern in ("*.bzl", "*.bazel", "WORKSPACE"):
            files += (PROJECT / folder).rglob(pattern)
    return sorted(files)


def loaded_files() -> list[Path]:
    """Those that newer Bazels load."""
    return [
        file
        for file in bazel_files()
        if file.name not in ("MODULE.bazel", "WORKSPACE") and STAND_INS not in file.parents
    ]


@pytest.mark.parametrize("file", loaded_files(), ids=lambda file: str(file.relative_to(PROJECT)))
def test_newer_bazel(file: Path) -> None:
    """Every name is there, every rule and attribute documented, every macro runs."""
    load_file(file)


@pytest.mark.parametrize("text", OLD.values(), ids=OLD.keys())
def test_older_bazel(text: str) -> None:
    """What the test above is to find."""
    with pytest.raises((starlark.StarlarkError, FileNotFoundError)):
        load_text(text, RULES / "old.bzl")


def test_buildifier() -> None:
    """Formatted, and nothing to warn of."""
    files = bazel_files()
    assert len(files) > 30
    done = run([BUILDIFIER, "--lint=warn", "--mode=check", *files], PROJECT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_module() -> None:
    """Its version is the package's, and its Python packages are those that the rules name."""
    module = (PROJECT / "MODULE.bazel").read_text(encoding="utf-8")
    assert f'    version = "{__version__}",\n' in module
    build = (PROJECT / "tinyml_rules" / "BUILD.bazel").read_text(encoding="utf-8")
    needed = set(re.findall(r"@tinyml_rules_pip//(\w+)", build))
    pinned = (PROJECT / "requirements" / "build.txt").read_text(encoding="utf-8").lower()
    assert needed == {line.partition("==")[0] for line in pinned.splitlines() if "==" in line} - {
        "markupsafe",
        "scons",
    }
