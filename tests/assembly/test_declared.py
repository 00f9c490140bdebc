"""What statements of inline assembly fail to declare is found.

`tests/emit/test_c_dialects.py` looks at all that there are.
"""

from __future__ import annotations

import pytest

from tests.assembly.declared import faults
from tests.assembly.statements import statements

ADD = '__asm__("adds %[sum], %[sum], %[one]" : [sum] "+r"(sum) : [one] "r"(one) : "cc");'
LOAD = '__asm__("ldr %[it], [%[from]], #4" : [it] "=&r"(it), [from] "+r"(from) : : "memory");'
STORE = '__asm__ volatile("str %[it], [%[to]]" : : [it] "r"(it), [to] "r"(to) : "memory");'
NAMED = '__asm__("ldm %[to], {r4, r5}" : : [to] "r"(to) : "r4", "r5", "memory");'
TWO = '__asm__("mov %0, #1\\n\\tadd %0, %0, %1" : "=&r"(sum) : "r"(one));'
KEPT = '__asm__("push {r7}\\n\\tmov r7, #0\\n\\tpop {r7}" : : : );'
PLACE = '__asm__("str %[it], %[to]" : [to] "=m"(to) : [it] "r"(it));'
AVR = '__asm__("mul %1, %2\\n\\tadd %A0, r0\\n\\tclr r1" : "+r"(s) : "r"(a), "r"(b) : "r0");'
POINTER = '__asm__("ld %[v], X+" : [v] "=r"(v), [from] "+x"(from) : : "memory");'
RISCV = '__asm__("lw t0, 0(%[from])" : : [from] "r"(from) : "t0", "memory");'
HELIUM = (
    '__asm__("dlstp.8 lr, %[n]\\n\\t1: vldrb.8 q0, [%[from]], #16\\n\\t'
    'vmladava.s8 %[s], q0, q0\\n\\tletp lr, 1b" : [s] "+Te"(s), [from] "+r"(from) '
    ': [n] "r"(n) : "lr", "q0", "memory");'
)
LANES = (
    '__asm__("vctp.16 %[n]\\n\\tvpst\\n\\tvldrbt.s16 %q[v], [%[from]]" : [v] "=w"(v) '
    ': [n] "r"(n), [from] "r"(from) : "vpr", "memory");'
)
MAC16 = (
    '__asm__("wsr.acclo %[s]\\n\\tmula.aa.ll %[a], %[b]\\n\\trsr.acclo %[s]" '
    ': [s] "+r"(s) : [a] "r"(a), [b] "r"(b) : "acc");'
)


@pytest.mark.parametrize(
    ("architecture", "text", "is_now", "fault"),
    [
        ("arm", ADD, ('"cc"', ""), "sets flags, which it does not clobber"),
        ("arm", ADD, ("[sum], %[one]", "[sum], %[other]"), "%other is no operand"),
        ("arm", LOAD, ('"memory"', ""), "loads, and does not clobber memory"),
        ("arm", LOAD, (', [from] "+r"(from) :', ': [from] "r"(from)'), "writes %from, which"),
        ("arm", STORE, ('"memory"', ""), "stores, and does not clobber memory"),
        ("arm", STORE, ("[%[to]]", "[%[to]], #4"), "writes %to, which is no output"),
        ("arm", NAMED, ('"r5", ', ""), "writes r5, which is no output and no clobber"),
        ("arm", TWO, ("=&r", "=r"), "%0 is written before all inputs are read"),
        ("arm", TWO, ('"=&r"(sum) :', '"=&r"(sum), "=r"(one) :'), "not write its output %1"),
        ("arm", KEPT, ("push {r7}\\n\\t", ""), "writes r7, which is no output"),
        ("arm", KEPT, ("pop {r7}", "ldr r7, [sp]"), "leaves 4 bytes on the stack"),
        ("arm", PLACE, ("str", "push {r7}\\n\\tstr"), "an operand in memory after the stack"),
        ("arm", HELIUM, ('"lr", ', ""), "writes lr, which is no output and no clobber"),
        ("arm", HELIUM, ('"q0", ', ""), "writes q0, which is no output and no clobber"),
        ("arm", HELIUM, ("letp", "le"), "begins loops that leave lanes out, and ends not as many"),
        ("arm", HELIUM, ('[s] "+Te"(s), ', ""), "%s is no operand"),
        ("arm", LANES, ('"vpr", ', ""), "writes vpr, which is no output and no clobber"),
        ("xtensa", MAC16, ('"acc"', ""), "writes acc, which is no output and no clobber"),
        ("avr", AVR, ('"r0"', ""), "writes r0, which is no output"),
        ("avr", AVR, ("\\n\\tclr r1", ""), "writes r1, which is no output"),
        ("avr", POINTER, (', [from] "+x"(from) :', ': [from] "x"(from)'), "writes X, which"),
        ("riscv", RISCV, ('"t0", ', ""), "writes t0, which is no output"),
        ("riscv", RISCV, (', "memory"', ""), "loads, and does not clobber memory"),
    ],
)
def test_missed(architecture: str, text: str, is_now: tuple[str, str], fault: str) -> None:
    """A statement is right; with a change it is not."""
    (right,) = statements(text, architecture, set())
    assert faults(right, architecture) == []
    assert text.count(is_now[0]) == 1
    (wrong,) = statements(text.replace(*is_now), architecture, set())
    assert any(fault in each for each in faults(wrong, architecture))
