"""The tool itself: `Environment(tools=['default', 'tinyml'], TINYML_TARGET='atmega328')`.

SCons loads a tool under its bare name, so this file is called like the tool.  It imports only what
reading an SConstruct needs: a build with nothing to do never loads the compiler.
"""

from __future__ import annotations

import shutil
from typing import Any

from SCons.Errors import UserError
from SCons.Tool import createCFileBuilders

from tinyml_rules.errors import TinymlError
from tinyml_rules.frontends.scons import firmware, model
from tinyml_rules.frontends.scons.current import current_target
from tinyml_rules.frontends.scons.toolchain import use_toolchain

DEFAULTS = {
    "TINYML_TARGET": "host",
    "TINYML_TARGETS": [],
    "TINYML_SCHEDULE": "auto",
    "TINYML_PUSH_ROWS": False,
    "TINYML_RAM": None,
    "TINYML_ARENA": "static",
    "TINYML_PLACE": [],
    "TINYML_WEIGHTS": "flash",
    "TINYML_PAGE": 64,
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
targets; TINYML_SCHEDULE: `auto`, `layer` or `stream`; TINYML_RAM: a limit for the arena in bytes;
TINYML_PUSH_ROWS: the input comes a row at a time; TINYML_ARENA: `static`, `caller` or `shared`;
TINYML_PLACE: tensors in further regions, `TENSOR=REGION` each; TINYML_WEIGHTS: `flash`, or
`external` for a file that the firmware reads TINYML_PAGE bytes at a time; TINYML_CHECKED: dead
bytes are overwritten; TINYML_NAME: the prefix of the C symbols, else from the file's name."""


def generate(env: Any) -> None:
    """Add the suffix, the builders and, for a part other than the host, its toolchain."""
    env.SetDefault(**DEFAULTS)
    c_files, _ = createCFileBuilders(env)
    c_files.add_action(".tflite", model.COMPILE)
    c_files.add_emitter(".tflite", model.emit_outputs)
    try:
        target = current_target(env)
    except TinymlError as error:
        raise UserError(str(error)) from error
    use_toolchain(env, target)
    env.AddMethod(firmware.tinyml_firmware, "TinymlFirmware")
    env.AddMethod(firmware.tinyml_test, "TinymlTest")
    env.AddMethod(firmware.tinyml_model, "TinymlModel")


def exists(env: Any) -> bool:
    """Whether the chosen part's compiler is here."""
    env.SetDefault(**DEFAULTS)
    return shutil.which(current_target(env).toolchain.program("gcc")) is not None
