"""TINYML_ACCURACY: a model that is worse than it asks for becomes no C, and so no firmware."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from SCons.Errors import UserError

from tinyml_rules.accuracy.options import ACCURACY
from tinyml_rules.errors import UsageError
from tinyml_rules.frontends.scons.action import HERE, FiguresAction
from tinyml_rules.frontends.scons.place import check_own, file_nodes
from tinyml_rules.frontends.scons.settings import in_words_of, variable_of
from tinyml_rules.frontends.scons.values import option_values
from tinyml_rules.request.option import checked_by
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.system.sources import accuracy_files
from tinyml_rules.target.target import HOST, load_target

VARIABLE = "TINYML_ACCURACY"
SUFFIX = ".accuracy.json"


def judge_model(target: list[Any], source: list[Any], env: Any) -> str:
    """[.tflite, vectors] -> the figures, if no bound is broken.  Returns them in a line."""
    from tinyml_rules.accuracy.run import accuracy_figures, measure_accuracy  # noqa: PLC0415
    from tinyml_rules.request.model_path import read_model_file  # noqa: PLC0415
    from tinyml_rules.system.files import write_files  # noqa: PLC0415

    model, vectors = source[:2]
    bounds = {**_bounds(env), "vectors": Path(vectors.path)}
    name = target[0].name.removesuffix(SUFFIX)
    options = option_values(model, env)
    report = measure_accuracy(
        read_model_file(Path(model.abspath), shown=str(model)),
        name,
        load_target(HOST),
        options,
        bounds,
    )
    text = json.dumps(report, indent=2)
    write_files({target[0].name: f"{text}\n"}, Path(target[0].dir.abspath))
    return accuracy_figures(report)


def add_accuracy(env: Any, model: Any, outputs: list[Any], read: list[Any]) -> None:
    """If the environment has bounds, make everything built from a model depend on its judgement;
    `read`: nodes of other files that decide what it computes."""
    if env[VARIABLE] is None:
        return
    try:
        bounds = _bounds(env)
    except UsageError as error:
        raise UserError(in_words_of(env, error)) from error
    name = Path(outputs[0].name).stem
    judged = outputs[0].dir.File(f"{name}{SUFFIX}")
    words = " ".join(
        f"{key}={bounds[key]}" for key in ACCURACY if key in bounds and key != "vectors"
    )
    if getattr(judged.attributes, "tinyml_bounds", None) != words:
        judged.attributes.tinyml_bounds = words
        check_own([judged])
        vectors = file_nodes(env, env[VARIABLE]["vectors"])
        JUDGE.command(env, judged, [model, *vectors], TINYML_BOUNDS=words)
        env.Depends(judged, [*read, *(env.fs.File(file) for file in load_target(HOST).files)])
    outputs[0].attributes.tinyml_accuracy = [judged]
    env.Requires(outputs, judged)


def accuracy_of(compiled: list[Any]) -> list[Any]:
    """The node with the figures of a compiled model, where there are bounds."""
    return getattr(compiled[0].attributes, "tinyml_accuracy", [])


def _bounds(env: Any) -> dict[str, Any]:
    given = env[VARIABLE]
    if not isinstance(given, dict):
        what = f"found {given!r}, expected {{'vectors': 'labelled.npz', 'min': 0.9}}"
        raise UsageError.at(VARIABLE, what)
    return checked_by(ACCURACY, given, VARIABLE)


def _files() -> tuple[str, ...]:
    return accuracy_files(f"{HERE}/accuracy.py", f"{HERE}/values.py")


_DECIDING = tuple(variable_of(each.name) for each in OPTIONS.values() if each.decides_values)

JUDGE = FiguresAction(
    judge_model,
    "$TINYML_ACCURACYCOMSTR",
    variables=("TINYML_BOUNDS", "TINYML_TARGET", *_DECIDING),
    files=_files,
)
