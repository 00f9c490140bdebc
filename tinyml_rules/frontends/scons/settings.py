"""Every construction variable of the tool: its default, and what it means."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.reporting.sizes import arrow
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.wording import worded
from tinyml_rules.target.target import HOST, Unchosen


@dataclass(frozen=True)
class Setting:
    """A construction variable; `meaning` is its line of the reference page."""

    name: str
    default: Any
    meaning: str


def variable_of(option: str) -> str:
    """The construction variable of an option of a compilation; None in it: as the file next to the
    model has it, else the default."""
    return f"TINYML_{option.upper()}"


_MODEL = (
    Setting(
        "TINYML_TARGET",
        Unchosen(HOST),
        "target, part or board that models are compiled for; must be set if CC is a cross compiler",
    ),
    Setting("TINYML_TARGETS", [], "folders with targets of your own"),
    Setting("TINYML_NAME", None, "prefix of every C symbol; `None`: from the file's name"),
    *(Setting(variable_of(option.name), None, option.meaning("`")) for option in OPTIONS.values()),
)
"""The settings that decide the generated C."""

_BUILD = (
    Setting(
        "TINYML_TOOLCHAIN",
        "auto",
        "`target`: use the part's compiler, flags, linker script and startup code; `environment`: "
        "leave all as you have it; `auto`: `environment` if CC already is a cross compiler, else "
        "`target`",
    ),
    Setting(
        "TINYML_ACCURACY",
        None,
        "`{'vectors': 'labelled.npz', 'min': 0.9}`: fail if a model is right less often "
        "([an accuracy budget](../how-to/accuracy.md))",
    ),
    Setting(
        "TINYML_NESTING",
        {},
        "`{'handler': times}`: how deep an interrupt handler can nest, for those that enable "
        "interrupts",
    ),
)
_MESSAGES = (
    Setting(
        "TINYML_COMSTR",
        "TINYML  ${SOURCE.file}$TINYML_AS $TINYML_ARROW $TINYML_TARGET$TINYML_FIGURES",
        "printed after compiling a model",
    ),
    Setting(
        "TINYML_MAINCOMSTR", "MAIN    $TARGET", "printed when the main() of an image is written"
    ),
    Setting(
        "TINYML_LINKCOMSTR", "LINK    $TARGET$TINYML_FIGURES", "printed after linking an image"
    ),
    Setting(
        "TINYML_SIZECOMSTR",
        "SIZE    $TARGET$TINYML_FIGURES",
        "printed after linking with env.Program",
    ),
    Setting(
        "TINYML_OBJCOPYCOMSTR",
        "OBJCOPY $TARGET",
        "printed when the file for the part's programmer is written",
    ),
    Setting("TINYML_RUNCOMSTR", "RUN     $TARGET$TINYML_FIGURES", "printed after an image has run"),
    Setting(
        "TINYML_ACCURACYCOMSTR",
        "ACCURACY ${SOURCE.file}$TINYML_FIGURES",
        "printed after judging a model's accuracy",
    ),
    Setting("TINYML_QUANTIZECOMSTR", "QUANTIZE $TARGET", "printed when a float model is quantized"),
    Setting(
        "TINYML_TESTCOMSTR",
        "TEST    $TARGET$TINYML_FIGURES",
        "printed after a test on the part's runner",
    ),
    Setting(
        "TINYML_MANIFESTCOMSTR",
        "MANIFEST $TARGET",
        "printed when a manifest is written",
    ),
    Setting("TINYML_REPORTCOMSTR", "REPORT  $TARGET", "printed when a report is written"),
)
_OF_THE_TOOL = (
    *("TINYML_KIND", "TINYML_FIGURES", "TINYML_ARROW", "TINYML_STACK_USAGE"),
    *("TINYML_SPELLING", "TINYML_AS", "TINYML_HEADERS"),
    *("TINYML_CFLAGS", "TINYML_CCFLAGS", "TINYML_LINKFLAGS", "TINYML_LIBFLAGS", "TINYML_LINKCOM"),
    *("TINYML_LIBC", "TINYML_LITERAL", "TINYML_BOUNDS", "TINYML_QUANTIZE"),
)
"""Set by the tool itself: for a step, for a message, and as the part's toolchain; by a front
end on top of it: how its users write settings."""

SETTINGS = (*_MODEL, *_BUILD, *_MESSAGES)
MODEL_VARIABLES = tuple(setting.name for setting in _MODEL)


def set_defaults(env: Any) -> None:
    """Give every setting that the environment lacks its default; UsageError for an unknown one."""
    check_known(name for name in env.Dictionary() if name.startswith("TINYML_"))
    env.SetDefault(**{setting.name: copy(setting.default) for setting in SETTINGS})
    env.SetDefault(TINYML_SPELLING="scons")
    env.SetDefault(TINYML_HEADERS={})  # name -> the model that it is made of
    env.SetDefault(TINYML_ARROW=arrow(sys.stdout))


def in_words_of(env: Any, error: Exception | str) -> str:
    """The text of an error or of a warning with the environment's own names for options of the
    command line."""
    return worded(str(error), env.get("TINYML_SPELLING", "scons"))


def check_known(names: Iterable[str]) -> None:
    """Raise UsageError for a name that is no setting."""
    known = [setting.name for setting in SETTINGS]
    for name in names:
        if name not in known and name not in _OF_THE_TOOL:
            what = f"unknown construction variable '{name}'"
            raise UsageError.at("tinyml", what, hint=did_you_mean(name, known))
