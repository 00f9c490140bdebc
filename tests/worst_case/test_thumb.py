"""Instructions of ARMv7-M and ARMv7E-M: with known bits each does as on the emulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.worst_case.test_processor import bounded
from tinyml_rules.firmware.disassembly import read_disassembly
from tinyml_rules.worst_case.flow import ControlFlow

FLAGS = "\\n mrs %0, apsr\\n lsr %0, %0, #28"
ARITHMETIC = (
    *(f"{each}s %0, %1, %2{FLAGS}" for each in ("add.w %0, %1, %2\\n adc", "sbc", "rsb", "eor")),
    *(f"{each} %1, %2{FLAGS}" for each in ("cmp.w", "cmn.w", "tst.w", "teq")),
    *(f"{each} %0, %1, %2, {shift} #7" for each in ("orn", "bic") for shift in ("lsl", "ror")),
    *(f"{each} %0, %1, %2" for each in ("lsl.w", "lsr.w", "asr.w", "ror.w", "mul", "udiv", "sdiv")),
    f"lsrs %0, %1, #1\\n rrxs %0, %2{FLAGS}",
    *("add %0, %1, #0xff00ff00", "sub %0, %1, #0x1fe", "and %0, %1, #0xa5a5a5a5", "mvn %0, %1"),
    *("movw %0, #0xbeef\\n movt %0, #0xdead", "addw %0, %1, #0xabc", "subw %0, %1, #0xabc"),
    *("mla %0, %1, %2, %0", "mls %0, %1, %2, %0", "clz %0, %1", "rbit %0, %1", "rev16 %0, %1"),
    *("revsh %0, %1", "ubfx %0, %1, #3, #17", "sbfx %0, %1, #5, #9", "bfi %0, %1, #4, #11"),
    *("bfc %0, #9, #6", "ssat %0, #13, %1, asr #3", "usat %0, #9, %1, lsl #1", "usat %0, #0, %1"),
    *("sxtb.w %0, %1, ror #16", "uxth.w %0, %1, ror #8", "msr apsr_nzcvq, %1\\n ite mi\\n"),
    "cmp %1, %2\\n ite lt\\n movlt %0, %1\\n movge %0, %2",
    "tst %1, #6\\n itett ne\\n addne %0, %1\\n eoreq %0, %2\\n subne %0, #5\\n lslne %0, %0, #1",
    "cmp %1, #0\\n itt pl\\n cmppl %2, #9\\n movpl %0, #77",
)
LONG = ("smull", "umull", "smlal", "umlal")
DSP = (
    *(f"{each} %0, %1, %2" for each in ("smulbb", "smultb", "smulwt", "smuad", "smuadx", "smusd")),
    *(f"{each} %0, %1, %2, %0" for each in ("smlabt", "smlatt", "smlawb", "smlad", "smladx")),
    *(f"{each} %0, %1, %2, %0" for each in ("smlsd", "smlsdx", "smmla", "smmlar", "smmls")),
    *(f"{each} %0, %1, %2" for each in ("smmul", "smmulr", "usad8", "qadd", "qsub", "qdadd")),
    *(f"{each} %0, %1, %2" for each in ("qdsub", "qadd16", "uqsub8", "shadd8", "uhasx")),
    *(
        f"{sign}{each} %0, %1, %2\\n sel %0, %0, %2"
        for sign in "su"
        for each in ("add16", "sub16", "add8", "sub8", "asx", "sax")
    ),
    *("sxtb16 %0, %1, ror #8", "uxtab16 %0, %2, %1", "sxtah %0, %2, %1, ror #24"),
    *("sxtab %0, %2, %1", "pkhbt %0, %1, %2, lsl #5", "pkhtb %0, %1, %2, asr #11"),
)
LONG_DSP = ("smlalbt", "smlald", "smlaldx", "smlsld", "umaal")
MOVES = r"""
    static volatile uint32_t words[12];
    words[(a & 3) + 1] = b;
    uint32_t *at = (uint32_t *)words + 2, c = a, d = b;
    __asm__ volatile("strd %1, %2, [%0, #8]!\n str %1, [%0, #-4]!\n strh %2, [%0], #4\n"
                     "ldr %1, [%0, #-4]\n ldrsh %2, [%0, #-2]\n stmdb %0!, {%1, %2}\n"
                     "ldrd %1, %2, [%0], #-4\n ldrsb %2, [%0, #3]"
                     : "+r"(at), "+l"(c), "+h"(d) : : "memory");
    h = (h ^ c) * 31 + d + (uint32_t)(at - (uint32_t *)words);
    for (int i = 0; i < 12; i++) h = h * 33 + words[i];
"""
TABLE = r"""
    uint32_t e = 2;
    __asm__ volatile("tbb [pc, %0]\n 1: .byte (2f-1b)/2, (3f-1b)/2, (4f-1b)/2, 0\n"
                     "2: movs %0, #3\n b 5f\n 3: movs %0, #4\n b 5f\n 4: movs %0, #9\n 5:"
                     : "+l"(e));
    h += e;
"""
FLOATS = r"""
    uint32_t g = a, k = b;
    __asm__ volatile("vmov s5, %0\n vmov s4, %1\n vpush {d2}\n vldr s9, [sp]\n vldr d7, [sp]\n"
                     "vmov %0, s9\n vmov %1, %0, d7\n vpop {s8, s9}\n vmov d2, %0, %1\n vmov %0, s4"
                     : "+r"(g), "+r"(k) : : "s4", "s5", "s8", "s9", "s14", "s15", "memory");
    h = (h ^ g) * 31 + k;
"""
BEFORE = r"""
#define SHORT(text) { uint32_t d = h; \
    __asm__ volatile(text : "+r"(d) : "r"(a), "r"(b) : "cc"); \
    h = (h ^ d) * 31 + 7; if (d & 4) h += 3; }
#define LONG(name) { uint32_t d = h, e = a + b; \
    __asm__ volatile(name " %0, %1, %2, %3" : "+&r"(d), "+&r"(e) : "r"(a), "r"(b)); \
    h = (h ^ d) * 31 + e; }
"""


def text_of(short: Sequence[str], long: Sequence[str], more: str) -> str:
    """A function that uses its input in each of the instructions, and their results for its
    output."""
    lines = [
        "uint32_t x = (uint8_t)bad_value, h = 1;",
        "for (uint32_t n = 0; n < 4; n++) {",
        "    uint32_t a = x * (n == 0 ? 1 : 0x9e3779b1u >> n), b = (x + n) * 0x85ebca6bu;",
        *(f'    SHORT("{each}")' for each in short),
        *(f'    LONG("{each}")' for each in long),
        more,
        "}",
        "bad_value = (int8_t)(h ^ h >> 8 ^ h >> 16 ^ h >> 24);",
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("target_name", ["lm3s6965", "nrf52840"])
def test_instructions(target_name: str, tmp_path: Path) -> None:
    """Outputs and counts for all inputs; no input takes more or less than the bounds."""
    short, long, more = list(ARITHMETIC), list(LONG), MOVES + TABLE
    if target_name == "nrf52840":
        short, long, more = [*short, *DSP], [*long, *LONG_DSP], more + FLOATS
    short[short.index("msr apsr_nzcvq, %1\\n ite mi\\n")] += " movmi %0, #5\\n movpl %0, #6"
    text = text_of(short, long, more)
    bound, known, counted = bounded(target_name, tmp_path, BEFORE, text)
    assert [(each.most, each.least) for each in known.calls] == [(n, n) for n in counted]
    assert all(each.least <= min(counted) for each in bound.calls)
    assert all(each.most >= max(counted) for each in bound.calls)


PADDED = """
00000000 <f>:
   0:\tpush\t{r4, lr}
   2:\tsubs\tr0, #1
   4:\tb.n\t10 <f+0x10>
   6:\tnop
   8:\t.word\t0x00000001
   c:\t.word\t0x00000002
  10:\tcmp\tr0, #0
  12:\tbne.n\t2 <f+0x2>
  14:\tpop\t{r4, pc}
"""


def test_space_before_constants() -> None:
    """A nop before constants in the middle of a loop is no other entry of it."""
    code = read_disassembly(PADDED, architecture="arm")
    (loop,) = ControlFlow.of(code, frozenset()).loops
    assert (loop.head, sorted(loop.body)) == (2, [2, 4, 0x10, 0x12])


NAKED = "__attribute__((naked, noinline)) static int f(__attribute__((unused)) int x) { __asm__("
ON_CONDITIONS: Mapping[str, tuple[str, str]] = {
    "a return": (
        NAKED + r'"cmp r0, #5\n it gt\n bxgt lr\n adds r0, #3\n bx lr"); }',
        "bad_value = (int8_t)f(bad_value);",
    ),
    "a return from the stack": (
        NAKED + r'"push {r4, lr}\n cmp r0, #5\n it gt\n popgt {r4, pc}\n'
        r'adds r0, #3\n pop {r4, pc}"); }',
        "bad_value = (int8_t)f(bad_value);",
    ),
    "a call": (
        NAKED + r'"adds r0, r0, r0\n nop\n bx lr"); }',
        'register int x __asm__("r0") = bad_value;'
        r'__asm__ volatile("cmp r0, #9\n it ne\n blne %c1" : "+r"(x) : "i"(f) : "lr", "cc");'
        "bad_value = (int8_t)x;",
    ),
    "a load of flash behind one of RAM": (
        "static const int t[2] = {3, 4};",
        "int u[2] = {5, 6}, x = bad_value; __asm__ volatile("
        r'"cmp %0, #0\n itt mi\n ldrmi %0, [%1]\n ldrmi %0, [%2, #4]"'
        ': "+r"(x) : "r"(u), "r"(t) : "memory", "cc"); bad_value = (int8_t)x;',
    ),
}
"""What is before the function and in it; the one that is executed perhaps takes the longest."""


@pytest.mark.parametrize("name", ON_CONDITIONS)
def test_on_a_condition(name: str, tmp_path: Path) -> None:
    """Both bounds are reached."""
    bound, known, counted = bounded("lm3s6965", tmp_path, *ON_CONDITIONS[name])
    assert [each.most for each in known.calls] == counted
    assert (bound.calls[0].most, bound.calls[0].least) == (max(counted), min(counted))
    assert max(counted) != min(counted)
