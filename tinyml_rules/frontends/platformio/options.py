"""The options custom_tinyml_* of platformio.ini -> construction variables of the SCons tool.

Knows nothing of SCons and PlatformIO but the form of their values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.request.option import words_of
from tinyml_rules.request.options import OPTIONS as COMPILATION
from tinyml_rules.target.compilers import TARGETS_OF_MCUS, likely_targets
from tinyml_rules.target.part_table import find_part
from tinyml_rules.target.target import default_search

PREFIX = "custom_tinyml_"
"""PlatformIO leaves options that begin with custom_ to scripts."""


@dataclass(frozen=True)
class Settings:
    """The settings of an environment of platformio.ini."""

    models: tuple[str, ...]
    """Paths from the project's folder."""
    variables: Mapping[str, Any]
    """Construction variables."""
    names: tuple[str, ...] = ()
    """The prefix of C symbols of each model."""


def read_settings(
    options: Mapping[str, str], *, where: str, platform: str, mcu: str, cpu: str = ""
) -> Settings:
    """Judge all options of an environment; raises UsageError.

    `platform` and `mcu` decide the target where no option does; "" for a board without one.
    `cpu`: the core, as boards with an Arm name it, for an error's hint.
    """
    values = {}
    for option, text in options.items():
        if option.startswith(PREFIX):
            values[option] = _reader(option, where)(text.strip(), f"{where} {option}")
    models = values.pop(f"{PREFIX}models", None)
    if models is None:
        raise UsageError.at(where, f"no {PREFIX}models, expected the .tflite files to compile")
    names = _names(models, values.pop(f"{PREFIX}name", ()), where)
    if f"{PREFIX}target" not in values:
        values[f"{PREFIX}target"] = _target_of(platform, mcu, cpu, where)
    variables = {option.removeprefix("custom_").upper(): value for option, value in values.items()}
    return Settings(models, variables, names)


def _names(models: tuple[str, ...], given: tuple[str, ...], where: str) -> tuple[str, ...]:
    """The prefix of each model's C symbols; raises UsageError for two that are the same."""
    if given and len(given) != len(models):
        what = (
            f"{PREFIX}name has {len(given)} names for {len(models)} models, expected one for each"
        )
        raise UsageError.at(where, what, hint="without it, each is named after its file")
    names = given or tuple(identifier(PurePath(model).stem) for model in models)
    for number, name in enumerate(names):
        if name in names[:number]:
            what = f"{models[names.index(name)]} and {models[number]} are both called '{name}'"
            raise UsageError.at(where, what, hint=f"set {PREFIX}name to one name for each model")
    return names


def _target_of(platform: str, mcu: str, cpu: str, where: str) -> str:
    if platform == "native":
        return "host"
    if mcu not in TARGETS_OF_MCUS and find_part(mcu) is None:
        what = f"no target is known for the mcu '{mcu}'" if mcu else "the board has no build.mcu"
        hint = f"set {PREFIX}target; `tinyml_rules targets` lists what there is"
        machine = "arm" if cpu.startswith("cortex-m") else "avr" if mcu.startswith("atmega") else ""
        likely = likely_targets([f"{machine}-gcc", f"-mcpu={cpu}"], default_search())
        if machine and likely:
            hint += f"; of such a core are {', '.join(likely)}"
        raise UsageError.at(where, what, hint=hint)
    return TARGETS_OF_MCUS.get(mcu, mcu)


def _reader(option: str, where: str) -> Callable[[str, str], Any]:
    if option not in OPTIONS:
        what = f"unknown option '{option}', expected one of {', '.join(OPTIONS)}"
        raise UsageError.at(where, what, hint=did_you_mean(option, list(OPTIONS)))
    return OPTIONS[option]


def _word(text: str, where: str) -> str:
    if not text:
        raise UsageError.at(where, "found nothing, expected a word")
    return text


def _words(text: str, where: str) -> tuple[str, ...]:  # noqa: ARG001 - one form for all readers
    return words_of(text)


OPTIONS: dict[str, Callable[[str, str], Any]] = {
    f"{PREFIX}models": _words,
    f"{PREFIX}target": _word,
    f"{PREFIX}targets": _words,
    f"{PREFIX}name": _words,
    **{f"{PREFIX}{name}": option.read for name, option in COMPILATION.items()},
}
"""Every option with what reads its text; apart from the models, all are the SCons tool's."""
