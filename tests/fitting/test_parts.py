"""The table of parts, beside those who know: avr-libc, our own targets, ST's order codes."""

from __future__ import annotations

from collections import Counter

import pytest

from generate.parts import TARGETS, avr_memories
from tests.support.hand_written import target_or_skip
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.features import Feature
from tinyml_rules.target.part_table import load_parts, parts_named
from tinyml_rules.target.parts import FLASH, RAM, room_of
from tinyml_rules.target.target import load_target, target_names

PARTS = load_parts()
NOT_SOLD = {
    *("host", "riscv32imc", "riscv32imcb", "xtensa_lx6", "mps2_an505", "mps3_an547", "lm3s6965"),
}
"""Targets that are a core, a board of Arm's, or a part that is no longer made."""
SIZES = {"4": 16, "6": 32, "8": 64, "b": 128, "c": 256, "d": 384, "e": 512, "g": 1024, "i": 2048}


def test_there_are_many() -> None:
    """Each once, the one with the least RAM first, of every core that is compiled for."""
    assert len(PARTS) >= 250
    assert Counter(part.name for part in PARTS).most_common(1)[0][1] == 1
    assert [part.ram_bytes for part in PARTS] == sorted(part.ram_bytes for part in PARTS)
    assert {part.core for part in PARTS} == set(TARGETS) - {"Cortex-M55 with Helium"}


def test_avr() -> None:
    """Both memories are those of the headers, whose compiler also tells of a multiplier."""
    target_or_skip("atmega328")
    avr = [part for part in PARTS if part.core.startswith("AVR")]
    assert len(avr) >= 100
    wrong = [
        part.name for part in avr if avr_memories(part.name) != (part.flash_bytes, part.ram_bytes)
    ]
    assert wrong == []


def test_the_target_of_a_part_has_its_core() -> None:
    """An AVR's target has far flash where the part has, and a part that is a target is its own."""
    for part in PARTS:
        target = load_target(part.target)
        assert target.name in TARGETS[part.core]
        if target.architecture == "avr":
            assert (Feature.FAR_FLASH in target.features) == (part.flash_bytes > 65_536)
    named = {part.name: part.target for part in PARTS}
    assert all(named[name] == name for name in target_names() if name in named)


@pytest.mark.parametrize("name", [name for name in target_names() if name not in NOT_SOLD])
def test_our_own_targets(name: str) -> None:
    """What their files say of the memories, the table says of a part of that name."""
    beginning = {"nrf51": "nrf51822", "atmega328": "atmega328p"}.get(name, name)
    room = room_of(load_target(name))
    found = {
        (part.flash_bytes, part.ram_bytes) for part in PARTS if part.name.startswith(beginning)
    }
    assert (room[FLASH], room[RAM]) in found, found


def test_order_codes_of_st() -> None:
    """The letter behind the pins is the flash."""
    for part in PARTS:
        if part.name.startswith("stm32") and part.name[-1] in SIZES:
            assert part.flash_bytes == SIZES[part.name[-1]] * 1024, part.name


def test_names() -> None:
    """A beginning chooses; one of no part is an error with the closest."""
    assert {part.name[:6] for part in parts_named(["NRF528"])} == {"nrf528"}
    with pytest.raises(UsageError, match="no part whose name begins with 'atmega382'") as error:
        parts_named(["atmega382"])
    assert "did you mean 'atmega32'" in str(error.value)
