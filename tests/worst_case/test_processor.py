"""The abstract processors on small pieces of C, of which all 256 inputs can be run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.hand_written import CACHE, build_snippet, interface, target_or_skip
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.runners import run_image
from tinyml_rules.worst_case.bound import Bound
from tinyml_rules.worst_case.firmware import bound_of_firmware
from tinyml_rules.worst_case.image import bound_of_image

TARGETS = ("atmega1284p", "nrf51", "lm3s6965", "riscv32imc")
ALL = bytes(range(256))
MARK = r"""
#define TINYML_AT_MOST(count) __asm__ volatile(".Lmost%=:\n" \
    ".pushsection .debug_tinyml_at_most,\"\"\n.long .Lmost%=, " #count "\n.popsection" ::)
"""
HELD = "__attribute__((noinline, noclone)) "

EXACT: Mapping[str, tuple[str, str]] = {
    "a branch": ("", "if (bad_value > 3) bad_value = (int8_t)(bad_value * 3);"),
    "a branch inside of a branch": (
        "",
        "if (bad_value < 0) { if (bad_value & 1) bad_value ^= 5; else bad_value = 9; }",
    ),
    "a call in one way": (
        HELD + "static int8_t f(int8_t x) { return (int8_t)(x / 3); }",
        "if (bad_value == 7) bad_value = f(bad_value);",
    ),
    "memory that one way writes": (
        "static volatile uint8_t m[4];",
        "m[1] = 1; if (bad_value & 4) m[1] = 2; if (m[1] == 2) m[2] = 7; bad_value = (int8_t)m[1];",
    ),
    "a table of constants": (
        "static const int8_t BAD_FLASH t[4] = {1, -2, 3, -4};",
        "int x = t[bad_value & 3]; if (x < 0) bad_value = (int8_t)(x - 1);",
    ),
    "a loop that ends early": (
        "",
        "uint8_t n = 0; for (uint8_t i = 0; i < 9; i++) { if (bad_value == (int8_t)i) break; n++; }"
        "bad_value = (int8_t)n;",
    ),
    "a loop with a limit": (
        MARK,
        "uint8_t x = (uint8_t)bad_value | 1, n = 0;"
        "while ((x & 128) == 0) { x = (uint8_t)(x << 1); n++; TINYML_AT_MOST(7); }"
        "bad_value = (int8_t)(n + x);",
    ),
}
"""What is before the function and in it; some input takes the bound, and another one the least."""


def bounded(
    target_name: str, folder: Path, before: str, text: str
) -> tuple[Bound, Bound, list[int]]:
    """For any input; for all one after the other, with known bits; and what the emulator counts."""
    target = target_or_skip(target_name)
    image = build_snippet(target, folder, invoke=text, before=before)
    _, bound = bound_of_image(target, image, cache=CACHE)
    _, known = bound_of_image(target, image, input_bytes=ALL, cache=CACHE)
    run = run_image(target, image, ALL, cache=CACHE)
    assert known.output == run.output
    return bound, known, list(run.estimated_cycles or run.counts)


@pytest.mark.parametrize("target_name", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_exact(name: str, target_name: str, tmp_path: Path) -> None:
    """Both bounds are reached, and with known bits every count is the emulator's."""
    bound, known, counted = bounded(target_name, tmp_path, *EXACT[name])
    assert [each.most for each in known.calls] == counted
    assert [each.least for each in known.calls] == counted
    (call, *others) = bound.calls
    assert (call.most, call.least) == (max(counted), min(counted))
    assert all((each.most, each.least) == (call.most, call.least) for each in others)


REFUSED: Mapping[str, tuple[str, str, str]] = {
    "a jump to an address that is data": (
        "typedef void f_t(void); static f_t *volatile f;",
        "f = (f_t *)(uintptr_t)(uint16_t)(bad_value * 2); f();",
        r"bad_invoke at 0x[0-9a-f]+, .*: jumps to an address that depends on data",
    ),
    "a loop without a limit": (
        "",
        "uint16_t x = (uint8_t)bad_value; while (x > 1) x = x & 1 ? (uint16_t)(3 * x + 1) : x / 2;"
        "bad_value = (int8_t)x;",
        r"bad_invoke at 0x[0-9a-f]+, .*: a loop whose end depends on data",
    ),
    "a store to an address that is data": (
        "static volatile uint8_t m[4];",
        "*(volatile uint8_t *)(uintptr_t)(uint16_t)(bad_value * 257) = 1;",
        r"bad_invoke at 0x[0-9a-f]+, .*: stores to an address that depends on data",
    ),
}


@pytest.mark.parametrize("target_name", TARGETS)
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, target_name: str, tmp_path: Path) -> None:
    """An error names the function, the address and the instruction."""
    before, text, message = REFUSED[name]
    target = target_or_skip(target_name)
    image = build_snippet(target, tmp_path, invoke=text, before=before)
    with pytest.raises(UnsupportedError, match=message):
        bound_of_image(target, image, cache=CACHE)


@pytest.mark.parametrize("target_name", TARGETS)
def test_wrong_limit(target_name: str, tmp_path: Path) -> None:
    """A limit that a loop exceeds is found by a run with an input for which it does."""
    before, text = EXACT["a loop with a limit"]
    target = target_or_skip(target_name)
    image = build_snippet(target, tmp_path, invoke=text.replace("(7)", "(6)"), before=before)
    bound_of_image(target, image, input_bytes=bytes([2, 3]), cache=CACHE)
    with pytest.raises(UnsupportedError, match="more often than its limit of 6"):
        bound_of_image(target, image, input_bytes=bytes([2, 1]), cache=CACHE)


@pytest.mark.parametrize("target_name", (*TARGETS, "esp32c3"))
def test_firmware(target_name: str, tmp_path: Path) -> None:
    """From the model's function on for any other memory; a state that counts calls is looked
    at until it comes again.  The ESP32-C3 sees code elsewhere than constants."""
    target = target_or_skip(target_name)
    text = "if (++bad_count == 5) { bad_count = 0; bad_value = (int8_t)(bad_value / 7); }"
    image = build_snippet(
        target, tmp_path, invoke=text, before="static uint8_t bad_count;", kind="minimal"
    )
    model = interface("bad", {"bad_io": 1}, {"bad_io": 1})
    _, bound = bound_of_firmware(target, model, image.elf, arena_bytes=0, cache=CACHE)
    counts = [each.most for each in bound.calls]
    assert bound.repeats == len(counts) - 5
    assert counts[4] > max(counts[:4])
