"""What each architecture's instructions do to the flow of control and to the stack."""

from __future__ import annotations

from functools import partial

import pytest

from tinyml_rules.firmware.disassembly import Flow, read_disassembly


@pytest.mark.parametrize(
    ("architecture", "text", "flow", "target", "push_bytes"),
    [
        ("avr", "push\tr28", Flow.NEXT, None, 1),
        ("avr", "pop\tr28", Flow.NEXT, None, -1),
        ("avr", "sbrs\tr27, 7", Flow.SKIP, None, 0),
        ("avr", "rcall\t.+0      \t; 0x12 <f+0x2>", Flow.NEXT, None, 2),
        ("avr6", "rcall\t.+0      \t; 0x12 <f+0x2>", Flow.NEXT, None, 3),
        ("avr6", "push\tr28", Flow.NEXT, None, 1),
        ("avr", "rcall\t.+14     \t; 0x20 <g>", Flow.CALL, 0x20, 0),
        ("avr", "breq\t.+2      \t; 0x17a <f+0xc6>", Flow.BRANCH, 0x17A, 0),
        ("avr", "rjmp\t.-148    \t; 0xe6 <f+0x32>", Flow.JUMP, 0xE6, 0),
        ("avr", "icall", Flow.INDIRECT, None, 0),
        ("avr", "reti", Flow.RETURN, None, 0),
        ("arm", "push\t{r4, r5, r6, lr}", Flow.NEXT, None, 16),
        ("arm", "stmdb\tsp!, {r4, r5, r6, r7, r8, r9, lr}", Flow.NEXT, None, 28),
        ("arm", "vpush\t{d8-d9}", Flow.NEXT, None, 16),
        ("arm", "vpush\t{s16}", Flow.NEXT, None, 4),
        ("arm", "sub\tsp, #8", Flow.NEXT, None, 8),
        ("arm", "sub.w\tsp, sp, #1000\t@ 0x3e8", Flow.NEXT, None, 1000),
        ("arm", "str.w\tlr, [sp, #-8]!", Flow.NEXT, None, 8),
        ("arm", "ldr.w\tpc, [sp], #4", Flow.RETURN, None, -4),
        ("arm", "pop\t{r4, pc}", Flow.RETURN, None, -8),
        ("arm", "ldmia.w\tsp!, {r4, r5, pc}", Flow.RETURN, None, -12),
        ("arm", "popeq\t{r4, pc}", Flow.MAY_RETURN, None, 0),
        ("arm", "bx\tlr", Flow.RETURN, None, 0),
        ("arm", "bleq\t40 <f>", Flow.CALL, 0x40, 0),
        ("arm", "bls.n\t40 <f>", Flow.BRANCH, 0x40, 0),
        ("arm", "ldreq.w\tpc, [sp], #4", Flow.MAY_RETURN, None, 0),
        ("arm", "ldr.w\tpc, [r3, r0, lsl #2]", Flow.INDIRECT, None, 0),
        ("arm", "bxeq\tlr", Flow.MAY_RETURN, None, 0),
        ("arm", "bx\tr3", Flow.INDIRECT, None, 0),
        ("arm", "blx\tr3", Flow.INDIRECT, None, 0),
        ("arm", "bl\t40 <f>", Flow.CALL, 0x40, 0),
        ("arm", "b.w\t40 <f>", Flow.JUMP, 0x40, 0),
        ("arm", "bne.n\t74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("arm", "bls.w\t74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("arm", "cbz\tr0, 74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("arm", "bic.w\tr0, r1, #3", Flow.NEXT, None, 0),
        ("arm", "bfi\tr0, r1, #0, #3", Flow.NEXT, None, 0),
        ("arm", "str\tr0, [sp, #8]", Flow.NEXT, None, 0),
        ("arm", "stmia\tr0!, {r1, r2}", Flow.NEXT, None, 0),
        ("arm", "ldr\tr0, [pc, #76]\t@ (a4 <f+0x54>)", Flow.NEXT, None, 0),
        ("riscv", "addi\tsp,sp,-64", Flow.NEXT, None, 64),
        ("riscv", "add\tsp,sp,-64", Flow.NEXT, None, 64),
        ("riscv", "add\tsp,sp,2032", Flow.NEXT, None, -2032),
        ("riscv", ".4byte\t0x34202573", Flow.NEXT, None, 0),  # csrr, unknown to objdump
        ("riscv", "ret", Flow.RETURN, None, 0),
        ("riscv", "jal\t40 <f>", Flow.CALL, 0x40, 0),
        ("riscv", "jal\tra,80000040 <f>", Flow.CALL, 0x8000_0040, 0),
        ("riscv", "jal\tt0,40 <__riscv_save_0>", Flow.INDIRECT, None, 0),
        ("riscv", "jalr\t-24(ra) # 80000040 <f>", Flow.CALL, 0x8000_0040, 0),
        ("riscv", "jalr\tra # 80000040 <f>", Flow.CALL, 0x8000_0040, 0),
        ("riscv", "jalr\ta5", Flow.INDIRECT, None, 0),
        ("riscv", "jalr\t4(a5)", Flow.INDIRECT, None, 0),
        ("riscv", "jr\t100(t1) # 80000040 <f>", Flow.JUMP, 0x8000_0040, 0),
        ("riscv", "jr\tt1 # 80000040 <f>", Flow.INDIRECT, None, 0),
        ("riscv", "jr\ta5", Flow.INDIRECT, None, 0),
        ("riscv", "jr\tt0", Flow.RETURN, None, 0),
        ("riscv", "j\t40 <f>", Flow.JUMP, 0x40, 0),
        ("riscv", "beqz\ta0,74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("riscv", "bgeu\ta0,a5,74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("riscv", "lw\tra,44(sp)", Flow.NEXT, None, 0),
        ("riscv", "sw\tsp,0(a0)", Flow.NEXT, None, 0),
        ("riscv", "add\ta0,sp,12", Flow.NEXT, None, 0),
        ("riscv", "lw\ta4,-4(gp) # 807ffffc <pair_last>", Flow.NEXT, None, 0),
        ("xtensa", "addi\ta1, a1, -96", Flow.NEXT, None, 96),
        ("xtensa", "addmi\ta1, a1, 0x100", Flow.NEXT, None, -256),
        ("xtensa", "entry\ta1, 48", Flow.NEXT, None, 48),
        ("xtensa", "call0\t40 <f>", Flow.CALL, 0x40, 0),
        ("xtensa", "call8\t40 <f>", Flow.CALL, 0x40, 0),
        ("xtensa", "callx0\ta0", Flow.INDIRECT, None, 0),
        ("xtensa", "jx\ta8", Flow.INDIRECT, None, 0),
        ("xtensa", "j\t40 <f>", Flow.JUMP, 0x40, 0),
        ("xtensa", "beqz.n\ta2, 74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("xtensa", "bne\ta2, a10, 0x17", Flow.BRANCH, 0x17, 0),
        ("xtensa", "bbci\ta2, 31, 74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("xtensa", "loopnez\ta2, 74 <f+0x24>", Flow.BRANCH, 0x74, 0),
        ("xtensa", "break\t1, 15", Flow.NEXT, None, 0),
        ("xtensa", "ret.n", Flow.RETURN, None, 0),
        ("xtensa", "retw.n", Flow.RETURN, None, 0),
        ("xtensa", "l32r\ta2, 8 <g> (40 <f>)", Flow.NEXT, None, 0),
        ("xtensa", "s32i.n\ta1, a2, 0", Flow.NEXT, None, 0),
    ],
)
def test_what_an_instruction_does(
    architecture: str, text: str, flow: Flow, target: int | None, push_bytes: int
) -> None:
    listing = f"00000010 <f>:\n  10:\t{text}\n  12:\tnop\n"
    effect = read_disassembly(listing, architecture=architecture).instructions[0x10].effect
    assert (effect.flow, effect.target, effect.push_bytes) == (flow, target, push_bytes)


@pytest.mark.parametrize(
    ("machine", "size"), [("avr:5", 2), ("avr:51", 2), ("avr:6", 3), ("armv7e-m", 2)]
)
def test_the_machine_that_objdump_names_decides(machine: str, size: int) -> None:
    """A return address has three bytes where the program counter has 22 bits."""
    header = f"\na.elf:     file format elf32-avr\narchitecture: {machine}, flags 0x00000112:\n"
    listing = f"{header}\n00000010 <f>:\n  10:\tnop\n"
    assert read_disassembly(listing, architecture="avr").return_address_bytes == size


def test_a_table_is_no_code() -> None:
    """objdump shows the bytes of a constant as text, which may look like an instruction."""
    listing = "00000010 <f>:\n  10:\tbx\tlr\n00000020 <table>:\n  20:\tvvvxwxxyzyz{{|||\n"
    read = partial(read_disassembly, listing, architecture="arm")
    assert list(read().instructions) == [0x10, 0x20]
    code = read(is_table=lambda address: address >= 0x20)
    assert list(code.instructions) == [0x10]
    assert code.symbols[0x20] == ("table",)
