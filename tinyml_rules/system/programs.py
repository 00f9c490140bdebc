"""Finds a program or C header: on this computer, or in a Python package that contains it.

A wheel with a compiler has the programs in a folder `bin` of its package, which is not in PATH.
Standard library only: the set-up wrapper imports this.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_INCLUDE_FOLDERS = tuple(
    Path(folder) for folder in ("/usr/include", "/usr/local/include", "/usr/lib/avr/include")
)


def find_program(name: str, *, search: Sequence[str] | None = None) -> str | None:
    """The full path of a program: on the path, or else in the first package that has it.

    `search`: folders of packages, by default those from which this Python imports.
    """
    on_path = shutil.which(name)
    if on_path is not None or Path(name).is_absolute():
        return on_path
    found = (shutil.which(str(file)) for file in _in_packages(f"bin/{name}", search))
    return next((file for file in found if file is not None), None)


def find_header(name: str, *, search: Sequence[str] | None = None) -> Path | None:
    """A C header, `avr/io.h`, of this computer or of a package in the folders of `search`."""
    files = [folder / name for folder in _INCLUDE_FOLDERS]
    files += _in_packages(f"*/include/{name}", search)
    return next((file for file in files if file.is_file()), None)


def _in_packages(pattern: str, search: Sequence[str] | None) -> Iterator[Path]:
    for folder in sys.path if search is None else search:
        yield from sorted(Path(folder).glob(f"[!.]*/{pattern}"))
