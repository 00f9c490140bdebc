"""The schema of a model's file of options, from the rows of `request/options.py`."""

from __future__ import annotations

from typing import Any

from generate.schemas.said import said
from tinyml_rules.request.option import ENERGY, MOST_DIGITS, Kind, Option
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.options_file import TARGET

_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}}
_BYTES = f"[0-9]{{1,{MOST_DIGITS}}} ?([kKmM]([iI]?[bB])?)?"
"""A number of bytes in a text, as `10k`."""
_PAIRS = {"type": "array", "items": {"type": "string", "pattern": r"^[\s\S]+=[^=]+$"}}


def options_schema() -> dict[str, Any]:
    """Options at the top, and those for one target in a table of its name."""
    options = {name: _schema(option) for name, option in OPTIONS.items()}
    of_target = {
        "description": "options for this target, which take precedence over those above",
        "type": "object",
        "properties": {name: {"$ref": f"#/properties/{name}"} for name in options},
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            **options,
            TARGET: {
                "description": "tables [target.NAME] of options for one target",
                "type": "object",
                "additionalProperties": of_target,
            },
        },
        "additionalProperties": False,
    }


def _schema(option: Option) -> dict[str, Any]:
    example = {Kind.PAIRS: [option.metavar], Kind.FOLDERS: ["my_operators"], Kind.FILE: "s.toml"}
    return said(
        _shape(option),
        option.help,
        default=option.default if not option.kind.is_list else None,
        example=example.get(option.kind),
        words=option.choices,
    )


def _shape(option: Option) -> dict[str, Any]:
    if option.kind is Kind.WORD:
        return {"type": "string", "enum": list(option.choices)}
    if option.kind in (Kind.NUMBER, Kind.REAL):
        is_whole = option.kind is Kind.NUMBER
        most = option.most if option.most is not None or not is_whole else 10**MOST_DIGITS - 1
        limits = {"minimum": option.least, **({} if most is None else {"maximum": most})}
        return {"type": "integer" if is_whole else "number", **limits}
    shapes: dict[Kind, dict[str, Any]] = {
        Kind.SWITCH: {"type": "boolean"},
        Kind.PAIRS: _PAIRS,
        Kind.FOLDERS: _TEXTS,
        Kind.FILE: {"type": "string", "minLength": 1},
        Kind.TEXT: {"type": "string"},
        Kind.AMOUNT: {
            "anyOf": [
                {"type": "string", "pattern": f"^({'|'.join(option.choices)}|{_BYTES})$"},
                {"type": "integer", "minimum": option.least, "maximum": 10**MOST_DIGITS - 1},
            ]
        },
        Kind.ENERGY: {
            "type": ["string", "number"],
            "pattern": f"^\\s*{ENERGY.pattern}\\s*$",
            "minimum": 0,
        },
    }
    return shapes[option.kind]
