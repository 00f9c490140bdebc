"""The tool itself: `Environment(tools=['default', 'tinyml'], TINYML_TARGET='atmega328')`.

SCons loads a tool under its bare name, so this file is called like the tool.  It imports only what
reading an SConstruct needs: a build with nothing to do never loads the compiler.
"""

from __future__ import annotations

from typing import Any

from SCons.Errors import UserError
from SCons.Tool import createCFileBuilders

from tinyml_rules.errors import TinymlError
from tinyml_rules.frontends.scons import firmware, library, model
from tinyml_rules.frontends.scons.alone import wait_for_other_builds
from tinyml_rules.frontends.scons.current import current_target
from tinyml_rules.frontends.scons.recorded import compare_with_record
from tinyml_rules.frontends.scons.settings import check_known, set_defaults
from tinyml_rules.frontends.scons.toolchain import use_toolchain
from tinyml_rules.programs import find_program


def generate(env: Any, **settings: Any) -> None:
    """Add the suffix, the builders and, where it is wanted, the toolchain of the part.

    `settings` are those of `env.Tool('tinyml', TINYML_TARGET=...)`.
    """
    wait_for_other_builds(env)
    try:
        check_known(settings)
        env.Replace(**settings)
        set_defaults(env)
        use_toolchain(env, current_target(env))
    except TinymlError as error:
        raise UserError(str(error)) from error
    env.SetDefault(TINYML_AS=model.named_as)
    c_files, _ = createCFileBuilders(env)
    c_files.add_action(".tflite", model.COMPILE)
    c_files.add_emitter(".tflite", model.emit_outputs)
    for name in ("StaticObject", "StaticLibrary", "Program"):
        compare_with_record(env["BUILDERS"][name])
    env.AddMethod(library.tinyml_model, "TinymlModel")
    env.AddMethod(library.tinyml_library, "TinymlLibrary")
    env.AddMethod(firmware.tinyml_firmware, "TinymlFirmware")
    env.AddMethod(firmware.tinyml_test, "TinymlTest")
    env.AddMethod(firmware.tinyml_report, "TinymlReport")


def exists(env: Any) -> bool:
    """Whether the chosen part's compiler is here."""
    set_defaults(env)
    return find_program(current_target(env).toolchain.program("gcc")) is not None
