"""The verb `matrix`: every model on every target, and the table of what came of it.

A pair is one file of one action, so that pairs are made side by side and an unchanged one is not
made again.  A model that does not fit is a row of the table here; everywhere else it is an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from SCons.Script import COMMAND_LINE_TARGETS, GetOption, SetOption
from site_project import MODELS, ROOT, obtain_for, or_exit
from site_verbs import MATRIX_OPTIONS, add_help, check_words, is_yes

from models.zoo import load_manifest, matrix_models
from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.frontends.scons.action import (
    HERE,
    PackageAction,
    firmware_files,
    runner_files,
)
from tinyml_rules.system.sources import compiler_files, files_below
from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.parts import own_targets
from tinyml_rules.target.target import Target, load_target

RESULTS = MODELS / "results.json"
ONE_LINE = Lock()


def settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    """Construction variables from the command line; ends with an error for what is not known."""
    chosen: dict[str, Any] = or_exit(lambda: _settings(arguments, show_help))
    return chosen


def _settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    written = check_whole(arguments, "matrix", MATRIX_OPTIONS, writes=("docs",))
    add_help(show_help)
    models = word_list(arguments.get("model"), matrix_models(MODELS))
    return {**settings_of_pairs(arguments, models), "MATRIX_DOCS": bool(written)}


def check_whole(
    arguments: dict[str, str], verb: str, known: Mapping[str, str], *, writes: Sequence[str]
) -> list[str]:
    """The `writes` that are yes, of a verb about all pairs.  Raises UsageError for variables that
    are not known, for another verb beside it, and for a part of the pairs where all are written."""
    check_words(arguments, tuple(known))
    if set(COMMAND_LINE_TARGETS) != {verb}:
        raise UsageError.at("scons", f"'{verb}' is a whole command, expected no other verb with it")
    written = [word for word in writes if is_yes(arguments, word)]
    if written and {"target", "model"} & set(arguments):
        what = f"'{written[0]}' is yes, expected no 'target' or 'model' with it"
        raise UsageError.at("scons", what)
    return written


def settings_of_pairs(arguments: dict[str, str], models: Sequence[str]) -> dict[str, Any]:
    """What a verb about pairs of these models and the targets of the command line has; it takes all
    processors."""
    SetOption("num_jobs", os.cpu_count() or 1)  # what the user says with -j goes before
    mirror = arguments.get("models")
    targets = word_list(arguments.get("target"), own_targets())
    return {
        "MATRIX_TARGETS": [load_target(name) for name in targets],
        "MATRIX_MANIFESTS": [load_manifest(MODELS, name) for name in models],
        "MIRROR": Path(mirror).resolve() if mirror else None,
        "ENV": {"PATH": os.environ["PATH"]},
    }


def word_list(words: str | None, known: Sequence[str]) -> list[str]:
    """The words between commas, in order; all that are known where nothing was said."""
    return sorted(set(known if words is None else words.split(",")))


def add_verbs(env: Any) -> None:
    """The pairs, a line of progress for each, and the table."""
    if GetOption("help"):
        return
    (ROOT / "build").mkdir(exist_ok=True)
    env.SConsignFile("build/.sconsign")
    pairs = or_exit(lambda: pairs_of(env))
    shown = shown_of(env, pairs)
    names = [f"build/matrix.{suffix}" for suffix in ("json", "txt", "md")]
    table = env.Command(names, pairs, TABLE)
    env.Depends(table, shown)
    env.AlwaysBuild(table)
    env.NoCache(table)
    env.Alias("matrix", table)


def shown_of(env: Any, pairs: list[Any]) -> list[Any]:
    """A line of progress for each pair."""
    numbers = count(1)
    return [
        env.Command(f"{pair}.shown", pair, SHOW_PAIR, NUMBERS=numbers, TOTAL=len(pairs))
        for pair in pairs
    ]


def pairs_of(env: Any) -> list[Any]:
    """The files of all pairs of a model and a target that were asked for."""
    models = [
        Measured(
            manifest.name,
            str(obtain_for(env, manifest.model)),
            str(MODELS / manifest.name / "vectors.npz"),
        )
        for manifest in env["MATRIX_MANIFESTS"]
    ]
    return [
        pair for target in env["MATRIX_TARGETS"] for pair in pairs_of_target(env, target, models)
    ]


@dataclass(frozen=True)
class Measured:
    """A model that is measured on a target: its file, and the vectors that it has to give."""

    name: str
    file: str
    vectors: str


def pairs_of_target(env: Any, target: Target, models: Sequence[Measured]) -> list[Any]:
    """A node for each model; tools that are missing or new make it anew."""
    from benchmarks.matrix import compiler_of  # noqa: PLC0415 - not for the other verbs

    is_here = not missing_tools(target)
    compiler = compiler_of(target) if is_here and not GetOption("clean") else ""
    files = [file for folder in target.folders for file in folder.iterdir() if file.suffix != ".md"]
    nodes = []
    for model in models:
        node = PAIR.command(
            env,
            f"build/{target.name}/{model.name}/matrix.json",
            [model.file, model.vectors],
            TINYML_TARGET=target.name,
            TINYML_NAME=model.name,
            MATRIX_COMPILER=compiler,
        )
        env.Depends(node, sorted(map(str, files)))
        nodes += node
    return nodes


def measure_pair(target: list[Any], source: list[Any], env: Any) -> None:
    """[model, vectors] -> the rows of the pair."""
    import numpy as np  # noqa: PLC0415 - only when there is work

    from benchmarks import matrix  # noqa: PLC0415
    from benchmarks.results import row_data  # noqa: PLC0415

    part, name = load_target(env["TINYML_TARGET"]), env["TINYML_NAME"]
    if missing := missing_tools(part):
        rows = [matrix.missing_row(part.name, name, tools=missing)]
    else:
        rows = matrix.measure_pair(
            Path(source[0].abspath).read_bytes(),
            name,
            part,
            np.load(source[1].abspath, allow_pickle=False),
            compiler=env["MATRIX_COMPILER"],
        )
    if any(row.result is matrix.Result.ERROR for row in rows):
        env.NoCache(target)
    text = json.dumps([row_data(row) for row in rows], indent=2) + "\n"
    Path(target[0].abspath).write_text(text, encoding="utf-8")


def show_pair(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """A line of progress for each row."""
    from benchmarks.results import progress  # noqa: PLC0415

    total, rows = env["TOTAL"], rows_of_node(source[0])
    with ONE_LINE:  # several jobs end at once
        number = f"[{next(env['NUMBERS']):{len(str(total))}}/{total}]"
        for row in rows:
            print(f"{number} {progress(row)}", flush=True)


def write_table(target: list[Any], source: list[Any], env: Any) -> None:
    """The rows of all pairs -> matrix.json, .txt and .md; an error if one of them is one."""
    from benchmarks import results  # noqa: PLC0415

    pairs = {node: rows_of_node(node) for node in source}
    rows = [row for pair in pairs.values() for row in pair]
    texts = (results.json_text(rows), results.plain_text(rows), results.markdown_text(rows))
    for node, text in zip(target, texts, strict=True):
        Path(node.abspath).write_text(text, encoding="utf-8")
    print(f"\n{texts[1]}", end="", flush=True)
    refuse_errors(pairs, verb="matrix")
    if env["MATRIX_DOCS"]:
        from generate.files import write_generated  # noqa: PLC0415 - what `check` installs

        RESULTS.write_text(texts[0], encoding="utf-8")
        write_generated(ROOT)


def refuse_errors(pairs: Mapping[Any, Sequence[Any]], *, verb: str) -> None:
    """Raise ToolError if a row is an error, and have its pair tried again the next time."""
    from benchmarks.matrix import Result  # noqa: PLC0415

    for node, rows in pairs.items():
        if any(row.result is Result.ERROR for row in rows):
            Path(node.abspath).unlink()
    failed = sum(row.result is Result.ERROR for rows in pairs.values() for row in rows)
    if failed:
        count = sum(map(len, pairs.values()))
        raise ToolError.at(verb, f"{failed} of {count} rows are errors")


def rows_of_node(node: Any) -> list[Any]:
    """The rows in the file of a pair."""
    from benchmarks.results import rows_of  # noqa: PLC0415

    return rows_of(Path(node.abspath).read_text(encoding="utf-8"))


def matrix_files() -> tuple[str, ...]:
    """The files that decide what is told of a model on a target, and what is tried."""
    own = files_below(ROOT, "benchmarks/matrix.py", "models/zoo.py")
    compiler = compiler_files(f"{HERE}/model.py")
    return tuple(sorted({*firmware_files(), *runner_files(), *compiler, *own}))


PAIR = PackageAction(
    measure_pair,
    None,
    variables=("TINYML_TARGET", "TINYML_NAME", "MATRIX_COMPILER"),
    files=matrix_files,
)
SHOW_PAIR = PackageAction(show_pair, None, variables=())
TABLE = PackageAction(write_table, None, variables=())

__all__ = [
    "RESULTS",
    "Measured",
    "add_verbs",
    "matrix_files",
    "pairs_of",
    "pairs_of_target",
    "refuse_errors",
    "rows_of_node",
    "settings",
    "shown_of",
    "word_list",
]
