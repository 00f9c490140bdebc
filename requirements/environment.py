"""`.venv`: made, filled with pinned packages, and mended where its folder or its Python is another.

Runs before any package is installed.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from requirements.apt import can_install_packages, fail, install_packages, must, run

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
"""Runs every tool, as `-m`: the scripts next to it name a folder, which may have been moved."""
_MINOR = re.compile(r"^version(?:_info)? *= *(\d+\.\d+)", re.M)
_SCRIPT = re.compile(rb"#!(?:/bin/sh\n'''exec' .*\n' '''|.*/python[\w.]*)\n")
"""How a script of Python begins: with its Python, or in a folder whose name has blanks with a line
of a shell, which Python takes for a text."""
_OF_CLONE = "tinyml_rules_of_clone.pth"
"""With which the Python of .venv finds the compiler of the clone, from any folder."""
_COMMAND = """#!/bin/sh
exec "$(dirname "$(readlink -f "$0")")/python" -P -m tinyml_rules "$@"
"""
"""`.venv/bin/tinyml_rules`: it names no folder, so it goes where the clone goes; -P keeps modules
of the current folder out."""
_LONGEST = 120
"""Characters of a Python in a first line, which systems cut off."""


def set_up_python(requirements: str) -> None:
    """Make .venv and install requirements/<name>.txt into it, unless that is done already."""
    if not _works():
        _make()
    _settle()
    files = [ROOT / "requirements" / f"{name}.txt" for name in ("build", requirements)]
    wanted = "".join(file.read_text(encoding="utf-8") for file in files)
    stamp = VENV / f"{requirements}.installed"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"installing {files[-1].relative_to(ROOT)}", flush=True)
        install_requirements(files[-1])
        stamp.write_text(wanted, encoding="utf-8")
    _offer_command()


def install_requirements(file: Path) -> None:
    """Install into .venv the packages of a file; pip refuses whatever has another hash."""
    pip: list[str | Path] = [PYTHON, "-m", "pip", "install", "--quiet", "--require-hashes"]
    must([*pip, "--requirement", file])


def set_up_npm(*, for_tests: bool = False) -> bool:
    """Install into .venv/npm what the live page needs of requirements/package-lock.json, or all of
    it, unless that is done already; returns whether it is there now."""
    folder = VENV / "npm"
    files = [ROOT / "requirements" / name for name in ("package.json", "package-lock.json")]
    wanted = "".join(file.read_text(encoding="utf-8") for file in files)
    stamp, pages = folder / "installed", folder / "pages.installed"
    stamps = [stamp] if for_tests else [stamp, pages]
    if any(each.is_file() and each.read_text(encoding="utf-8") == wanted for each in stamps):
        return True
    if shutil.which("npm") is None:
        return False
    print(f"installing {files[0].relative_to(ROOT)}", flush=True)
    folder.mkdir(exist_ok=True)
    for file in files:
        shutil.copy(file, folder)
    prefix = folder.resolve()  # npm takes a linked folder for a package
    part = [] if for_tests else ["--omit=dev"]
    quiet = ("--silent", "--no-audit", "--no-fund")
    if run(["npm", "ci", *quiet, *part, "--prefix", prefix]):
        return False
    stamps[-1].write_text(wanted, encoding="utf-8")
    return True


def must_set_up_npm(*, for_tests: bool = False) -> None:
    """The same; ends here where it fails."""
    if not set_up_npm(for_tests=for_tests):
        missing = shutil.which("npm") is None
        sys.exit(fail("missing tools: npm (package npm)" if missing else "failed: npm ci"))


def _works() -> bool:
    """Whether the Python of .venv runs, and is of the version that the packages there are for: the
    system's, which it is a link to, may have been upgraded."""
    configuration = VENV / "pyvenv.cfg"
    if not configuration.is_file():
        return False
    made_for = _MINOR.search(configuration.read_text(encoding="utf-8"))
    asked = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([PYTHON, "-c", asked], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return made_for is not None and done.stdout.strip() == made_for[1]


def _make() -> None:
    print(f"making {VENV.name}", flush=True)
    command: list[str | Path] = [sys.executable, "-m", "venv", "--clear", VENV]
    if run(command, quiet=True):
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        if not (can_install_packages() and install_packages([package])):
            sys.exit(fail(f"'{sys.executable} -m venv' fails, expected the package {package}"))
        must(command)


def _offer_command() -> None:
    """Make the clone's `.venv/bin/tinyml_rules`, and let the Python of .venv import its package."""
    clone = ROOT if VENV.is_symlink() else "../" * 4  # from site-packages
    texts = {folder / _OF_CLONE: f"{clone}\n" for folder in VENV.glob("lib/python*/site-packages")}
    for file, text in {**texts, VENV / "bin" / "tinyml_rules": _COMMAND}.items():
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            file.chmod(0o755)


def _settle() -> None:
    """Where the clone was moved or copied, let the scripts of .venv name its own folder."""
    folder = VENV.resolve()  # it may be a link
    stamp = folder / "folder"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == str(folder):
        return
    must([PYTHON, "-m", "venv", "--without-pip", folder])  # writes what is sourced
    python = folder / "bin" / "python"
    is_plain = len(str(python)) < _LONGEST and not re.search(r"\s", str(python))
    words = f"/bin/sh\n'''exec' {shlex.quote(str(python))} \"$0\" \"$@\"\n' '''"
    first = f"#!{python if is_plain else words}\n".encode()
    for file in (folder / "bin").iterdir():
        if file.is_symlink():
            continue
        data = file.read_bytes()
        begin = _SCRIPT.match(data)
        if begin and begin[0] != first:
            file.write_bytes(first + data[begin.end() :])
    stamp.write_text(str(folder), encoding="utf-8")
