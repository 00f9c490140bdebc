"""The schema of a sensor's description, from the keys of `sensor/`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from generate.schemas.said import said
from tinyml_rules.sensor import event, raw_keys
from tinyml_rules.sensor.key import Key, Real, Word
from tinyml_rules.sensor.microfrontend_keys import MICROPHONE_KEYS, NEEDED_BY, Keys
from tinyml_rules.sensor.output import HEADS_OF, NEEDED, OUTPUT_KEYS

Schema = dict[str, Any]


def sensor_schema() -> Schema:
    """`[input]` and `[output]`, or a table for each tensor in them."""
    return {
        "type": "object",
        "minProperties": 1,
        "properties": {
            "input": _one_or_named("the raw values of a sensor, or a microphone", "input_table"),
            "output": _one_or_named("the decisions from an output", "output_table"),
        },
        "additionalProperties": False,
        "definitions": {
            "input_table": {
                "if": {"required": ["features"]},
                "then": {"$ref": "#/definitions/microphone"},
                "else": {"$ref": "#/definitions/raw_values"},
                "anyOf": _shown("microphone", "raw_values"),
            },
            "raw_values": _raw_values(),
            "microphone": _microphone(),
            "output_table": _output(),
        },
    }


def _one_or_named(text: str, table: str) -> Schema:
    """The table of the only tensor, or tables by the names of several."""
    of_one = {"$ref": f"#/definitions/{table}"}
    tables = {"minProperties": 1, "additionalProperties": {"type": "object"}}
    return {
        "description": f"{text}; of several tensors, a table for each by its name",
        "type": "object",
        "if": tables,
        "then": {"additionalProperties": of_one},
        "else": of_one,
        "anyOf": _shown(table),
    }


def _shown(*tables: str) -> list[Schema]:
    """Where Taplo looks for keys to complete, which is not in `if`; the empty schema takes all, so
    that a wrong value has the error of one table alone."""
    return [*({"$ref": f"#/definitions/{table}"} for table in tables), {}]


def _table(text: str, keys: Iterable[Key], required: str, rules: list[Schema]) -> Schema:
    """`rules`: of several keys, where Taplo does not look for the keys of the table."""
    return {
        "description": text,
        "type": "object",
        "properties": {key.name: _of(key) for key in keys},
        "required": [required],
        "additionalProperties": False,
        "dependencies": {required: {"allOf": rules}},
    }


def _of(key: Key) -> Schema:
    default = getattr(key, "default", None)
    if isinstance(key, Real) and key.default:
        default = float(key.default)
    words = key.meanings if isinstance(key, Word) else {}
    known = None if default == "" else default
    return said(key.shape, key.help, default=known, example=key.example, words=words)


def _raw_values() -> Schema:
    rules = [*_of_statistics(), *_of_packing()]
    return _table("the raw values of a sensor", raw_keys.INPUT_KEYS, "raw", rules)


def _of_packing() -> list[Schema]:
    """What means nothing with values that share bytes, and what they need."""
    pixels, pairs = list(raw_keys.PIXELS), list(raw_keys.PAIRS)
    in_pairs = [f"{sign}int{raw_keys.PAIR_BITS}" for sign in ("", "u")]
    needed: list[Schema] = [
        {
            "if": _is("raw", pixels),
            "then": {
                "required": ["channels"],
                "properties": {"channels": {"enum": list(raw_keys.PIXEL_CHANNELS)}},
            },
        },
        {"if": _is("storage", pairs), "then": {"properties": {"raw": {"enum": in_pairs}}}},
    ]
    none = {"not": {"anyOf": [_is("raw", pixels), _is("storage", pairs)]}}
    when = {
        packing: none if not packing else _is("raw" if packing.is_pixels else "storage", [packing])
        for packing in raw_keys.USELESS
    }
    return needed + [
        {"if": when[packing], "then": {"properties": dict.fromkeys(useless, False)}}
        for packing, useless in raw_keys.USELESS.items()
    ]


def _is(key: str, words: Sequence[str]) -> Schema:
    """A key that is there with one of some words."""
    return {"properties": {key: {"enum": list(words)}}, "required": [key]}


def _of_statistics() -> list[Schema]:
    statistics = {"mean": _any_of("std", "variance"), "std": ["mean"], "variance": ["mean"]}
    return [{"dependencies": statistics}, *_exclusive(raw_keys.EXCLUSIVE)]


def _microphone() -> Schema:
    rules: list[Schema] = [
        {
            "if": {"properties": {switch: {"const": False}}, "required": [switch]},
            "then": {"properties": dict.fromkeys(useless, False)},
        }
        for switch, useless in NEEDED_BY.items()
    ]
    rules += _of_statistics()
    rules.append({"dependencies": {Keys.pdm_order.name: [Keys.pdm_decimation.name]}})
    return _table("features of a microphone", MICROPHONE_KEYS, "features", rules)


def _output() -> Schema:
    for_heads: Schema = {
        key: {"properties": {"head": _has_one_of([head.value for head in heads])}}
        for key, heads in HEADS_OF.items()
    }
    needed = [
        {
            "if": {"properties": {"head": _has_one_of([head.value])}, "required": ["head"]},
            "then": {"required": [key]},
        }
        for head, key in NEEDED.items()
    ]
    period: Schema = {
        **{key: ["period_ms"] for key in event.TIMES},
        "period_ms": _any_of(*event.TIMES),
        "background": ["labels"],
    }
    rules: list[Schema] = [
        {"dependencies": for_heads},
        *needed,
        {"dependencies": period},
        *_exclusive(event.EXCLUSIVE),
    ]
    return _table("the decisions from an output", OUTPUT_KEYS, "head", rules)


def _has_one_of(heads: Sequence[str]) -> Schema:
    """One of the heads, or a list with one."""
    words = {"enum": list(heads)}
    return {"anyOf": [words, {"type": "array", "contains": words}]}


def _any_of(*keys: str) -> Schema:
    return {"anyOf": [{"required": [key]} for key in keys]}


def _exclusive(groups: Iterable[Sequence[str]]) -> list[Schema]:
    return [{"not": {"required": list(group)}} for group in groups]
