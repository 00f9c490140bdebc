"""Skips over ADIW and SBIW on simavr, which by itself takes some of them for two words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hand_written import build_snippet, target_or_skip
from tests.support.javascript import run_twice
from tinyml_rules.runners.simavr_skips import wrong_skips

SKIPS = ("cpse r18, r19", "sbrc r18, 7", "sbrs r18, 7", "sbic 5, 7", "sbis 5, 7")
"""By a value, or by PORTB, which is given it."""
TAKEN_FOR_TWO = ("adiw r24, 12", "adiw r30, 63", "sbiw r26, 29")
TAKEN_FOR_ONE = ("adiw r24, 11", "sbiw r26, 48")
FAR = "lds r20, bad_value"
"""Of two words indeed, the second of which looks like a skip in a program that has it there."""
CLOBBERED = ", ".join(f'"r{number}"' for number in (*range(18, 28), 30, 31))


def program() -> str:
    """Every skip over every instruction, and one that has to run after it; all that they leave goes
    into the value."""
    lines = ["lds r18, bad_value", "out 5, r18", "clr r19", "clr r22"]
    for skip in SKIPS:
        for skipped in (*TAKEN_FOR_TWO, *TAKEN_FOR_ONE, FAR):
            for register in ("r20", "r24", "r26", "r30"):
                lines.append(f"ldi {register}, 100")
            lines += [skip, skipped, "inc r22", "lsl r22", "adc r22, r19"]
            lines += [f"add r22, {register}" for register in ("r20", "r24", "r26", "r30")]
    # who jumps to what a skip has just passed over runs it
    lines += ["ldi r24, 1", "clr r25", "clr r20", "sbrs r20, 0", "1: adiw r24, 15"]
    lines += ["inc r20", "cpi r20, 1", "breq 1b", "add r22, r24", "sts bad_value, r22"]
    return "".join(f'"{line}\\n\\t"' for line in lines)


@pytest.mark.parametrize("target_name", ["atmega328", "atmega2560"])
def test_as_the_chip(target_name: str, tmp_path: Path) -> None:
    """Results and cycles of avr8js, for values for which each skip is taken and is not."""
    target = target_or_skip(target_name)
    invoke = f'__asm__ volatile({program()} ::: {CLOBBERED}, "memory");'
    image = build_snippet(target, tmp_path, invoke=invoke)
    assert len(wrong_skips(image.elf)) == len(SKIPS) * len(TAKEN_FOR_TWO) + 1
    outputs = run_twice(target, image, bytes((0, 0x80, 0, 0x7F))).output
    assert outputs[0] == outputs[2]
    assert outputs[0] != outputs[1]


def test_constants_are_no_skips(tmp_path: Path) -> None:
    """Words among data, or the second one of an instruction, are left as they are."""
    target = target_or_skip("atmega328")
    before = "static const BAD_FLASH uint16_t bad_words[] = {0xfc17, 0x960c, 0x1012, 0x961f};"
    invoke = """
    volatile uint8_t place = (uint8_t)bad_value;
    bad_value = (int8_t)(bad_words[place / 2] >> (place % 2 * 8));
    __asm__ volatile("rjmp 1f\\n\\tcall 2 * 0x1012\\n\\tadiw r24, 12\\n1:" ::: "r24", "r25");
"""
    image = build_snippet(target, tmp_path, before=before, invoke=invoke)
    assert wrong_skips(image.elf) == ()
    words = (0xFC17, 0x960C, 0x1012, 0x961F)
    outputs = run_twice(target, image, bytes(range(8))).output
    assert outputs == b"".join(word.to_bytes(2, "little") for word in words)
