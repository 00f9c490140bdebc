"""A target's toolchain as SCons construction variables, so that Object and Program build for it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from SCons.Action import Action
from SCons.Builder import ListEmitter
from SCons.Tool import createObjBuilders

from tinyml_rules.errors import UsageError
from tinyml_rules.firmware.support import FIRMWARE_FOLDER, link_memory, support_sources
from tinyml_rules.frontends.scons.action import firmware_files
from tinyml_rules.frontends.scons.current import read_target
from tinyml_rules.frontends.scons.program import FINISH_PROGRAM
from tinyml_rules.frontends.scons.quoting import literal_words
from tinyml_rules.system.programs import find_program
from tinyml_rules.system.sources import PACKAGE
from tinyml_rules.target.target import Target
from tinyml_rules.target.toolchain import CODE_FLAGS, STANDARD_FLAG, WARNING_FLAGS

_CHOICES = ("auto", "target", "environment")
_COMPILERS_OF_THIS_COMPUTER = ("gcc", "clang", "cc", "cl", "icc", "icl")
"""SCons's own default for CC."""


def use_toolchain(env: Any, target: Target) -> None:
    """Compiler, flags, linker script and startup of `target`, unless the environment keeps its own
    (TINYML_TOOLCHAIN); the host always does.  Raises UsageError for an unknown word."""
    _record_stack_usage(env)
    is_wanted = _is_wanted(env)
    if target.memory is None:
        if "TINYML_LINKCOM" in env:
            what = (
                "this environment has the toolchain of a part, expected one of its own for the host"
            )
            raise UsageError.at("tinyml", what)
        return
    compiler = target.toolchain.program("gcc")
    found = None if shutil.which(compiler) else find_program(compiler)
    if found is not None:  # in a Python package, which is on nobody's path
        env.AppendENVPath("PATH", str(Path(found).parent))
    if is_wanted:
        _replace_toolchain(env, target)


def image_object(
    env: Any, source: Any, folder: Any, *, include: Any = (), more: Sequence[str] = ()
) -> Any:
    """The object in `folder` of a C file of ours, made once for all programs there, with `more`
    flags; no flag of the environment counts.  The file with the stack of its functions comes
    along."""
    node = folder.File(f"{Path(source.name).stem}.o")
    if not node.has_builder():
        path = [*include, env.fs.Dir(str(FIRMWARE_FOLDER))]
        variables = _image_variables(env)
        variables["CCFLAGS"] = [*variables["CCFLAGS"], *more]
        env.StaticObject(node, source, CPPPATH=path, **variables)
    return node


def _image_variables(env: Any) -> dict[str, Any]:
    target = read_target(env)
    flags = [*CODE_FLAGS, *target.toolchain.compile_flags, *WARNING_FLAGS]
    is_chosen = target.memory is None and _is_for_this_computer(env)
    return {
        "CC": env["CC"] if is_chosen else target.toolchain.program("gcc"),
        "CCCOM": "$CC -o $TARGET -c $CFLAGS $CCFLAGS $_CCCOMCOM $SOURCES",
        "CFLAGS": [STANDARD_FLAG],
        "CCFLAGS": flags,
        "CPPFLAGS": [],
        "CPPDEFINES": [],
        "OBJSUFFIX": ".o",
        "OBJPREFIX": "",
        "TINYML_STACK_USAGE": True,
    }


def _is_wanted(env: Any) -> bool:
    choice = env["TINYML_TOOLCHAIN"]
    if choice not in _CHOICES:
        what = f"TINYML_TOOLCHAIN is '{choice}', expected one of {', '.join(_CHOICES)}"
        raise UsageError.at("tinyml", what)
    if choice == "auto":
        return "TINYML_LINKCOM" in env or _is_for_this_computer(env)
    return bool(choice == "target")


def _is_for_this_computer(env: Any) -> bool:
    return str(env.get("CC", "cc")) in _COMPILERS_OF_THIS_COMPUTER


def _replace_toolchain(env: Any, target: Target) -> None:
    """The part's flags are variables of their own: an environment's CCFLAGS, LINKFLAGS and LIBS are
    often set after its tools, or for one program, and come after ours."""
    toolchain = target.toolchain
    before, libraries = toolchain.link_flags_around_objects(link_memory(target, "minimal"))
    env.Replace(
        CC=toolchain.program("gcc"),
        CXX=toolchain.program("g++"),
        AR=toolchain.program("ar"),
        RANLIB=toolchain.program("ranlib"),
        OBJCOPY=toolchain.program("objcopy"),
        LINK="$CC",
        PROGSUFFIX=".elf",
        SHLIBSUFFIX=".so",
        TINYML_CFLAGS=[STANDARD_FLAG],
        TINYML_CCFLAGS=[*CODE_FLAGS, *toolchain.compile_flags, *_same_on_every_path(env)],
        TINYML_LINKFLAGS=["$(", *literal_words(before), "$)"],
        TINYML_LIBFLAGS=[*(f"-l{library}" for library in libraries), "$TINYML_LIBC"],
        TINYML_LIBC=_c_library,
        TINYML_STACK_USAGE=True,
    )
    if "TINYML_LINKCOM" not in env:  # else a clone of an environment for another part
        _extend_commands(env)


def _c_library(target: Any, source: Any, env: Any, for_signature: bool) -> str:  # noqa: ARG001 - as SCons calls it
    """The flags of the C library, if the compiler has one (it is another package); after ours, so
    that a program which needs nothing of it stays the same.  Not part of a signature, because
    finding them takes a process, even in a build with nothing to do."""
    if for_signature:
        return ""
    words = map(str, env.subst_list("$CC $TINYML_CCFLAGS $CCFLAGS $LINKFLAGS")[0])
    return "-lc -lgcc" if _has_c_library(tuple(words), env["ENV"].get("PATH", "")) else ""


@cache
def _has_c_library(command: tuple[str, ...], path: str) -> bool:
    question = [*command, "-print-file-name=libc.a"]
    try:
        found = subprocess.run(
            question, env={"PATH": path}, capture_output=True, text=True, check=False
        )
    except OSError:
        return False  # the link will say what is missing
    return Path(found.stdout.strip()).is_absolute()


def _extend_commands(env: Any) -> None:
    for command, flags in (
        ("CCCOM", "$TINYML_CFLAGS $TINYML_CCFLAGS"),
        ("CXXCOM", "$TINYML_CCFLAGS"),
        ("ASPPCOM", "$TINYML_CCFLAGS"),
    ):
        if command in env:  # not in an environment without the tool of that language
            program, rest = env[command].split(" ", 1)
            env[command] = f"{program} {flags} {rest}"
    link = env["LINKCOM"].replace("$LINKFLAGS", "$TINYML_LINKFLAGS $LINKFLAGS")
    env["TINYML_LINKCOM"] = f"{link} $TINYML_LIBFLAGS"
    env["LINKCOM"] = [Action("$TINYML_LINKCOM", "$LINKCOMSTR"), FINISH_PROGRAM]
    env.Append(PROGEMITTER=[_leave_out_stack_usage, _add_startup])
    env.Append(LIBEMITTER=[_leave_out_stack_usage])


def _same_on_every_path(env: Any) -> list[str]:
    """For a user who adds -g: GCC records folders without their absolute paths.  The option's
    newer form, which maps __FILE__ as well, is unknown to AVR-GCC 7."""
    folders = ((env.Dir("#").abspath, "."), (str(PACKAGE), PACKAGE.name))
    maps = [f"-fdebug-prefix-map={folder}={name}" for folder, name in folders]
    return ["$(", *literal_words(maps), "$)"]


Emitted = tuple[list[Any], list[Any]]
"""Target and source nodes, as an emitter returns them."""


def _record_stack_usage(env: Any) -> None:
    """Make GCC's file with the stack of a C file's functions an output of the object's, where it
    is written: so that a cache brings it back, and cleaning removes it."""
    static_objects, _ = createObjBuilders(env)
    emitters = static_objects.emitter
    emitters[".c"] = ListEmitter([emitters[".c"], _add_stack_usage])


def _add_stack_usage(target: list[Any], source: list[Any], env: Any) -> Emitted:
    is_there = str(target[-1]).endswith(".su")  # the tool was loaded in a clone as well
    if env.get("TINYML_STACK_USAGE") and not is_there:
        target.append(target[0].dir.File(f"{Path(target[0].name).stem}.su"))
    return target, source


def _leave_out_stack_usage(target: list[Any], source: list[Any], env: Any) -> Emitted:  # noqa: ARG001
    """Remove `.su` files, so that the result of env.Object can be passed on unchanged."""
    return target, [node for node in source if not str(node).endswith(".su")]


def _add_startup(target: list[Any], source: list[Any], env: Any) -> Emitted:
    """Link a program with the part's startup code; relink it when the part's memory
    changes, or how its stack is judged."""
    part = read_target(env)
    folder = target[0].dir.Dir(".tinyml").Dir(part.name)
    for file in support_sources(part, kind="minimal"):
        source.append(image_object(env, env.fs.File(str(file)), folder))
    env.Depends(target, [*link_nodes(env, part), *map(env.fs.File, firmware_files())])
    return target, source


def link_nodes(env: Any, target: Target) -> list[Any]:
    """The files that decide how a program is linked.

    The flags that they lead to hold absolute paths, which no signature may have.
    """
    script = target.toolchain.link_script
    files = [folder / "target.toml" for folder in target.folders]
    return [env.fs.File(str(file)) for file in (*files, *([script] if script else []))]
