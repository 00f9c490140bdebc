"""The schema of a target.toml, from the keys of `target/keys.py`."""

from __future__ import annotations

from typing import Any

from generate.schemas.said import said
from tinyml_rules.target.keys import TARGET, Key, Keys

_SHAPES: dict[type, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number", "minimum": 0},
}


def target_schema() -> dict[str, Any]:
    """The whole file."""
    return _of_table(TARGET)


def _of_table(keys: Keys) -> dict[str, Any]:
    known = {name: _of(each) for name, each in keys.known.items()}
    names: dict[str, Any] = {}
    if keys.names:
        names = {"propertyNames": {"enum": sorted({*keys.known, *keys.names})}}
    elif keys.name_pattern:
        names = {"propertyNames": {"pattern": f"^(?:{keys.name_pattern})$"}, "minProperties": 1}
    return {
        "description": keys.help,
        "type": "object",
        **({"properties": known} if known else {}),
        **names,
        "additionalProperties": False if keys.others is None else _of(keys.others),
    }


def _of(each: Key | Keys) -> dict[str, Any]:
    return _of_table(each) if isinstance(each, Keys) else _of_value(each)


def _of_value(key: Key) -> dict[str, Any]:
    words = {"enum": list(key.words)} if key.words else {}
    pattern = {"pattern": f"^(?:{key.pattern})$"} if key.pattern else {}
    if key.kind is list:
        shape = {"type": "array", "items": {"type": "string", **words}}
    else:
        shape = {**_SHAPES[key.kind], **words, **pattern}
    return said(shape, key.help, example=key.example, words=key.words)
