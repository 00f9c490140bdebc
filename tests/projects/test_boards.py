"""The boards that `init` names carry the part that the model is for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.support.hand_written import target_or_skip
from tinyml_rules.target.target import load_target

KINDS = PROJECT / "tinyml_rules" / "projects" / "kinds"
ARDUINO = Path("/usr/share/arduino/hardware/arduino/avr/boards.txt")


def boards(kind: str) -> dict[str, str]:
    """By target, as kind.toml has them."""
    text = (KINDS / kind / "kind.toml").read_text(encoding="utf-8")
    found: dict[str, str] = tomllib.loads(text)["boards"]
    return {target: board for target, board in found.items() if target and board}


def test_platformio() -> None:
    """As PlatformIO's own lists of boards have them, from which the table of boards is made."""
    named = {
        target: board.split()[1] for target, board in boards("platformio").items() if " " in board
    }
    assert len(named) > 10
    parts = {target: load_target(board) for target, board in named.items()}
    assert {each.part.target if each.part else each.name for each in parts.values()} == set(named)
    assert all(each.part is None or each.part.target == name for name, each in parts.items())


@pytest.mark.parametrize(
    "target", [name for name in boards("arduino") if name.startswith("atmega")]
)
def test_arduino(target: str) -> None:
    """By the list of boards of Arduino's core: the board's processor, or the one that is chosen."""
    target_or_skip("atmega328")
    _, _, name, *chosen = boards("arduino")[target].split(":")
    text = ARDUINO.read_text(encoding="utf-8")
    menus = re.findall(rf"^{name}\.menu\.(cpu\.\w+)\.build\.mcu=(\w+)$", text, re.M)
    own = re.findall(rf"^{name}\.build\.mcu=(\w+)$", text, re.M)
    by_choice = {word.replace(".", "="): part for word, part in menus}
    part = by_choice[chosen[0]] if chosen else [*own, *by_choice.values()][0]
    assert part.removesuffix("p") == target
