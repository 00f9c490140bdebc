"""Which files of this package decide what a model is compiled to: an edit of one is a rebuild.

Every front end tells its build system the same list.  Standard library only.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

_NOT_THE_COMPILER = frozenset(
    (
        *("comparison.py", "matrix.py", "pages.py", "results.py"),
        *("arrays.py", "build.py", "case.py", "cases.py", "cli.py", "demo.py"),
        *("depfile.py", "figures.py", "linked.py"),
        *("process.py", "programmer.py", "run.py", "samples.py", "tables.py", "tools.py"),
        *("esp_image.py", "sources.py", "uf2.py", "wording.py", "writer.py", "zoo.py"),
        *("model_path.py", "outputs.py", "pattern.py"),
    )
)
"""Modules beside the compiler that do not change what it writes."""


@cache
def package_files(*parts: str) -> tuple[str, ...]:
    """The files that patterns of the package name, sorted; a folder stands for all in it."""
    found: set[Path] = set()
    for part in parts:
        for path in PACKAGE.glob(part):
            found.update(path.rglob("*") if path.is_dir() else [path])
    return tuple(sorted(str(path) for path in found if path.suffix in (".py", ".j2", ".c", ".h")))


@cache
def compiler_files(*front_end: str) -> tuple[str, ...]:
    """The files that decide what a model is compiled to: the compiler, and `front_end`."""
    files = package_files("ir", "ops", "passes", "plan", "emit", "*.py")
    compiler = {file for file in files if Path(file).name not in _NOT_THE_COMPILER}
    return tuple(sorted({*compiler, *package_files(*front_end)}))


@cache
def digest_of(files: tuple[str, ...]) -> str:
    """One word for the contents and names of files of the package, the same wherever it lies."""
    digest = hashlib.sha256()
    for file in files:
        content = Path(file).read_bytes()
        digest.update(f"{Path(file).relative_to(PACKAGE).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
