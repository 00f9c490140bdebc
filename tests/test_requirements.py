"""What ./tinyml installs from PyPI is fixed by hash, down to the last dependency."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import PROJECT
from tinyml_rules.target.target import load_target, target_names

FOLDER = PROJECT / "requirements"
LOCKED = sorted(FOLDER.glob("*.txt"))

_SHARED = ("build", "check", "site", "grid", "paper", "fuzz", "networks")
"""Files that are installed into one environment."""
_PINNED = re.compile(
    r"^([\w.\[\]-]+==[^\s;]+(?: ; [^\\\n]+)?)((?: \\\n    --hash=sha256:\w{64})*)$", re.M
)
_OTHER_LINES = re.compile(r"^ *#.*$|^    --hash=sha256:\w{64}(?: \\)?$|", re.M)


def pinned(file: Path) -> dict[str, Requirement]:
    """The packages of a file by their name in small letters; their lines name one version each."""
    found = [Requirement(line) for line, _ in _PINNED.findall(file.read_text(encoding="utf-8"))]
    return {canonicalize_name(each.name): each for each in found}


@pytest.mark.parametrize("file", LOCKED, ids=lambda file: file.name)
def test_requirements_have_hashes(file: Path) -> None:
    """Each package has one version and at least one hash; no line says anything else."""
    text = file.read_text(encoding="utf-8")
    entries = _PINNED.findall(text)
    assert entries
    assert [line for line, hashes in entries if not hashes] == []
    assert _OTHER_LINES.sub("", _PINNED.sub("", text)).strip() == ""


@pytest.mark.parametrize("name", ["build", "check", "release"])
def test_requirements_are_what_was_asked_for(name: str) -> None:
    """The .txt file has the versions of the .in file: lock.py was run after the last edit."""
    asked: dict[str, str] = {}
    files = [FOLDER / f"{name}.in"]
    while files:
        for line in files.pop().read_text(encoding="utf-8").splitlines():
            if line.startswith("-r "):
                files.append(FOLDER / line.removeprefix("-r "))
            elif line and not line.startswith("#"):
                package = Requirement(line)
                asked[canonicalize_name(package.name)] = str(package.specifier)
    locked = {key: str(each.specifier) for key, each in pinned(FOLDER / f"{name}.txt").items()}
    assert asked.items() <= locked.items()


@pytest.mark.parametrize("file", LOCKED, ids=lambda file: file.name)
def test_requirements_are_complete(file: Path) -> None:
    """What an installed package needs is in the file too: pip refuses what has no hash."""
    packages = pinned(file)
    missing = []
    for name in packages:
        try:
            needed = requires(name) or ()
        except PackageNotFoundError:  # of another system, or another file's
            continue
        for line in needed:
            package = Requirement(line)
            applies = package.marker is None or package.marker.evaluate({"extra": ""})
            if applies and canonicalize_name(package.name) not in packages:
                missing.append(f"{name} needs {package.name}")
    assert missing == []


@pytest.mark.parametrize("file", LOCKED, ids=lambda file: file.name)
def test_requirements_hold_for_the_first_python(file: Path) -> None:
    """Whatever the last 3.11 installs, the first one does too: distributions stay at theirs."""
    lines = [Requirement(line) for line, _ in _PINNED.findall(file.read_text(encoding="utf-8"))]

    def installed(version: str) -> set[str]:
        python = {"python_version": "3.11", "python_full_version": version}
        return {each.name for each in lines if each.marker is None or each.marker.evaluate(python)}

    assert installed("3.11.0") == installed("3.11.99")


def test_requirements_agree() -> None:
    """All but those of a release are installed into one environment: a package has one version in
    all files that have it, and check.txt has all of build.txt."""
    files = {name: pinned(FOLDER / f"{name}.txt") for name in _SHARED}
    versions: dict[str, set[str]] = {}
    for packages in files.values():
        for name, package in packages.items():
            versions.setdefault(name, set()).add(str(package.specifier))
    assert [found for found in versions.values() if len(found) > 1] == []
    assert set(files["build"]) <= set(files["check"])


def test_wheels_are_those_of_the_targets() -> None:
    """What targets take from PyPI is in wheels.txt, and nothing else is."""
    named = {tool.wheel for target in target_names() for tool in load_target(target).tools} - {""}
    assert {str(each) for each in pinned(FOLDER / "wheels.txt").values()} == named


def test_set_up_checks_hashes() -> None:
    """Every file that ./tinyml installs goes through pip's --require-hashes."""
    scripts = [PROJECT / "tinyml", *FOLDER.glob("*.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in scripts)
    installs = re.findall(r'"pip", "install".*', text)
    assert len(installs) == 1
    assert "--require-hashes" in installs[0]
