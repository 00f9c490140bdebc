"""Instructions of an FPU: with known bits each does as on the emulator, for all pairs of special
numbers, and what is said of unknown bits holds for all of them."""

from __future__ import annotations

from pathlib import Path

from tests.worst_case.test_processor import bounded

NUMBERS = (
    *("0, 0x80000000, 0x3f800000, 0xbfc00001, 0x7f800000, 0xff800000, 0x7fc12345, 0xff812345"),
    *(", 0x00000001, 0x807fffff, 0x7f7fffff, 0x4b000003, 0x4f000000, 0xcf000001, 0x3f000000"),
    ", 0x40700000",
)
"""Zeros, infinities, NaNs of both kinds, the smallest and the largest, halves between integers."""
COMPUTED = (
    *(f"v{each}.f32 s2, s0, s1" for each in ("add", "sub", "mul", "nmul", "div")),
    *(f"v{each}.f32 s2, s0, s1" for each in ("mla", "mls", "nmla", "nmls")),
    *(f"v{each}.f32 s2, s0, s1" for each in ("fma", "fms", "fnma", "fnms")),
    *(f"v{each}.f32 s2, s0" for each in ("mov", "abs", "neg", "sqrt")),
    *("vmov.f32 s2, #1.0", "vmov.f32 s2, #-13.5", "vmov.f32 s2, #0.1328125"),
    *(f"vcvt.f32.{each}32 s2, s0" for each in "su"),
    *(f"vcvt{way}.{each}32.f32 s2, s0" for way in ("", "r") for each in "su"),
    "vcmp.f32 s0, s1\\n vmrs %0, fpscr\\n lsr %0, %0, #28\\n vmov s2, %0",
    "vcmpe.f32 s0, #0.0\\n vmrs APSR_nzcv, fpscr\\n ite gt\\n vmovgt s2, s0\\n vaddle.f32 s2, s1",
    "vcmpe.f32 s1, s0\\n vmrs APSR_nzcv, fpscr\\n it mi\\n vsubmi.f32 s2, s1, s0",
    "vcmp.f32 s0, s1\\n vmrs APSR_nzcv, fpscr\\n bvs 1f\\n vmul.f32 s2, s0, s1\\n nop\\n 1:",
    "vmrs %0, fpscr\\n bic %0, %0, #31\\n vmsr fpscr, %0\\n vadd.f32 s2, s0, s0",
)
BEFORE = rf"""
static const uint32_t numbers[16] = {{{"".join(NUMBERS)}}};
#define REAL(text) {{ uint32_t d = h; \
    __asm__ volatile("vmov s0, %1\n vmov s1, %2\n vmov s2, %0\n " text "\n vmov %0, s2" \
                     : "+r"(d) : "r"(a), "r"(b) : "s0", "s1", "s2", "cc"); \
    h = ((h << 7 | h >> 25) ^ d) * 31 + 7; if (d & 4) h += 3; }}
"""


def text_of() -> str:
    """A function that uses its input in each of the instructions, and their results for its
    output."""
    lines = [
        "uint32_t x = (uint8_t)bad_value, h = 1;",
        "for (uint32_t n = 0; n < 2; n++) {",
        "    uint32_t a = n ? x * 0x9e3779b1u : numbers[x >> 4];",
        "    uint32_t b = n ? x * 0x85ebca6bu + 1 : numbers[x & 15];",
        *(f'    REAL("{each}")' for each in COMPUTED),
        "}",
        "bad_value = (int8_t)(h ^ h >> 8 ^ h >> 16 ^ h >> 24);",
    ]
    return "\n".join(lines)


def test_instructions(tmp_path: Path) -> None:
    """Outputs and counts for all inputs; no input takes more or less than the bounds."""
    bound, known, counted = bounded("nrf52840", tmp_path, BEFORE, text_of())
    assert [(each.most, each.least) for each in known.calls] == [(n, n) for n in counted]
    assert all(each.least <= min(counted) for each in bound.calls)
    assert all(each.most >= max(counted) for each in bound.calls)


def test_another_mode(tmp_path: Path) -> None:
    """Where numbers are not rounded to the nearest one, nothing is known of a result: the branch
    has two ways, of which only one is taken."""
    text = r"""
        uint32_t d;
        __asm__ volatile("vmrs %0, fpscr\n orr %0, %0, %1\n vmsr fpscr, %0\n"
                         "vmov.f32 s0, #1.0\n vadd.f32 s0, s0, s0\n vmov %0, s0\n"
                         "cmp %0, #0\n beq 1f\n adds %0, #1\n adds %0, #1\n adds %0, #1\n 1:"
                         : "=&l"(d) : "r"(MODE) : "s0", "cc");
        bad_value = (int8_t)(bad_value + 0 * (int8_t)d);
    """
    for mode, has_two in ((0, False), (1 << 22, True)):
        folder = tmp_path / str(mode)
        bound, _, counted = bounded("nrf52840", folder, f"#define MODE {mode}", text)
        assert (bound.calls[0].most != bound.calls[0].least) is has_two
        assert bound.calls[0].least <= min(counted) <= max(counted) <= bound.calls[0].most
