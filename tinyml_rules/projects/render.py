"""Fills the templates of projects: those of a kind, and those that all kinds have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from tinyml_rules.projects.kind import Kind
from tinyml_rules.projects.part import Part
from tinyml_rules.system.templates import templates
from tinyml_rules.target.target import Target

_HERE = Path(__file__).resolve().parent
FIRMWARE = "firmware"
"""What the program of a new project is called."""
VECTORS = "vectors.npz"
_CPU = "-mcpu="
_NAME = "NAME"
"""The model's name, in the path of a template."""


@dataclass(frozen=True)
class Words:
    """What templates speak of: the model's C name, its path from the build file, the target as the
    user calls it, the program."""

    name: str
    model: str
    target: str
    firmware: str = FIRMWARE
    test: str = VECTORS
    """The path of the vectors; empty where there are none."""
    part: Part = field(default_factory=Part)
    board: str = ""
    core: str = ""
    """The target with a folder of its own, whose C the part or board runs."""


def words_of(kind: Kind, target: Target, words: Words) -> dict[str, Any]:
    """The names that a template knows."""
    values = {field: getattr(words, field) for field in words.__dataclass_fields__}
    cpu = [each for each in target.toolchain.machine_flags if each.startswith(_CPU)]
    return {
        **values,
        "macro": words.name.upper(),
        "kind": kind,
        "is_host": target.memory is None,
        "cpu": "".join(cpu).removeprefix(_CPU),
    }


def filled(kind: Kind, part: str, values: Mapping[str, Any], *, only: str = "") -> dict[str, str]:
    """{path: text} of the kind's `files` or `lines`, or of one of them."""
    found = {}
    for path, file in kind.templates(part).items():
        if only not in ("", path):
            continue
        name = file.relative_to(_HERE.parent).as_posix()
        text = _environment().get_template(name).render(values)
        if text.strip():  # a template that is empty is a file that this target has not
            found[path.replace(_NAME, str(values["name"]))] = text
    return found


def commands_of(kind: Kind, values: Mapping[str, Any]) -> tuple[str, ...]:
    """What builds and tests a new project."""
    filled = (filled_text(each, values) for each in kind.commands)
    return tuple(each for each in filled if each)


def shared(template: str, values: Mapping[str, Any]) -> str:
    """The text of a file that all kinds have."""
    return _environment().get_template(f"projects/templates/{template}").render(values)


def filled_text(text: str, values: Mapping[str, Any]) -> str:
    """A template that is not in a file of its own."""
    return _environment().from_string(text).render(values)


@cache
def _environment() -> jinja2.Environment:
    # what an example does with a model is said by the packages' templates
    return templates([_HERE.parent, _HERE.parent / "package" / "templates"], escapes=False)
