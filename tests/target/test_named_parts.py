"""Parts and boards by their names: what is compiled for them, with which memories, and what is said
of names that mean nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.package.kind import of_target
from tinyml_rules.request.request import Request
from tinyml_rules.target.part_table import BOARDS_FILE, load_parts
from tinyml_rules.target.parts import FLASH, RAM, room_of
from tinyml_rules.target.target import load_target, part_notes, target_names

BOARDS = tomllib.loads(BOARDS_FILE.read_text(encoding="utf-8"))


def test_every_part_is_a_target() -> None:
    """With the core of the one that the table has for it, and the memories of its own."""
    for part in load_parts():
        if part.name in target_names():
            continue
        found, base = load_target(part.name), load_target(part.target)
        assert (found.name, found.like) == (part.name, base.like or base.name)
        assert (found.features, found.toolchain) == (base.features, base.toolchain)
        assert found.test_memory == base.test_memory
        assert room_of(found) == {FLASH: part.flash_bytes, RAM: part.ram_bytes}


def test_every_board_is_a_target() -> None:
    """Under the board's name."""
    for part, boards in BOARDS["boards"].items():
        for board in boards:
            assert load_target(board).name == board
            assert room_of(load_target(board)) == room_of(load_target(part)), board


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uno", "uno: note: its atmega328p is compiled for as atmega328 (AVR, up to 64 kB of"),
        ("pico", "pico: note: compiled for as rp2040 (Cortex-M0+), with 2,097,152 bytes of flash"),
        ("nRF52840-DK", "nrf52840_dk: note: compiled for as nrf52840 (Cortex-M4F), with"),
        ("STM32F407VGT6", "stm32f407vg: note: compiled for as stm32f405 (Cortex-M4F), with"),
        ("bluepill", "bluepill: note: its stm32f103c8 is compiled for as stm32f103 (Cortex-M3), "),
    ],
)
def test_what_is_compiled_for_is_said(name: str, text: str) -> None:
    (note,) = part_notes(load_target(name))
    assert str(note).startswith(text)


def test_a_target_has_no_note() -> None:
    assert not part_notes(load_target("STM32F405"))


def test_what_is_of_another_product_is_left_out() -> None:
    """A programmer and further memories are those of the target's own part, in all packages."""
    assert load_target("pico").programmer == load_target("rp2040").programmer
    other = load_target("stm32f407vg")
    assert (other.programmer, other.power) == (None, None)
    assert other.memory
    assert not other.memory.regions
    with pytest.raises(Exception, match="nothing for 'stm32f407vg'"):
        of_target(other, {"stm32f405": 1}, ecosystem="X")
    assert of_target(load_target("uno"), {"atmega328": 1}, ecosystem="X") == 1


@pytest.mark.parametrize("core", BOARDS["without_target"])
def test_a_core_without_a_target(core: str) -> None:
    """It is refused by the name of its core, and no part of another core is offered."""
    for name in BOARDS["without_target"][core]:
        with pytest.raises(UsageError, match=f"no target has its core, {core}\n") as caught:
            load_target(name)
        assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("atmega382", "did you mean 'atmega328'?"),
        ("bluepil", "did you mean 'bluepill'?"),
        ("blueqill", "did you mean 'bluepill'?"),
        ("stm32f407", "name one of these parts: stm32f407ig, stm32f407ve, "),
        (
            "cortex-m33",
            "name one of the targets with such a core: nrf5340, nrf5340_network, rp2350",
        ),
        ("esp32c4", "the name of a part or a board is taken as well"),
        ("esp32s4", "the name of a part or a board is taken as well"),
        ("stm32f505rg", "the name of a part or a board is taken as well"),
    ],
)
def test_hint(name: str, hint: str) -> None:
    """A slip is mended; another digit or letter of a part's name is another part, perhaps with
    another core."""
    with pytest.raises(UsageError) as caught:
        load_target(name)
    assert f"\n  hint: {hint}" in str(caught.value)


def test_only_targets_that_are_there(tmp_path: Path) -> None:
    """A folder without the part's target knows no part of it."""
    with pytest.raises(UsageError, match="unknown target 'uno'"):
        load_target("uno", search=[tmp_path])


def test_the_same_c() -> None:
    """A part's C is that of its target; the report has its name, and what is said of it."""
    model = (PROJECT / "models/sine/sine.tflite").read_bytes()
    asked = Request(model, "sine", load_target("stm32f407vg"))
    other = Request(model, "sine", load_target("stm32f405"))
    found, expected = compile_model(asked), compile_model(other)
    text = expected.files["sine.c"].replace("stm32f405", "stm32f407vg")
    assert found.files["sine.c"] == text
    assert found.report.target == "stm32f407vg"
    assert [each.split(":")[1] for each in found.warnings] == [" note"]
