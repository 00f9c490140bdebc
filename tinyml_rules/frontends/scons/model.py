"""A .tflite file -> C, header and figures, as an action of the C file builder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from SCons.Errors import UserError

from tinyml_rules.errors import UsageError
from tinyml_rules.frontends.scons.accuracy import add_accuracy
from tinyml_rules.frontends.scons.action import HERE, FiguresAction
from tinyml_rules.frontends.scons.current import check_chosen, current_target, read_target
from tinyml_rules.frontends.scons.place import (
    add_header,
    check_own,
    chosen_folder,
    made_folder,
)
from tinyml_rules.frontends.scons.settings import MODEL_VARIABLES, in_words_of, variable_of
from tinyml_rules.frontends.scons.values import (
    file_options,
    named_nodes,
    option_values,
    options_nodes,
)
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.outputs import output_suffixes, suffix_of
from tinyml_rules.system.sources import compiler_files

FIGURES = ".model.json"
"""Suffix of the compiler's report in SCons."""
REPORT = suffix_of("report")
OF_ANY_SUFFIX = "TinymlModelFile"
"""The builder of what is no .tflite file by its name: SCons has C and C++ sources of its own."""

if TYPE_CHECKING:
    from tinyml_rules.request.request import Request


def model_name(source: Any, env: Any) -> str:
    """The prefix of the C symbols: TINYML_NAME, else the file's name made an identifier."""
    return str(env["TINYML_NAME"] or identifier(Path(source.name).stem))


def named_as(target: list[Any], source: list[Any], env: Any, for_signature: bool) -> str:  # noqa: ARG001 - as SCons calls it
    """For messages: the name of a model, if it differs from its file's."""
    name = Path(str(target[0])).stem if target else ""
    return f" as {name}" if source and name != Path(str(source[0])).stem else ""


def emit_outputs(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """The files of OUTPUTS, next to the first and named after it, with the figures in
    <name>.model.json; <name>.report.json is that of an image."""
    check_chosen(env)
    name = model_name(source[0], env)
    folder = chosen_folder(target[0], source[0]) or made_folder(env, source[0], name)
    suffixes = _suffixes(source[0], env)
    outputs = [folder.File(f"{name}{FIGURES if each == REPORT else each}") for each in suffixes]
    check_own(outputs)
    outputs[0].attributes.tinyml_is_model = True
    add_header(env, target[0], source[0], outputs[1])
    part = read_target(env)
    env.Depends(outputs, [env.fs.File(str(folder / "target.toml")) for folder in part.folders])
    read = [*options_nodes(source[0]), *named_nodes(source[0], env)]
    env.Depends(outputs, read)
    COMPILE.share(env, outputs, source)
    COMPILE.depend(env, outputs)
    add_accuracy(env, source[0], outputs, read)
    return outputs, source


def is_model(node: Any) -> bool:
    """Whether a node is the C file of a model."""
    return getattr(node.attributes, "tinyml_is_model", False)


def _files() -> tuple[str, ...]:
    return compiler_files(f"{HERE}/model.py", f"{HERE}/values.py")


def compile_tflite(target: list[Any], source: list[Any], env: Any) -> str:
    """Compile one model; the outputs appear together or not at all.  Returns its figures."""
    from tinyml_rules.compiler import compile_model  # noqa: PLC0415 - only when there is work
    from tinyml_rules.fitting.ways import explained  # noqa: PLC0415
    from tinyml_rules.reporting.record import to_json  # noqa: PLC0415
    from tinyml_rules.reporting.tables import model_figures  # noqa: PLC0415
    from tinyml_rules.system.files import remove_files, write_files  # noqa: PLC0415

    name = Path(target[0].name).stem
    request = request_of(source[0], env, name=name)
    with explained(lambda: request):
        compiled = compile_model(request)
    files = compiled.outputs
    del files[f"{name}{REPORT}"]
    files[f"{name}{FIGURES}"] = json.dumps(to_json(compiled.report), indent=2) + "\n"
    write_files(files, Path(target[0].dir.abspath))
    remove_files(target[0].attributes.tinyml_former)
    _warn(target[0], source[0], [in_words_of(env, each) for each in compiled.warnings])
    return model_figures(compiled.report)


_WARNED: dict[tuple[str, str], Any] = {}
"""The first output of those that a model has, by its path and a warning."""


def _warn(output: Any, source: Any, warnings: list[str]) -> None:
    """Print each warning of a model once a build, although it has outputs for several settings."""
    for warning in warnings:
        if _WARNED.setdefault((source.abspath, warning), output) is output:
            print(warning, file=sys.stderr)


def request_of(source: Any, env: Any, *, name: str) -> Request:
    """The request of the environment for a .tflite file; raises UsageError for an unknown word."""
    from tinyml_rules.request.model_path import read_model_file  # noqa: PLC0415
    from tinyml_rules.request.request import Request  # noqa: PLC0415 - only when there is work

    model = read_model_file(Path(source.abspath), shown=str(source))
    return Request.of(model, name, current_target(env), option_values(source, env))


def _suffixes(source: Any, env: Any) -> tuple[str, ...]:
    """The suffixes of the outputs.  An unknown word is reported when the model is built, but one in
    the file of options now, as SCons requires."""
    try:
        found = file_options(source, env)
    except UsageError as error:
        raise UserError(in_words_of(env, error)) from error
    given = {name: env[variable_of(name)] for name in OPTIONS}
    return output_suffixes({**found, **{name: given[name] for name in given if given[name]}})


COMPILE = FiguresAction(compile_tflite, "$TINYML_COMSTR", variables=MODEL_VARIABLES, files=_files)


def any_suffix_builder(env: Any) -> Any:
    """Of a model in a C array, for example: what that includes is not read, and may have the name
    of the header that is made of the model."""
    no_includes = env.Scanner(function=lambda *_: [])
    return env.Builder(action=COMPILE, emitter=emit_outputs, source_scanner=no_includes)
