"""Parts and boards on sale: their memory, clock and core, and the target to compile for.

The tables next to this file are written by `generate/parts.py`, and name the source of each fact.
Standard library only, as in the rest of this room.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tinyml_rules.errors import UsageError, did_you_mean

PARTS_FILE = Path(__file__).with_name("parts.toml")
BOARDS_FILE = Path(__file__).with_name("boards.toml")
_ORDER_CODE = re.compile(r"(stm32\w{6}|gd32vf103\w{2})\w+")


@dataclass(frozen=True)
class Part:
    """One part: bytes of flash and of the main RAM; the clock is None where no source has it."""

    name: str
    core: str
    target: str
    flash_bytes: int
    ram_bytes: int
    clock_hz: int | None


def same_letters(name: str, other: str) -> int:
    """Length of the common beginning of both names."""
    pairs = enumerate(zip(name, other, strict=False))
    shortest = min(len(name), len(other))
    return next((place for place, (one, two) in pairs if one != two), shortest)


@cache
def load_parts() -> tuple[Part, ...]:
    """All parts, sorted by RAM, then by flash."""
    groups = tomllib.loads(PARTS_FILE.read_text(encoding="utf-8"))["group"]
    parts = [
        Part(name, group["core"], group["target"], flash, ram, clock or None)
        for group in groups
        for name, flash, ram, clock in group["parts"]
    ]
    return tuple(sorted(parts, key=lambda part: (part.ram_bytes, part.flash_bytes, part.name)))


def parts_named(beginnings: Sequence[str]) -> tuple[Part, ...]:
    """The parts whose names begin so; all if no beginning is given.  Raises UsageError for a
    beginning of no part."""
    parts = load_parts()
    wanted = [each.lower() for each in beginnings]
    for each in wanted:
        if not any(part.name.startswith(each) for part in parts):
            hint = did_you_mean(each, [part.name for part in parts])
            what = f"there is no part whose name begins with '{each}'"
            raise UsageError.at("parts", what, hint=hint)
    return tuple(part for part in parts if not wanted or part.name.startswith(tuple(wanted)))


def plain_name(name: str) -> str:
    """The spelling of targets, parts and boards in this package: `nrf52840_dk` for
    `nRF52840-DK`."""
    return re.sub(r"[- ]", "_", name.strip().lower())


def part_without_order_code(name: str) -> str:
    """The part's name without its maker's suffix for package and temperature range."""
    found = _ORDER_CODE.fullmatch(name)
    return found[1] if found else name


def find_part(name: str) -> Part | None:
    """The part with this name, or that of the board with this name; None if there is neither."""
    word = plain_name(name)
    names = (word, part_without_order_code(word), _board_table("boards").get(word, ""))
    parts = {part.name: part for part in load_parts()}
    return next((parts[each] for each in names if each in parts), None)


def name_with(part: Part, word: str) -> str:
    """The name of a part's target: that of its board if the user named the board, never an order
    code."""
    return word if word in _board_table("boards") else part.name


def core_without_target(name: str) -> str:
    """The core of a part or a board if it is not supported; "" for all others."""
    word = plain_name(name)
    known = _board_table("without_target")
    return known.get(word) or known.get(part_without_order_code(word), "")


def hint_for(name: str, targets: Iterable[str]) -> str:
    """The hint for an unknown name: the target, part or board that was meant, if a single typing
    mistake explains the difference.

    Parts with different cores may differ by one letter, so nothing is guessed from similarity
    alone, nor if names of several cores are equally near.
    """
    cores = {part.name: part.core for part in load_parts()}
    of_targets = {part.target: part.core for part in load_parts()}
    boards = {each: cores[part] for each, part in _board_table("boards").items()}
    known = {**_board_table("without_target"), **boards, **cores}
    known |= {each: of_targets.get(each, each) for each in targets}
    word = plain_name(name)
    near = [each for each in known if _is_slip(word, each)]
    if near and len({known[each] for each in near}) == 1:
        return did_you_mean(word, [each for each in near if each in of_targets] or near)
    if len(word) < _FAMILY:
        begun = sorted(each for each in targets if len(word) >= _FEWEST and each.startswith(word))
        return f"name one of these targets, or a part: {', '.join(begun)}" if begun else ""
    longer = sorted(part for part in cores if part.startswith(word))
    of_core = sorted(each for each, core in of_targets.items() if plain_name(core).startswith(word))
    found = longer or of_core
    what = "these parts" if longer else "the targets with such a core"
    return f"name one of {what}: {', '.join(found)}" if found else ""


_FEWEST = 4
"""Letters that a word has at least where it is taken for the name of a target."""
_FAMILY = 6
"""Letters of a name that identify at least the family of a part."""


def _is_slip(word: str, other: str) -> bool:
    """Whether one letter is missing, too many or, without digits, another; or two are exchanged."""
    if word == other or abs(len(word) - len(other)) > 1:
        return word == other
    same = same_letters(word, other)
    one, two = word[same:], other[same:]
    if one[1:] == two or one == two[1:]:
        return True
    if one[1::-1] == two[:2] and one[2:] == two[2:]:
        return True
    return not re.search(r"\d", word + other) and one[1:] == two[1:]


@cache
def _board_table(kind: str) -> Mapping[str, str]:
    """{board: part}, or {part or board: core without a target}."""
    table: dict[str, Any] = tomllib.loads(BOARDS_FILE.read_text(encoding="utf-8"))[kind]
    return dict(_turned(table))


def _turned(table: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    for one, names in table.items():
        for name in names:
            yield name, one
