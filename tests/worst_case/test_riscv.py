"""Every instruction of RV32IMC, Zba and Zbb: with known bits as on the emulator, and what is said
of a result with unknown bits is true of every number that there can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hand_written import CACHE, build_snippet, target_or_skip
from tests.worst_case.harness import run_harness
from tests.worst_case.test_processor import MARK
from tinyml_rules.runners import run_image
from tinyml_rules.worst_case.image import bound_of_image
from tinyml_rules.worst_case.limits import limits_of
from tinyml_rules.worst_case.program import read_program

OF_TWO = (
    *("add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and"),
    *("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"),
)
OF_A_NUMBER = (
    *(f"{name} %0, %1, -77" for name in ("addi", "slti", "sltiu", "xori", "ori", "andi")),
    *(f"{name} %0, %1, 13" for name in ("slli", "srli", "srai")),
    *("lui %0, 0xfedcb", "li %0, -3", "mv %0, %1", "slli %0, %1, 31", "srai %0, %1, 31"),
)
BRANCHES = ("beq", "bne", "blt", "bge", "bltu", "bgeu")
MANIPULATION_OF_TWO = (
    *("sh1add", "sh2add", "sh3add", "andn", "orn", "xnor"),
    *("min", "minu", "max", "maxu", "rol", "ror"),
)
MANIPULATION_OF_ONE = (
    *("clz %0, %1", "ctz %0, %1", "cpop %0, %1", "sext.b %0, %1", "sext.h %0, %1"),
    *("zext.h %0, %1", "orc.b %0, %1", "rev8 %0, %1", "rori %0, %1, 7"),
)
OPERATIONS = {
    "riscv32imc": (OF_TWO, OF_A_NUMBER),
    "riscv32imcb": (MANIPULATION_OF_TWO, MANIPULATION_OF_ONE),
}
LOADS_AND_STORES = (
    "sw %1, 0(%2); sb %1, 1(%2); lh %0, 0(%2)",
    "sw %1, 4(%2); sh %1, 6(%2); lw %0, 4(%2)",
    "sw %1, 0(%2); lb %0, 3(%2)",
    "sw %1, 0(%2); lbu %0, 3(%2)",
    "sw %1, 0(%2); lhu %0, 2(%2)",
)


def snippet(target_name: str) -> tuple[str, str]:
    """What is before the function and in it: all of them on extremes and the input, folded into
    one byte."""
    of_two, others = OPERATIONS[target_name]
    texts = [
        *(f"{name} %0, %1, %2" for name in of_two),
        *others,
        *(f"li %0, 1; {name} %1, %2, 1f; li %0, 5; 1:" for name in BRANCHES),
    ]
    folded = "".join(
        f'__asm__ volatile("{text}" : "=&r"(x) : "r"(a), "r"(b)); fold(x);' for text in texts
    )
    accesses = "".join(
        f'__asm__ volatile("{text}" : "=&r"(x) : "r"(a), "r"(m) : "memory"); fold(x);'
        for text in LOADS_AND_STORES
    )
    before = f"""
static uint32_t folded;
static void fold(uint32_t x) {{ folded = (folded << 5 | folded >> 27) ^ x; }}
static const uint32_t extremes[] = {{0, 1, 127, 0x8000, 0x7fffffff, 0x80000000, -2u, -1u}};
static __attribute__((noinline)) void all(uint32_t a, uint32_t b) {{
    static uint32_t m[2];
    uint32_t x;
    {folded}{accesses}
}}
"""
    text = """
    const uint32_t x = (uint8_t)bad_value * 0x01020408u;
    folded = 0;
    for (int i = 0; i < 8; i++) {
        all(x, extremes[i]);
        all(extremes[i], x);
        all(extremes[i], extremes[7 - i]);
        all(extremes[i] ^ x, extremes[i]);
    }
    bad_value = (int8_t)(folded ^ folded >> 8 ^ folded >> 16 ^ folded >> 24);
"""
    return before, text


@pytest.mark.parametrize("target_name", OPERATIONS)
def test_instructions(target_name: str, tmp_path: Path) -> None:
    """Outputs and counts are the emulator's."""
    target = target_or_skip(target_name)
    before, text = snippet(target_name)
    image = build_snippet(target, tmp_path, invoke=text, before=before)
    samples = bytes(range(0, 256, 3))
    _, known = bound_of_image(target, image, input_bytes=samples, cache=CACHE)
    run = run_image(target, image, samples, cache=CACHE)
    assert known.output == run.output
    assert len(set(run.output)) > 1
    assert [each.most for each in known.calls] == list(run.estimated_cycles)


def test_no_limit_without_a_loop(tmp_path: Path) -> None:
    """Branches backwards that are of no loop, of which libgcc has more than there are limits, get
    none: those of templates are left for."""
    target = target_or_skip("riscv32imc")
    before = f"static volatile double d = 3.0, e = 7.0;\n{MARK}"
    text = (
        "d = d / e + d * e - (double)bad_value; uint8_t x = (uint8_t)bad_value | 1;"
        "while ((x & 128) == 0) { x = (uint8_t)(x << 1); TINYML_AT_MOST(7); }"
        "bad_value = (int8_t)x;"
    )
    program = read_program(target, build_snippet(target, tmp_path, invoke=text, before=before).elf)
    assert [each.most for each in limits_of(program)] == [7]


HARNESS = r"""
#define main bound_main
#include "riscv_bound.c"
#undef main

static uint32_t random_word(void) {
    static uint64_t seed = 7;
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 32);
}

/* Often all ones or all zeros but for a few bits: at such numbers results change. */
static uint32_t random_mask(void) {
    const uint32_t few = random_word() & random_word() & random_word();
    switch (random_word() % 5) {
    case 0:
        return few;
    case 1:
        return ~few;
    case 2:
        return 0;
    case 3:
        return UINT32_MAX >> (random_word() & 31);
    default:
        return random_word();
    }
}

static bool is_in(uint32_t number, bits_t a) {
    return (a.value & a.unknown) == 0 && can_be(a, number) && number >= least_unsigned(a, 32)
           && number <= most_unsigned(a, 32);
}

/* Of every other one a range is known too, in which `inside` is. */
static bits_t random_bits(uint32_t *inside) {
    const uint32_t unknown = random_mask();
    const bits_t bits = of_bits(random_mask() & ~unknown, unknown);
    *inside = bits.value | (random_mask() & unknown);
    const int64_t number = (int32_t)*inside;
    const int64_t least = number - (random_mask() >> 1), most = number + (random_mask() >> 1);
    return random_word() & 1 ? bits : within(bits, least, most, 32);
}

static uint32_t one_of(bits_t a, uint32_t inside) {
    const uint32_t found = a.value | (random_mask() & a.unknown);
    return is_in(found, a) ? found : inside;
}

/* A number, and what is made of it when it has a name. */
static bool is_clamp_right(bits_t a, uint32_t x) {
    const bits_t number = named(a), mask = bits_of(SRA, number, known(31));
    const bits_t inverse = bits_not(number, 32);
    const bool is_below = (int32_t)x < 0;
    return is_in(is_below ? x : 0, bits_and(number, mask))
           && is_in(is_below ? 0 : x, bits_and(number, bits_not(mask, 32)))
           && is_in(is_below ? 0 : x, bits_and(bits_of(SRA, inverse, known(31)), number))
           && is_in(is_below ? ~x : 0, bits_and(inverse, mask));
}

int main(void) {
    for (int count = 0; count < 40000; count++) {
        uint32_t in_a, in_b;
        const bits_t a = random_bits(&in_a), b = random_bits(&in_b);
        if (!is_clamp_right(a, one_of(a, in_a))) {
            printf("clamp\n");
            return 1;
        }
        for (int operation = ADD; operation <= REV8; operation++) {
            const bits_t found = bits_of(operation, a, b);
            for (int each = 0; each < 4; each++) {
                const uint32_t x = one_of(a, in_a), y = one_of(b, in_b);
                if (!is_in(result_of(operation, x, y), found)) {
                    printf("operation %d of %#x and %#x\n", operation, x, y);
                    return 1;
                }
            }
        }
        for (int what = 0; what < 8; what += what == 1 ? 3 : 1) {
            const bit_t found = condition(what, a, b);
            const uint32_t x = one_of(a, in_a), y = one_of(b, in_b);
            if (found != UNKNOWN && found != condition(what, known(x), known(y))) {
                printf("condition %d of %#x and %#x\n", what, x, y);
                return 1;
            }
        }
    }
    return 0;
}
"""


def test_operations_on_unknown_bits(tmp_path: Path) -> None:
    """For random bits that are known, with a range or not, and random numbers with these."""
    run_harness(HARNESS, tmp_path)
