"""The options of a model: those that the environment sets, and those of the file next to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tinyml_rules.errors import UsageError
from tinyml_rules.frontends.scons.settings import variable_of
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS, named_files, parsed
from tinyml_rules.request.options_file import options_file, read_options

_PATHS = tuple(name for name, option in OPTIONS.items() if option.kind.is_path)


def option_values(source: Any, env: Any) -> dict[str, Any]:
    """The options of a .tflite file by name: those that the environment sets, then those of the
    file next to it; raises UsageError."""
    given = {name: env[variable_of(name)] for name in OPTIONS if name not in _PATHS}
    return {**file_options(source, env), **parsed(given), **_paths(source, env)}


def _paths(source: Any, env: Any) -> dict[str, Any]:
    """By option, the folders and files that the environment names, else the file of options."""
    of_file = file_options(source, env)
    found = {name: of_file[name] for name in _PATHS if name in of_file}
    for name in _PATHS:
        if env[variable_of(name)] is not None:
            found[name] = _path(env, name)
    return found


def _path(env: Any, name: str) -> Any:
    """What the environment names.  A text or a Path begins at the SConstruct, whichever script is
    read."""
    is_file = OPTIONS[name].kind is Kind.FILE
    make = env.fs.File if is_file else env.fs.Dir
    named = [
        env.subst(each) if isinstance(each, str) else each
        for each in env.Flatten([env[variable_of(name)]])
    ]
    nodes = [
        make(str(each), env.fs.Top) if isinstance(each, (str, Path)) and each else each
        for each in named
    ]
    if is_file:
        return parsed({name: [each.rfile().abspath if each else "" for each in nodes][-1]})[name]
    return tuple(Path(node.srcnode().abspath) for node in nodes)


def named_nodes(source: Any, env: Any) -> list[Any]:
    """The files that the options of a model name.  A mistake in an option is reported elsewhere."""
    try:
        found = _paths(source, env)
    except UsageError:
        return []
    return [env.fs.File(file) for file in named_files(found)]


def file_options(source: Any, env: Any) -> dict[str, Any]:
    """The options of the file next to a model for the environment's target; raises UsageError."""
    found: dict[str, Any] = {}
    for node in options_nodes(source):
        folder = Path(node.srcnode().dir.abspath)
        target = str(env["TINYML_TARGET"])
        file = Path(node.rfile().abspath)
        found = read_options(file, target, shown=str(node), folder=folder)
    return found


def options_nodes(source: Any) -> list[Any]:
    """The file of options next to a model, where there is one: what a model depends on is another
    list when the file appears, so that SCons compiles it again."""
    node = source.dir.File(options_file(Path(source.name)).name)
    return [node] if node.rexists() else []
