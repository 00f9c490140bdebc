"""A release: the version where it is said, then the packages, built and tried.

python -m generate.release prepare VERSION    # the files that say it, CHANGELOG.md; then commit
python -m generate.release build [--publish]  # of the last commit: dist/, checks, the tag
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from generate import changelog

ROOT = Path(__file__).resolve().parents[1]
SAID_IN = (
    "tinyml_rules/__init__.py",
    "MODULE.bazel",
    "tinyml_rules/frontends/cmake/TinymlRulesConfigVersion.cmake",
    "tinyml_rules/frontends/platformio/library.json",
)
"""The first version in each of them is the package's."""
PAGES = "docs/**/*.md"
"""They name the tag, as vX.Y.Z."""
REFUSED = "Private :: Do Not Upload"
"""The classifier with which a registry refuses the package."""
TOKEN = "TWINE_PASSWORD"  # noqa: S105 - the name of a variable
_VERSION = re.compile(r"\d+\.\d+\.\d+")


class ReleaseError(Exception):
    """What has to be mended before a release; its text is for a maintainer."""


def prepare(root: Path, version: str, date: str) -> None:
    """Put the version into all files that say it, and the changes into CHANGELOG.md.  Raises
    ValueError where the version is no new one or there is no change, before any file is written."""
    old = version_of(root)
    changelog.release(root, version, date)
    for name in SAID_IN:
        file = root / name
        text = file.read_text(encoding="utf-8")
        file.write_text(_VERSION.sub(version, text, count=1), encoding="utf-8")
    for page in root.glob(PAGES):
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(rf"\bv{re.escape(old)}\b", f"v{version}", text), encoding="utf-8")


def version_of(root: Path) -> str:
    """The package's version."""
    found = _VERSION.search((root / SAID_IN[0]).read_text(encoding="utf-8"))
    if found is None:
        raise ReleaseError(f"{SAID_IN[0]} has no version")
    return found[0]


def build(root: Path, folder: Path, python: Path) -> list[Path]:
    """Build dist/ of the last commit, check it, and tag the commit; returns the packages.
    `folder`: a temporary one, `python`: with the release's tools.  Raises ReleaseError."""
    if run(root, "git", "status", "--porcelain"):
        raise ReleaseError("the tree has changes that are not committed")
    version = version_of(root)
    if f"\n## {version} (" not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise ReleaseError(f"CHANGELOG.md has no {version}, run `prepare` and commit first")
    built = [packages_of(root, folder / each, python) for each in ("first", "second")]
    if digests(built[0]) != digests(built[1]):
        raise ReleaseError("two builds of one commit differ")
    run(root, python, "-m", "twine", "check", "--strict", *built[0])
    for package in built[0]:
        try_out(root, package, folder / package.suffix)
    (root / "dist").mkdir(exist_ok=True)
    copies = [Path(shutil.copy2(each, root / "dist")) for each in built[0]]
    tag = f"v{version}"
    if not run(root, "git", "tag", "--list", tag):
        run(root, "git", "tag", "--annotate", "--message", f"tinyml_rules {version}", tag)
    return copies


def packages_of(root: Path, folder: Path, python: Path) -> list[Path]:
    """The source package and the wheel of the last commit, made in a folder of their own."""
    source, packages = folder / "source", folder / "packages"
    source.mkdir(parents=True)
    run(root, "git", "archive", "--output", folder / "commit.tar", "HEAD")
    with tarfile.open(folder / "commit.tar") as archive:
        archive.extractall(source, filter="data")
    date = run(root, "git", "log", "-1", "--format=%ct")
    variables = {**os.environ, "SOURCE_DATE_EPOCH": date}
    run(source, python, "-m", "hatchling", "build", "--directory", packages, variables=variables)
    return sorted(packages.iterdir())


def try_out(root: Path, package: Path, folder: Path) -> None:
    """Install a package where nothing else is, and do with it what a newcomer does first."""
    python = environment(folder, root, package)
    model = root / "models" / "sine" / "sine.tflite"
    command = python.with_name("tinyml_rules")
    if (said := run(folder, command, "--version")) != version_of(root):
        raise ReleaseError(f"{package.name} says that it is {said}")
    run(folder, command, "inspect", model)
    run(folder, command, "compile", model, "--target", "atmega328", "--out", "gen", "--quiet")
    if not (folder / "gen" / "sine.c").is_file():
        raise ReleaseError(f"{package.name} compiles nothing")


def environment(folder: Path, root: Path, *packages: str | Path) -> Path:
    """A virtual environment with packages; returns its Python."""
    run(root, sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    hashes = ["--require-hashes"] if "--requirement" in packages else []
    run(root, python, "-m", "pip", "install", "--quiet", *hashes, *packages)
    return python


def digests(packages: Sequence[Path]) -> dict[str, str]:
    """SHA-256 by name."""
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in packages}


def run(folder: Path, *command: str | Path, variables: Mapping[str, str] | None = None) -> str:
    """What a command prints.  Raises ReleaseError."""
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        words = " ".join(map(str, command))
        raise ReleaseError(f"failed: {words}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def lacking(root: Path, variables: Mapping[str, str]) -> list[str]:
    """Why a registry cannot get the package yet."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = []
    if REFUSED in project["classifiers"]:
        found.append(f"pyproject.toml has the classifier '{REFUSED}'")
    if not variables.get(TOKEN):
        found.append(f"the variable {TOKEN} has no token")
    return found


def publish(
    root: Path, packages: Sequence[Path], variables: Mapping[str, str], python: Path
) -> None:
    """Upload and push; where something is lacking, print that and the commands instead."""
    reasons = lacking(root, variables)
    for reason in reasons:
        print(f"not published: {reason}")
    files = [each.relative_to(root).as_posix() for each in packages]
    commands: list[list[str]] = [
        [str(python), "-m", "twine", "upload", "--non-interactive", *files],
        ["git", "push", "origin", f"v{version_of(root)}"],
    ]
    for program, *words in commands:
        if reasons:
            print("would run:", Path(program).name, *words)
        else:
            run(root, program, *words)


def release(root: Path, *, is_public: bool) -> None:
    """Build, and print what was built; publish it if that is asked for.  Raises ReleaseError."""
    with tempfile.TemporaryDirectory() as name:
        tools = ("--requirement", "requirements/release.txt")
        python = environment(Path(name) / "tools", root, *tools)
        packages = build(root, Path(name), python)
        for file, digest in digests(packages).items():
            print(f"{digest}  dist/{file}")
        if is_public:
            publish(root, packages, os.environ, python)


def main(words: list[str] | None = None) -> int:
    """Do one of the two steps; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m generate.release", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("prepare").add_argument("version")
    steps.add_parser("build").add_argument("--publish", action="store_true")
    options = parser.parse_args(words)
    try:
        if options.step == "prepare":
            prepare(ROOT, options.version, datetime.now(UTC).date().isoformat())
        else:
            release(ROOT, is_public=options.publish)
    except (ReleaseError, ValueError) as error:
        print(f"release: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
