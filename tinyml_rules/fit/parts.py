"""Parts that one can buy: what is in them, and what to compile for.

The table beside this file is made by a script, which names whom it has each fact from.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.errors import UsageError, did_you_mean

PARTS_FILE = Path(__file__).with_name("parts.toml")


@dataclass(frozen=True)
class Part:
    """One part: bytes of flash and of the main RAM; the clock is None where nobody told it."""

    name: str
    core: str
    target: str
    flash_bytes: int
    ram_bytes: int
    clock_hz: int | None


def same_letters(name: str, other: str) -> int:
    """With how many letters both begin."""
    pairs = enumerate(zip(name, other, strict=False))
    shortest = min(len(name), len(other))
    return next((place for place, (one, two) in pairs if one != two), shortest)


def load_parts() -> tuple[Part, ...]:
    """All of them, the one with the least RAM first, of equal ones that with the least flash."""
    groups = tomllib.loads(PARTS_FILE.read_text(encoding="utf-8"))["group"]
    parts = [
        Part(name, group["core"], group["target"], flash, ram, clock or None)
        for group in groups
        for name, flash, ram, clock in group["parts"]
    ]
    return tuple(sorted(parts, key=lambda part: (part.ram_bytes, part.flash_bytes, part.name)))


def parts_named(beginnings: Sequence[str]) -> tuple[Part, ...]:
    """Those whose names begin so; all without a beginning.  Raises UsageError where one is that of
    no part."""
    parts = load_parts()
    wanted = [each.lower() for each in beginnings]
    for each in wanted:
        if not any(part.name.startswith(each) for part in parts):
            hint = did_you_mean(each, [part.name for part in parts])
            what = f"there is no part whose name begins with '{each}'"
            raise UsageError.at("parts", what, hint=hint)
    return tuple(part for part in parts if not wanted or part.name.startswith(tuple(wanted)))
