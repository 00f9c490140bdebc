"""The tool itself: `Environment(tools=['default', 'tinyml'], TINYML_TARGET='atmega328')`.

SCons loads a tool under its bare name, so this file is called like the tool.  It imports only what
reading an SConstruct needs: a build with nothing to do never loads the compiler.
"""

from __future__ import annotations

import shutil
from typing import Any

from SCons.Tool import createCFileBuilders

from tinyml_rules.frontends.scons import firmware, model
from tinyml_rules.frontends.scons.toolchain import current_target, use_toolchain

DEFAULTS = {
    "TINYML_TARGET": "host",
    "TINYML_TARGETS": [],
    "TINYML_SCHEDULE": "auto",
    "TINYML_PUSH_ROWS": False,
    "TINYML_CHECKED": False,
    "TINYML_COMSTR": "TINYML  ${SOURCE.file} -> $TINYML_TARGET",
    "TINYML_MAINCOMSTR": "MAIN    $TARGET",
    "TINYML_LINKCOMSTR": "LINK    $TARGET",
    "TINYML_OBJCOPYCOMSTR": "OBJCOPY $TARGET",
    "TINYML_RUNCOMSTR": "RUN     $TARGET",
    "TINYML_TESTCOMSTR": "TEST    $TARGET",
    "TINYML_REPORTCOMSTR": "REPORT  $TARGET",
}
"""Every setting with its default.  TINYML_TARGET: the part; TINYML_TARGETS: folders of further
targets; TINYML_SCHEDULE: `auto` or `layer`; TINYML_PUSH_ROWS: the input
comes a row at a time; TINYML_CHECKED: dead bytes are overwritten; TINYML_NAME, unset: the prefix
of the C symbols, else from the file name."""


def generate(env: Any) -> None:
    """Add the suffix, the builders and, for a part other than the host, its toolchain."""
    env.SetDefault(**DEFAULTS)
    c_files, _ = createCFileBuilders(env)
    c_files.add_action(".tflite", model.COMPILE)
    c_files.add_emitter(".tflite", model.emit_outputs)
    use_toolchain(env, current_target(env))
    env.AddMethod(firmware.tinyml_firmware, "TinymlFirmware")
    env.AddMethod(firmware.tinyml_test, "TinymlTest")
    env.AddMethod(firmware.tinyml_model, "TinymlModel")


def exists(env: Any) -> bool:
    """Whether the chosen part's compiler is here."""
    env.SetDefault(**DEFAULTS)
    return shutil.which(current_target(env).toolchain.program("gcc")) is not None
