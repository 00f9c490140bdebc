"""A target's toolchain as SCons construction variables, so that Object and Program build for it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from SCons.Action import Action

from tinyml_rules.build import link_memory, support_sources
from tinyml_rules.frontends.scons.action import firmware_files
from tinyml_rules.frontends.scons.current import current_target
from tinyml_rules.frontends.scons.program import FINISH_PROGRAM
from tinyml_rules.programs import find_program
from tinyml_rules.target import Target
from tinyml_rules.toolchain import CODE_FLAGS


def use_toolchain(env: Any, target: Target) -> None:
    """Compiler, flags, linker script and startup of `target`; the host keeps the user's own."""
    if target.memory is None:
        return
    toolchain = target.toolchain
    compiler = toolchain.program("gcc")
    found = None if shutil.which(compiler) else find_program(compiler)
    if found is not None:  # in a Python package, which is on nobody's path
        env.AppendENVPath("PATH", str(Path(found).parent))
    env.Replace(
        CC=toolchain.program("gcc"),
        AR=toolchain.program("ar"),
        RANLIB=toolchain.program("ranlib"),
        OBJCOPY=toolchain.program("objcopy"),
        LINK="$CC",
        PROGSUFFIX=".elf",
        SHLIBSUFFIX=".so",
    )
    env.Append(CCFLAGS=[*CODE_FLAGS, *toolchain.compile_flags])
    before, libraries = toolchain.link_flags_around_objects(link_memory(target, "minimal"))
    env.Append(LINKFLAGS=["$(", *before, "$)"], LIBS=libraries)
    env.Append(PROGEMITTER=[_add_startup])
    env.Replace(
        TINYML_LINKCOM=env["LINKCOM"],
        LINKCOM=[Action("$TINYML_LINKCOM", "$LINKCOMSTR"), FINISH_PROGRAM],
    )


def _add_startup(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """Link a program with the part's startup code; relink it when the part's memory
    changes, or how its stack is judged."""
    part = current_target(env)
    folder = target[0].dir.Dir(".tinyml").Dir(Path(target[0].name).stem)
    for file in support_sources(part, kind="minimal"):
        source.extend(env.Object(folder.File(f"{file.stem}.o"), str(file)))
    env.Depends(target, [env.File(file) for file in (*link_inputs(part), *firmware_files())])
    return target, source


def link_inputs(target: Target) -> list[str]:
    """The files that decide how a program is linked.

    The flags that they lead to hold absolute paths, which no signature may have.
    """
    script = target.toolchain.link_script
    files = [folder / "target.toml" for folder in target.folders]
    return [str(file) for file in (*files, *([script] if script else []))]
