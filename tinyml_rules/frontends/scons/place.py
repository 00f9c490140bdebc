"""The place of generated files: below a build folder, and never in place of a user's file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from SCons.Errors import UserError

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.system.ours import check_ours, left_over

_QUANTIZED = "quantized"
_OTHER_PLACE = "choose another folder with folder=, or another name with TINYML_NAME"


def file_nodes(env: Any, named: Any) -> list[Any]:
    """The nodes of files that are given as texts, Paths, nodes or lists of them."""
    nodes: list[Any] = env.arg2nodes(with_names(env, named), env.File)
    return nodes


def with_names(env: Any, named: Any) -> list[Any]:
    """Nodes and texts as they are, and Paths as texts: SCons would leave a Path as it is."""
    return [str(each) if isinstance(each, Path) else each for each in env.Flatten([named])]


def made_folder(env: Any, source: Any, name: str) -> Any:
    """The folder of what is made of the model `source`.

    build/<target>/<name> below the SConstruct, for a SConscript with the way to it before the name;
    <target>/<name> in a variant folder, where the SConscript or the model has one.
    """
    is_variant = _is_variant(source.dir) and not _is_variant(env.Dir("."))
    return (_of_target(env, source.dir) if is_variant else common_folder(env)).Dir(name)


def common_folder(env: Any, folder: Any = None) -> Any:
    """The folder of what several models have in common; `folder`: if one was asked for."""
    here, top = env.Dir("."), env.Dir("#")
    if folder or _is_variant(here):
        return env.Dir(folder) if folder else _of_target(env, here)
    build = _of_target(env, top.Dir("build"))
    return build.Dir(top.rel_path(here)) if here.is_under(top) else build


def quantized_folder(env: Any, folder: Any) -> Any:
    """The folder of models that are quantized, which are the same for every target."""
    if folder:
        return env.Dir(folder)
    here, top = env.Dir("."), env.Dir("#")
    if _is_variant(here):
        return here.Dir(_QUANTIZED)
    build = top.Dir("build").Dir(_QUANTIZED)
    return build.Dir(top.rel_path(here)) if here.is_under(top) else build


def _is_variant(folder: Any) -> bool:
    return folder.srcnode() is not folder


def _of_target(env: Any, folder: Any) -> Any:
    return folder.Dir(env["TINYML_TARGET"])


def place_here(folder: Any, file: str, *, is_alone: bool) -> Any:
    """A node for the C of a model in a folder that was asked for; `is_alone`: for an image of ours,
    which no header of another model of that name can confuse."""
    node = folder.File(file)
    node.attributes.tinyml_is_chosen = True
    node.attributes.tinyml_is_alone = is_alone
    return node


def chosen_folder(target: Any, source: Any) -> Any:
    """The folder that was asked for; None if SCons named the C after the model, next to it."""
    if getattr(target.attributes, "tinyml_is_chosen", False):
        return target.dir
    is_beside = target.dir is source.dir and Path(target.name).stem == Path(source.name).stem
    return None if is_beside else target.dir


def add_header(env: Any, target: Any, source: Any, header: Any) -> None:
    """Let the sources of an environment find the header of the model `source`; where it is one of a
    single call with settings of its own, those of the calls to come too.

    Ends with an error where another model has that header or that place.
    """
    headers = env["TINYML_HEADERS"]
    former = header.sources[0] if header.sources else headers.get(header.name, source)
    if former is not source:
        if not header.sources and getattr(target.attributes, "tinyml_is_alone", False):
            return
        _refuse_name(source, former, Path(header.name).stem)
    headers[header.name] = source
    while env is not None:
        env.AppendUnique(CPPPATH=[header.dir])
        env = getattr(env, "__subject", None)


def _refuse_name(source: Any, former: Any, name: str) -> None:
    other = identifier(f"{source.dir.name}_{name}" if source.dir.name else f"{name}_2")
    what = f"its name '{name}' is also that of {former}, expected another one in this environment"
    hint = f"set one for it: env.Object('{source}', TINYML_NAME='{other}')"
    raise UserError(str(UsageError.at(str(source), what, hint=hint)))


def check_own(nodes: list[Any]) -> None:
    """End with an error where a file that is to be made is one that somebody else wrote, here or
    in the folder of which this is a variant: SCons would remove it.  What we wrote there for other
    settings is noted, as long as a report says so."""
    names, folder = [node.name for node in nodes], nodes[0].dir
    try:
        for place in {folder, folder.srcnode()}:
            check_ours(names, Path(place.abspath), hint=_OTHER_PLACE)
        nodes[0].attributes.tinyml_former = left_over(names, Path(folder.abspath))
    except UsageError as error:
        top = f"{folder.fs.Top.abspath}{os.sep}"
        raise UserError(str(error).replace(top, "")) from error


def write_node(node: Any, data: str | bytes) -> None:
    """Write a file of a build, whole or not at all."""
    from tinyml_rules.system.files import write_files  # noqa: PLC0415 - only when there is work

    write_files({node.name: data}, Path(node.dir.abspath))


def write_json(node: Any, data: Any) -> None:
    """The same with a value as JSON."""
    import json  # noqa: PLC0415 - only when there is work

    write_node(node, json.dumps(data, indent=2) + "\n")
