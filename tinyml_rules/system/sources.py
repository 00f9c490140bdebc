"""The files of this package that decide what a model is compiled to: editing one is a rebuild.

Every front end tells its build system the same list.  Standard library only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]

COMPILER = (
    *("__init__.py", "compiler.py", "errors.py"),
    *("system/annotated.py", "system/computer.py", "system/files.py", "system/ours.py"),
    *("system/kept_templates.py", "system/progress.py", "system/sources.py", "system/tables.py"),
    *("system/templates.py", "system/user_folder.py"),
    *(
        "request",
        "sensor",
        "model_file",
        "ir",
        "arithmetic",
        "cores",
        "ops",
        "ranges",
        "passes",
        "lower",
        "plan",
        "surroundings",
        "emit",
    ),
    *("reporting", "target"),
)
"""The rooms and files that compile a model."""


QUANTIZER = (
    *(*COMPILER, "quantizer", "system/arrays.py"),
    *("fitting/estimate.py", "fitting/code.json"),
)
"""The rooms and files that quantize a float model; its report has figures of the compiled one, and
a part has room for as much code as is estimated."""


@cache
def files_below(root: Path, *parts: str) -> tuple[str, ...]:
    """The files of ours that paths below `root` name, sorted; a folder means all files in it but
    the cases of tests."""
    found: set[str] = set()
    for part in parts:
        path = root / part
        assert path.exists(), f"{part} has another name now"
        found.update(_below(str(path)) if path.is_dir() else [str(path)])
    return tuple(sorted(found))


def _below(folder: str) -> Iterator[str]:
    """Text by text: a build with nothing to do spends most of its time here."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_OURS) and not entry.name.endswith("cases.py"):
                yield entry.path
            elif entry.name not in _OTHERS and entry.is_dir():
                yield from _below(entry.path)


_OURS = (".py", ".j2", ".c", ".h", ".js", ".toml")
_OTHERS = ("cases", "__pycache__")


def operator_files(folders: Iterable[Path]) -> tuple[str, ...]:
    """All files of operator folders of a user's, sorted: a template or a table counts as a module
    does.  What Python, editors and the like keep there does not."""
    hidden = (".", "__pycache__")
    return tuple(
        sorted(
            str(path)
            for folder in folders
            for path in folder.rglob("*")
            if path.is_file()
            and not any(part.startswith(hidden) for part in path.relative_to(folder).parts)
        )
    )


@cache
def package_files(*parts: str) -> tuple[str, ...]:
    """The files that paths in the package name."""
    return files_below(PACKAGE, *parts)


@cache
def compiler_files(*front_end: str) -> tuple[str, ...]:
    """The files that decide what a model is compiled to: the compiler, and `front_end`."""
    return package_files(*COMPILER, *front_end)


@cache
def accuracy_files(*front_end: str) -> tuple[str, ...]:
    """The files that decide the reported accuracy of a model: those that compile it and run its C
    on this computer, and `front_end`."""
    read = tuple(f"system/{name}.py" for name in ("arrays", "process", "programs", "user_folder"))
    return compiler_files("accuracy", "firmware", "runners", *read, *front_end)


@cache
def quantizer_files(*front_end: str) -> tuple[str, ...]:
    """The files that decide what a float model is quantized to: the quantizer, and `front_end`."""
    return package_files(*QUANTIZER, *front_end)


@cache
def digests_of(files: tuple[str, ...]) -> Mapping[str, str]:
    """By room, `tinyml_rules/ops`, or by file outside of one, a word for the names and contents of
    those files that are in it, independent of the package's folder."""
    above, found = len(f"{PACKAGE.parent}{os.sep}"), dict[str, Any]()
    for file in files:
        name = file[above:].replace(os.sep, "/")
        room = "/".join(name.split("/")[:2])
        of_file = _digest_of_file(file)
        found.setdefault(room, hashlib.sha256()).update(f"{name} {of_file}\n".encode())
    return {room: digest.hexdigest() for room, digest in found.items()}


@cache
def _digest_of_file(file: str) -> str:
    with open(file, "rb") as opened:  # noqa: PTH123 - a Path of each takes as long as the rest
        return hashlib.sha256(opened.read()).hexdigest()
