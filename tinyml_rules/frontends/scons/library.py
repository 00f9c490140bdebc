"""Builders of a model alone: its C, and a library that a firmware links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from SCons.Errors import UserError

from tinyml_rules.errors import TinymlError
from tinyml_rules.frontends.scons.model import OF_ANY_SUFFIX, model_name
from tinyml_rules.frontends.scons.place import common_folder, file_nodes, made_folder, place_here
from tinyml_rules.frontends.scons.settings import check_known
from tinyml_rules.model_file.suffixes import SUFFIX


def tinyml_model(env: Any, model: Any, folder: Any = None, **settings: Any) -> Any:
    """Compile `model` into `folder`: the nodes <name>.c, .h, .model.json and .memory.svg, and with
    external weights <name>.weights.bin.  `settings` are those of this model alone."""
    return compiled_model(env, model, folder, is_alone=False, **settings)


def compiled_model(env: Any, model: Any, folder: Any, *, is_alone: bool, **settings: Any) -> Any:
    """The same; `is_alone`: for an image of ours, where one is to be made of it."""
    own = with_settings(env, settings)
    source = file_nodes(own, model)[0]  # a builder's result is a list
    name = model_name(source, own)
    place = own.Dir(folder) if folder else made_folder(own, source, name)
    builder = own["BUILDERS"]["CFile" if source.name.endswith(SUFFIX) else OF_ANY_SUFFIX]
    return builder(own, place_here(place, f"{name}.c", is_alone=is_alone), source)


def tinyml_library(env: Any, name: str, models: Any, folder: Any = None, **settings: Any) -> Any:
    """A static library of `models`, one or several; the environment finds their headers."""
    own = with_settings(env, settings)
    given = env.Flatten([models])
    compiled = [tinyml_model(env, model, folder, **settings)[0] for model in given]
    objects = [
        own.StaticObject(node.dir.File(f"{Path(node.name).stem}{own.subst('$OBJSUFFIX')}"), node)[0]
        for node in compiled
    ]
    file = own.subst(f"${{LIBPREFIX}}{name}${{LIBSUFFIX}}")
    return own.StaticLibrary(common_folder(own, folder).File(file), objects)


def with_settings(env: Any, settings: dict[str, Any]) -> Any:
    """The environment with the settings of one call."""
    try:
        check_known(name for name in settings if name.startswith("TINYML_"))
    except TinymlError as error:
        raise UserError(str(error)) from error
    return env.Override(settings) if settings else env
