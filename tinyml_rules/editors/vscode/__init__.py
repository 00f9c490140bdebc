"""The files of a folder `.vscode`: tasks for a model, the matcher of our messages, and the schemas
that its TOML files name.

Every file `NAME.j2` here is a file `.vscode/NAME`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from tinyml_rules.editors.schemas import SCHEMAS, schema_file, schema_name
from tinyml_rules.system.templates import templates

FOLDER = ".vscode"
MATCHER = r"^(?!.*:\d+:\d+: )(.*?\.\w+|[^:]+)(?:[ :(].*?)?: (error|warning|note): (.*)$"
"""A message `where: error: what`, as JavaScript has it: the file, or else the model, the severity
and the text.  A hint is on a line of its own, which VS Code cannot add where not every message has
one.  What GCC says, with a line's number after the file, is left to its own matcher."""
_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Task:
    """One task: its `command` is a program and its arguments, which no shell reads.  `group`: it is
    what the editor's command of that name runs."""

    label: str
    detail: str
    command: tuple[str, ...]
    group: str = ""


def vscode_files(
    model: str,
    target: str,
    *,
    program: Sequence[str] = ("tinyml_rules",),
    build: Sequence[str] = (),
    vectors: str = "",
) -> dict[str, str]:
    """{path in the project: text} for a model file by its path in the project, with `/`.

    `program`: how to call this one; `build`: the command of the project's own build, if it has one;
    `vectors`: the .npz with expected outputs, without which there is no task `test`.
    """
    environment = templates(_HERE, escapes=False)
    environment.filters["tojson"] = partial(json.dumps, ensure_ascii=False)
    tasks = tuple(_tasks(model, target, tuple(program), tuple(build), vectors))
    rendered = {
        f"{FOLDER}/{file.stem}": environment.get_template(file.name).render(
            model=PurePosixPath(model).name, tasks=tasks, matcher=MATCHER
        )
        for file in sorted(_HERE.glob("*.j2"))
    }
    schemas = {
        f"{FOLDER}/{schema_name(kind)}": schema_file(kind).read_text(encoding="utf-8")
        for kind in SCHEMAS
    }
    return {**rendered, **schemas}


def _tasks(
    model: str, target: str, program: tuple[str, ...], build: tuple[str, ...], vectors: str
) -> Iterator[Task]:
    stem, at = PurePosixPath(model).stem, ("--target", target)
    compiled = (*program, "compile", model, *at, "--out", "build")
    page = f"build/{stem}.html"
    yield Task(f"{stem}: build", "the model, in C", build or compiled, "build")
    yield Task(f"{stem}: run", "in the emulator", (*program, "run", model, *at))
    if vectors:
        command = (*program, "test", model, *at, "--vectors", vectors)
        yield Task(f"{stem}: test", "outputs, byte by byte", command, "test")
    yield Task(f"{stem}: size", "flash, RAM and stack", (*program, "size", model, *at))
    yield Task(f"{stem}: report", page, (*program, "report", model, *at, "-o", page))
