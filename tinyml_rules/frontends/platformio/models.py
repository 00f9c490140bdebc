"""Adds the models of an environment to its firmware, from a script that PlatformIO runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from SCons.Script import DefaultEnvironment

from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.frontends.platformio.options import Settings, read_settings
from tinyml_rules.frontends.scons import tinyml
from tinyml_rules.frontends.scons.settings import variable_of
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.wording import worded
from tinyml_rules.target.target import default_search, load_target

_PATHS = {
    variable_of(name): "File" if option.kind is Kind.FILE else "Dir"
    for name, option in OPTIONS.items()
    if option.kind.is_path
}
"""The function of SCons that makes nodes of each construction variable that is a path."""


def add_models(env: Any) -> None:
    """Compile the models that platformio.ini names and link them into the firmware.

    `env`: the project's environment in a script of `extra_scripts`, or that of a library: the
    one whose sources, and whose users' sources, are to find the headers.
    """
    if env.IsCleanTarget():  # PlatformIO removes the whole folder; no setting is in its way
        return
    # The project's: a library has only a copy, and what is added to that never reaches the link.
    # Where a project has a script and the library, or this is read twice, one compilation does.
    project = DefaultEnvironment()
    try:
        if "__TINYML_HEADERS" not in project:
            project["__TINYML_HEADERS"] = _compile(project, _settings(project))
    except TinymlError as error:
        print(worded(str(error), "platformio"), file=sys.stderr)
        env.Exit(error.exit_status)
    env.AppendUnique(CPPPATH=project["__TINYML_HEADERS"])


def _settings(project: Any) -> Settings:
    where = f"platformio.ini [env:{project['PIOENV']}]"
    if "PIOMAINPROG" in project:
        what = "the script runs too late, after the firmware's files were collected"
        raise UsageError.at(where, what, hint="write `pre:` before the script in extra_scripts")
    board = project.BoardConfig() if "BOARD" in project else {}
    return read_settings(
        project.GetProjectOptions(as_dict=True),
        where=where,
        platform=project["PIOPLATFORM"],
        mcu=board.get("build.mcu", ""),
        cpu=board.get("build.cpu", ""),
    )


def _compile(project: Any, settings: Settings) -> list[str]:
    """The folders with headers; the objects are added to those of the firmware."""
    root = project.Dir("$PROJECT_DIR")
    variables = dict(settings.variables)
    # As nodes, because in a library's script a path means another folder.
    folders = [root.Dir(name) for name in variables.pop("TINYML_TARGETS", ())]
    for variable, node in _PATHS.items():
        if variable in variables:
            names = variables[variable]
            is_one = isinstance(names, (str, Path))
            nodes = [getattr(root, node)(str(name)) for name in ([names] if is_one else names)]
            variables[variable] = nodes
    # Judged before the tool does, which would end the build with the place in a script.
    search = (*(Path(folder.abspath) for folder in folders), *default_search())
    load_target(variables["TINYML_TARGET"], search=search)
    # A copy, so that nothing of the project's changes: compiler, flags and linker stay its own
    compiler = project.Clone()
    tinyml.generate(
        compiler,
        **variables,
        TINYML_TARGETS=folders,
        TINYML_TOOLCHAIN="environment",
        TINYML_SPELLING="platformio",
        TINYML_COMSTR="Generating $TARGET$TINYML_FIGURES",
    )
    headers = project.Dir("$BUILD_DIR/tinyml")
    for model, name in zip(settings.models, settings.names, strict=True):
        source, *_ = compiler.TinymlModel(root.File(model), headers, TINYML_NAME=name)
        project.Append(PIOBUILDFILES=project.Object(source))
    return [headers.abspath] if settings.models else []
