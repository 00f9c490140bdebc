"""A kind of project: a folder of `kinds/`, which is found by being there.

`kind.toml` describes it; `files/` has a template for each file of a new project, by its path, and
`lines/` one for each file of a firmware that exists, with what is added to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.system.tables import read_toml

_FOLDER = Path(__file__).resolve().parent / "kinds"
_DESCRIPTION = "kind.toml"
TEMPLATE = ".j2"


@dataclass(frozen=True)
class Kind:
    """`title`: the build system's name.  `commands`: what builds and tests a new project, as
    templates.  `where`: from where they are run, if not from the project's folder."""

    word: str
    title: str
    page: str
    """The page of docs/."""
    commands: tuple[str, ...]
    marks: tuple[str, ...] = ()
    """Patterns of files by which a firmware is known; none where a project is always new."""
    where: str = ""
    needs: str = ""
    """What has to be installed in addition to the part's tools."""
    main: str = "main.c"
    main_function: str = "int main(void)"
    """The path of the main program, empty for a kind with one of its own, and its head in C."""
    prints: bool = False
    """Whether the main program of a part has a `printf` that shows something."""
    library: str = ""
    """The folder of the package, for a kind that takes the model as one."""
    has_startup: bool = False
    """Whether the project brings compiler flags, startup code and linker script of a part."""
    architectures: tuple[str, ...] = ()
    """Those of the targets that it is for; all where there are none."""
    taken: tuple[str, ...] = ()
    """Names that a model cannot have, because the build system or the project has them."""
    boards: Mapping[str, str] = field(default_factory=dict)
    """What the build system calls the board of a target; another one is refused, or, where there
    is a board "", is called like that."""

    @property
    def folder(self) -> Path:
        """The folder of the kind."""
        return _FOLDER / self.word.replace("-", "_")

    def templates(self, part: str) -> dict[str, Path]:
        """{path, with NAME for the model's name: template} of `files` or `lines`."""
        root = self.folder / part
        found = sorted(each for each in root.rglob(f"*{TEMPLATE}") if each.is_file())
        return {each.relative_to(root).as_posix().removesuffix(TEMPLATE): each for each in found}


@cache
def kinds() -> dict[str, Kind]:
    """Every kind by its word, sorted."""
    folders = (each.parent for each in _FOLDER.glob(f"*/{_DESCRIPTION}"))
    found = (_read(folder) for folder in folders)
    return {each.word: each for each in sorted(found, key=lambda kind: kind.word)}


def _read(folder: Path) -> Kind:
    table: dict[str, Any] = read_toml(folder / _DESCRIPTION)
    values: dict[str, Any] = {
        key: tuple(each) if isinstance(each, list) else each for key, each in table.items()
    }
    return Kind(word=folder.name.replace("_", "-"), **values)


def kind_of(word: str) -> Kind:
    """The kind that a word names; UsageError for an unknown one."""
    found = kinds()
    if word not in found:
        what = f"unknown '{word}', expected one of {', '.join(found)}"
        raise UsageError.at("init", what, hint=did_you_mean(word, found))
    return found[word]
