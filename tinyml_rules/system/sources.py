"""The files of this package that decide what a model is compiled to: editing one is a rebuild.

Every front end tells its build system the same list.  Standard library only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

COMPILER = (
    *("__init__.py", "compiler.py", "errors.py"),
    *("system/computer.py", "system/files.py", "system/ours.py", "system/progress.py"),
    *("system/sources.py", "system/tables.py", "system/templates.py"),
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


QUANTIZER = (*COMPILER, "quantizer", "system/arrays.py")
"""The rooms and files that quantize a float model; its report has figures of the compiled one."""


@cache
def files_below(root: Path, *parts: str) -> tuple[str, ...]:
    """The files of ours that paths below `root` name, sorted; a folder means all files in it but
    the cases of tests."""
    found: set[Path] = set()
    for part in parts:
        path = root / part
        assert path.exists(), f"{part} has another name now"
        found.update(path.rglob("*") if path.is_dir() else [path])
    return tuple(sorted(str(path) for path in found if _is_ours(path.relative_to(root))))


def _is_ours(path: Path) -> bool:
    is_case = path.name.endswith("cases.py") or "cases" in path.parts
    return path.suffix in (".py", ".j2", ".c", ".h", ".js", ".toml") and not is_case


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
def digest_of(files: tuple[str, ...]) -> str:
    """One word for the contents and names of files, independent of the package's folder."""
    digest = hashlib.sha256()
    for file in files:
        content = Path(file).read_bytes()
        name = Path(file).relative_to(PACKAGE.parent).as_posix()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
