"""A description with other values in the places of its own: what bytes that change rarely are."""

from __future__ import annotations

import json
import math
import random
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, -0.5, 1e308, math.inf, math.nan, 2**63, 10**400),
    *("", "a", "1e999", "nan", "9" * 400, "x" * 300, "\x00", "\x1b[31m", "two\nlines"),
    *([], [[]], ["a"], [1, 2, 3], {}, {"a": 1}),
)
MOST_CHANGES = 3


def with_odd_values(data: bytes, seed: int) -> bytes:
    """Some values gone, twice there or odd ones; bytes that say nothing stay as they are."""
    kind, text = data[:1], data[1:]
    generator = random.Random(seed)  # noqa: S311 - a fuzzer's choices
    try:
        values: Any = json.loads(text) if kind == b"r" else tomllib.loads(text.decode())
    except (ValueError, RecursionError):
        return data
    for _ in range(generator.randint(1, MOST_CHANGES)):
        _change(values, generator)
    made = json.dumps(values) if kind == b"r" else _toml_of(values)
    return kind + made.encode("utf-8", "replace")


def _change(values: Any, generator: random.Random) -> None:
    places = list(_places(values))
    if not places:
        return
    holder, key = generator.choice(places)
    choice = generator.random()
    if choice < 0.15 and isinstance(holder, dict):
        del holder[key]
    elif choice < 0.3 and isinstance(holder, list):
        holder.append(deepcopy(holder[key]))
    else:
        holder[key] = deepcopy(generator.choice(ODD))


def _places(values: Any) -> Iterator[tuple[Any, Any]]:
    """(a table or a list, a key or a position) of everything inside."""
    keys = list(values) if isinstance(values, dict) else range(len(values))
    for key in keys if isinstance(values, dict | list) else ():
        yield values, key
        if isinstance(values[key], dict | list):
            yield from _places(values[key])


def _toml_of(table: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(key)} = {_toml(value)}\n" for key, value in table.items())


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(k)} = {_toml(each)}' for k, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if value is None:
        return '""'
    return json.dumps(value) if isinstance(value, bool | str) else str(value)
