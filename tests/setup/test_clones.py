"""A clone that is moved, copied, or whose Python is another one goes on, without the network.

What the set-up installs is a small package of our own in the place of SCons, from a folder of
wheels: it says which clone it is of.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import PROJECT

MAIN = """\
import sys
def main():
    print("scons of", sys.prefix, *sys.argv[1:])
if __name__ == "__main__":
    main()
"""
METADATA = "Metadata-Version: 2.1\nName: scons\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ENTRY = "[console_scripts]\nscons = SCons.__main__:main\n"


def write_wheel(folder: Path) -> str:
    """A wheel `scons`; returns its line in a file of requirements."""
    files = {
        "SCons/__init__.py": "",
        "SCons/__main__.py": MAIN,
        "scons-1.0.dist-info/METADATA": METADATA,
        "scons-1.0.dist-info/WHEEL": WHEEL,
        "scons-1.0.dist-info/entry_points.txt": ENTRY,
    }
    record = "scons-1.0.dist-info/RECORD"
    lines = [f"{name},{_record(text)},{len(text)}" for name, text in files.items()]
    files[record] = "\n".join([*lines, f"{record},,"]) + "\n"
    wheel = folder / "scons-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return f"scons==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def _record(text: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
    return f"sha256={digest.decode().rstrip('=')}"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with all that the set-up reads, and nothing installed."""
    folder = tmp_path / "first"
    (folder / "requirements").mkdir(parents=True)
    shutil.copy2(PROJECT / "tinyml", folder)
    for file in (
        *(PROJECT / "requirements").glob("*.py"),
        *(PROJECT / "requirements").glob("*.json"),
    ):
        shutil.copy2(file, folder / "requirements")
    ignored = shutil.ignore_patterns("__pycache__", "ops", "emit")
    for part in ("tinyml_rules", "targets"):
        shutil.copytree(PROJECT / part, folder / part, ignore=ignored)
    (folder / "site_scons").mkdir()
    shutil.copy2(PROJECT / "site_scons" / "site_init.py", folder / "site_scons")
    (tmp_path / "wheels").mkdir()
    line = write_wheel(tmp_path / "wheels")
    (folder / "requirements" / "build.txt").write_text(line)
    return folder


def plain_variables() -> dict[str, str]:
    """The environment, without what leads to this project's own package."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def tinyml(clone: Path, *words: str, python: str = sys.executable) -> str:
    """What `./tinyml` prints, which has to succeed."""
    variables = {
        **plain_variables(),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(clone.parent / "wheels"),
    }
    done = subprocess.run(
        [python, clone / "tinyml", *words],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


def from_script(clone: Path) -> str:
    """What `scons` prints after `. .venv/bin/activate`."""
    command = ". .venv/bin/activate && scons -h"
    return subprocess.run(
        ["/bin/bash", "-c", command], cwd=clone, capture_output=True, text=True, check=True
    ).stdout


def test_site_without_npm(clone: Path) -> None:
    """The pages are built where there is no npm, with both files of packages: what makes models and
    what makes pages.  The small package stands for both, and for Sphinx."""
    sphinx = clone / "sphinx"
    sphinx.mkdir()
    (sphinx / "__main__.py").write_text("import sys\nprint('pages:', *sys.argv[-2:])\n")
    shutil.copytree(PROJECT / "generate", clone / "generate")
    line = (clone / "requirements" / "build.txt").read_text()
    for name in ("site", "wheels"):
        (clone / "requirements" / f"{name}.txt").write_text(line)
    programs = clone.parent / "programs"
    programs.mkdir()
    (programs / "sh").symlink_to("/bin/sh")
    variables = {
        **plain_variables(),
        "PATH": str(programs),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(clone.parent / "wheels"),
    }
    done = subprocess.run(
        [sys.executable, clone / "tinyml", "site"],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "tinyml: npm is missing: the site has no live pages\n"
    assert done.returncode == 0
    installed = ("requirements/site.txt", "requirements/build.txt")
    assert [each for each in installed if f"installing {each}\n" in done.stdout] == [*installed]
    assert done.stdout.endswith("pages: . build/site\n")
    assert sorted(each.name for each in (clone / ".venv").glob("*.installed")) == [
        "build.installed",
        "site.installed",
    ]


def said(clone: Path, *words: str) -> str:
    """The line of a clone's own package."""
    return " ".join(["scons of", str(clone / ".venv"), *words]) + "\n"


@pytest.mark.parametrize("name", ["second", "the second one"])
def test_moved_and_copied(name: str, clone: Path) -> None:
    """Each clone runs its own packages, after one run of `./tinyml`, which installs nothing."""
    installing = "making .venv\ninstalling requirements/build.txt\n"
    assert tinyml(clone, "-h") == installing + said(clone, "-h")
    assert tinyml(clone, "-h") == said(clone, "-h")
    assert from_script(clone) == said(clone, "-h")
    copied = clone.parent / "copied"
    shutil.copytree(clone, copied, symlinks=True)
    moved = clone.rename(clone.parent / name)
    for each in (copied, moved):
        assert tinyml(each, "-h") == said(each, "-h")
        assert from_script(each) == said(each, "-h")


def test_command(clone: Path) -> None:
    """`.venv/bin/tinyml_rules` is the clone's in any folder, without activation, by a link too, and
    after a move even before `./tinyml` is run again; so is what Python imports.  The compiler needs
    packages that are not there: the clone has another main module."""
    tinyml(clone, "-h")
    moved = clone.rename(clone.parent / "the second one")
    elsewhere = clone.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "argparse.py").write_text("raise SystemExit('not the library')\n")
    command = moved / ".venv" / "bin" / "tinyml_rules"
    (elsewhere / "linked").symlink_to(command)
    package = moved / "tinyml_rules"
    (package / "__main__.py").write_text("import argparse, sys\nprint(__file__, *sys.argv[1:])\n")
    program = "import tinyml_rules.__main__"
    python = command.with_name("python")
    lines: list[list[str | Path]] = [[command], ["./linked"], [python, "-P", "-c", program]]
    for words in lines:
        done = subprocess.run(
            [*words, "ops"],
            cwd=elsewhere,
            env=plain_variables(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == (f"{package / '__main__.py'} ops\n", "")


def test_scons_of_another_python(clone: Path) -> None:
    """One that lacks the packages goes on with the clone's, wherever it is by now."""
    before = with_other_python(clone)
    assert before.returncode == 1
    assert "packages are missing\n  hint: run ./tinyml once" in before.stderr
    tinyml(clone, "-h")
    moved = clone.rename(clone.parent / "moved")
    assert with_other_python(moved).stdout == said(moved, "size")


def with_other_python(clone: Path) -> subprocess.CompletedProcess[str]:
    """What SCons first reads, by a Python without packages."""
    script = str(clone / "site_scons" / "site_init.py")
    command = [sys.executable, "-S", script, "size"]
    return subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)


def test_python_that_is_gone(clone: Path) -> None:
    """The environment is made anew."""
    tinyml(clone, "-h")
    for link in (clone / ".venv" / "bin").glob("python*"):
        link.unlink()
        link.symlink_to(clone / "no-such-python")
    assert tinyml(clone, "-h").startswith("making .venv\ninstalling ")
    assert from_script(clone) == said(clone, "-h")


def test_other_version_of_python(clone: Path) -> None:
    """The system's Python was upgraded since: the link leads to one that has none of the packages,
    which are in a folder of the version before."""
    tinyml(clone, "-h")
    configuration = clone / ".venv" / "pyvenv.cfg"
    text = configuration.read_text()
    assert "version = 3." in text
    configuration.write_text(re.sub(r"^version = .*", "version = 3.9.2", text, flags=re.M))
    (packages,) = (clone / ".venv" / "lib").glob("python3*")
    packages.rename(packages.with_name("python3.9"))
    assert tinyml(clone, "-h").startswith("making .venv\ninstalling ")
    assert from_script(clone) == said(clone, "-h")
