"""Estimated cycles: of instructions in assembly, what the manual of the core states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.hand_written import CACHE, build_pair, build_snippet, target_or_skip
from tinyml_rules.runners import RunResult, run_image
from tinyml_rules.target.parts import own_targets
from tinyml_rules.target.target import Target, load_target

M0, M0_PLUS, M3, M4, IBEX = "nrf51", "rp2040", "lm3s6965", "nrf52840", "riscv32imc"
EMPTY = "empty"

Kernel = tuple[str, Mapping[str, int]]
"""Instructions, and by target the cycles that they take."""

THUMB: Mapping[str, Kernel] = {
    EMPTY: ("", dict.fromkeys((M0, M0_PLUS, M3, M4), 0)),
    "multiplications": ("muls r0, r1, r0;" * 10, dict.fromkeys((M0, M0_PLUS, M3, M4), 10)),
    "shifts": ("lsls r0, r1, #3; adds r0, r0, r1;" * 5, dict.fromkeys((M0, M0_PLUS, M3, M4), 10)),
    "single_loads": (
        "ldr r0, [sp]; adds r1, #1;" * 10,
        dict.fromkeys((M0, M0_PLUS, M3, M4), 30),
    ),
    "neighbouring_loads": ("ldr r0, [sp];" * 10, {M0: 20, M0_PLUS: 20, M3: 11, M4: 11}),
    "loads_of_bytes": (
        "mov r0, sp; movs r1, #0; ldrb r2, [r0]; ldrsb r2, [r0, r1]; ldrh r2, [r0]",
        {M0: 8, M0_PLUS: 8, M3: 6, M4: 6},
    ),
    "stores": (
        "sub sp, #4;" + "str r0, [sp];" * 10 + "add sp, #4",
        {M0: 22, M0_PLUS: 22, M3: 12, M4: 12},
    ),
    "stores_by_register": (
        "sub sp, #8; mov r0, sp; movs r1, #4;" + "str r2, [r0, r1];" * 4 + "add sp, #8",
        dict.fromkeys((M0, M0_PLUS, M3, M4), 12),
    ),
    "a_store_behind_a_load": (
        "sub sp, #8; mov r0, sp; movs r1, #4; ldr r2, [r0]; str r2, [r0, r1]; add sp, #8",
        {M0: 8, M0_PLUS: 8, M3: 7, M4: 7},
    ),
    "push_and_pop_of_four": ("push {r4-r7}; pop {r4-r7}", dict.fromkeys((M0, M0_PLUS, M3, M4), 10)),
    "load_multiple_of_four": (
        "push {r4-r7}; mov r3, sp; ldmia r3!, {r4-r7}; pop {r4-r7}",
        dict.fromkeys((M0, M0_PLUS, M3, M4), 16),
    ),
    "a_list_behind_a_load": (
        "mov r3, sp; ldr r0, [sp]; ldmia r3!, {r0-r2}",
        dict.fromkeys((M0, M0_PLUS, M3, M4), 7),
    ),
    # what is not as fast behind a load as it could be
    "loads_that_move_one_pointer": (
        "mov r3, sp; ldr r0, [r3], #4; ldr r1, [r3, #4]!; ldr r2, [r3]",
        {M3: 6, M4: 6},
    ),
    "loads_that_move_two_pointers": (
        "mov r2, sp; mov r3, sp; ldr r0, [r2], #4; ldr r1, [r3], #4; ldrb r0, [r2], #1",
        {M3: 6, M4: 6},
    ),
    "a_load_by_a_loaded_pointer": (
        "sub sp, #8; mov r0, sp; str r0, [sp]; ldr r1, [sp]; ldr r2, [r1]; ldr r2, [r0];add sp, #8",
        {M3: 9, M4: 9},
    ),
    "loads_of_two_memories": (
        "mov r0, pc; ldrb r1, [r0]; ldr r2, [sp]; ldr r2, [sp]; ldrb r1, [r0]; ldrb r1, [r0]",
        {M3: 9, M4: 9},
    ),
    "a_store_behind_a_load_of_another_memory": (
        "mov r0, pc; sub sp, #8; mov r2, sp; movs r1, #4; ldrb r3, [r0]; str r3, [r2, r1];"
        "add sp, #8",
        {M3: 9, M4: 9},
    ),
    "loads_of_two_memories_over_pages": (
        "mov r0, pc; .rept 1100\\n ldrb r1, [r0]\\n ldr r2, [sp]\\n .endr\\n",
        {M3: 4401, M4: 4401},
    ),
    "branches": ("b 1f; 1:" * 10, {M0: 30, M0_PLUS: 20, M3: 30, M4: 30}),
    "taken_branches": (
        "cmp r0, r0;" + "beq 1f; nop; 1:" * 10,
        {M0: 31, M0_PLUS: 21, M3: 31, M4: 31},
    ),
    "untaken_branches": (
        "cmp r0, r0;" + "bne 1f;" * 10 + "1:",
        dict.fromkeys((M0, M0_PLUS, M3, M4), 11),
    ),
    # where a page of QEMU's ends it looks at the next instruction, too
    "loads_over_pages": (
        ".rept 1100\\n ldr r0, [sp]; adds r1, #1\\n .endr\\n",
        dict.fromkeys((M0, M0_PLUS, M3, M4), 3300),
    ),
    "neighbouring_loads_over_pages": (
        ".rept 1100\\n ldr r0, [sp]\\n .endr\\n",
        {M0: 2200, M0_PLUS: 2200, M3: 1101, M4: 1101},
    ),
    "a_loop": (
        "movs r0, #10; 1: subs r0, #1; bne 1b",
        {M0: 1 + 10 + 28, M0_PLUS: 1 + 10 + 19, M3: 1 + 10 + 28, M4: 1 + 10 + 28},
    ),
    # push, BL, BX, and a pop to PC where the others have BX
    "a_call": (
        "push {r4, lr}; bl 1f; pop {r4, pc}; 1:",
        {M0: 3 + 4 + 6, M0_PLUS: 3 + 3 + 5, M3: 3 + 3 + 5, M4: 3 + 3 + 5},
    ),
    "divisions": ("movs r0, #100; movs r1, #7;" + "udiv r2, r0, r1;" * 4, {M3: 50, M4: 50}),
    "multiply_accumulates": ("mla r0, r1, r2, r0;" * 4, {M3: 8, M4: 4}),
    "long_multiplications": ("umull r0, r1, r2, r3; smull r0, r1, r2, r3", {M3: 10, M4: 2}),
    "long_accumulates": ("smlal r0, r1, r2, r3; umlal r0, r1, r2, r3", {M3: 14, M4: 2}),
    # of sums of products, 16 of them: four channels and two pixels
    "four_channels_of_two_pixels": (
        "push {r4-r11}; mov r0, sp; mov r1, r0; ldm r0!, {r2, r3}; ldm r1!, {r4, r5};"
        "smlad r6, r4, r2, r6; smlad r7, r4, r3, r7; sxtb16 r4, r4;"
        "smlad r8, r4, r2, r8; smlad r9, r4, r3, r9;"
        "smlad r10, r5, r2, r10; smlad r11, r5, r3, r11; sxtb16 r5, r5;"
        "smlad r12, r5, r2, r12; smlad r12, r5, r3, r12; pop {r4-r11}",
        {M4: 9 + 2 + 16 + 9},
    ),
    "dual_multiplications": ("smlad r0, r1, r2, r0; smmul r0, r1, r2; ssat r0, #8, r0", {M4: 3}),
    "doubles": (
        "sub sp, #8; strd r0, r1, [sp]; ldrd r0, r1, [sp]; add sp, #8",
        {M3: 8, M4: 8},
    ),
    "wide_loads": ("ldr.w r0, [sp]; ldrsb.w r1, [sp]; ldrh.w r2, [sp, #2]", {M3: 4, M4: 4}),
    "wide_lists": (
        "push.w {r4-r11}; ldmia.w sp, {r4-r11}; pop.w {r4-r11}",
        {M3: 27, M4: 27},
    ),
    "wide_branches": (
        "cmp r0, r0; bne.w 1f; beq.w 1f; nop; 1: b.w 2f; 2:",
        {M3: 1 + 1 + 3 + 3, M4: 1 + 1 + 3 + 3},
    ),
    "compared_branches": (
        "movs r0, #0; cbz r0, 1f; nop; 1: cbnz r0, 2f; nop; 2:",
        {M3: 1 + 3 + 1 + 1, M4: 1 + 3 + 1 + 1},
    ),
}
RISCV: Mapping[str, Kernel] = {
    EMPTY: ("", {IBEX: 0}),
    "multiplications": ("mul t0, t1, t2;" * 10, {IBEX: 10}),
    "high_multiplications": ("mulh t0, t1, t2; mulhu t0, t1, t2;" * 2, {IBEX: 8}),
    "divisions": ("li t1, 7; divu t0, t2, t1; rem t0, t2, t1", {IBEX: 75}),
    "loads": ("lw t0, 0(sp); lb t1, 1(sp);" * 5, {IBEX: 20}),
    "loads_by_low_registers": ("mv a0, sp;" + "lw a1, 0(a0);" * 10, {IBEX: 21}),
    "stores": ("addi sp, sp, -16;" + "sw t0, 0(sp);" * 10 + "addi sp, sp, 16", {IBEX: 22}),
    "branches": ("j 1f; 1:" * 10, {IBEX: 20}),
    "taken_branches": ("li a0, 0;" + "beqz a0, 1f; nop; 1:" * 10, {IBEX: 31}),
    "untaken_branches": ("li a0, 0;" + "bnez a0, 1f;" * 10 + "1:", {IBEX: 11}),
    "loads_over_pages": (
        ".rept 1100\\n lw t0, 0(sp); addi t1, t1, 1\\n .endr\\n",
        {IBEX: 3300},
    ),
    "a_loop": ("li a0, 10; 1: addi a0, a0, -1; bnez a0, 1b", {IBEX: 1 + 10 + 28}),
    # two moves, JAL, and a return more
    "a_call": ("mv t1, ra; jal 1f; mv ra, t1; ret; 1:", {IBEX: 1 + 2 + 1 + 2}),
}
KERNELS = {"arm": THUMB, "riscv": RISCV}
BEGINS = {"arm": ".syntax unified; .thumb; .balign 4; .thumb_func;", "riscv": ".balign 4;"}
RETURNS = {"arm": "bx lr", "riscv": "ret"}
WIDTHS = {"arm": ("",), "riscv": (".option norvc;", ".option rvc;")}


def run_kernels(target: Target, folder: Path, *, begin: str) -> dict[str, int]:
    """{kernel: cycles above those of the empty one}, all of them in one image."""
    kernels = KERNELS[target.architecture]
    names = [name for name in kernels if target.name in kernels[name][1]]
    texts = (
        f'__asm__(".text; .type {name}, %function; {begin} {name}: {kernels[name][0]}; '
        f'{RETURNS[target.architecture]}");\nvoid {name}(void);'
        for name in names
    )
    table = f"static void (*const kernels[])(void) = {{{', '.join(names)}}};"
    image = build_snippet(
        target, folder, before="\n".join([*texts, table]), invoke="kernels[bad_value]();"
    )
    found = run_image(target, image, bytes(range(len(names))), cache=CACHE).estimated_cycles
    return {name: cycles - found[0] for name, cycles in zip(names, found, strict=True)}


@pytest.mark.parametrize("name", [M0, M0_PLUS, M3, M4, IBEX])
def test_the_manual(name: str, tmp_path: Path) -> None:
    """Every kernel, compressed or not, takes what the tables of the core's manual add up to."""
    target = target_or_skip(name)
    kernels = KERNELS[target.architecture]
    expected = {each: cycles[name] for each, (_, cycles) in kernels.items() if name in cycles}
    for number, width in enumerate(WIDTHS[target.architecture]):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = run_kernels(target, folder, begin=width + BEGINS[target.architecture])
        assert found == expected


def run_pair(target: Target, folder: Path) -> RunResult:
    """Of a small model, on a few samples."""
    return run_image(target, build_pair(target, folder), bytes(range(200)), cache=CACHE)


def test_instructions_stay(tmp_path: Path) -> None:
    """What is counted does not depend on what is estimated beside it."""
    target = target_or_skip(M4)
    found, plain = run_pair(target, tmp_path), run_pair(replace(target, cycles=None), tmp_path)
    assert (found.counts, found.output) == (plain.counts, plain.output)
    assert plain.estimated_cycles == ()
    assert all(
        count < cycles < 3 * count
        for count, cycles in zip(found.counts, found.estimated_cycles, strict=True)
    )


def test_who_has_a_table() -> None:
    """Cores of which somebody says what they take; the runner of AVR knows its cycles."""
    assert {name: each.core for name in own_targets() if (each := load_target(name).cycles)} == {
        **dict.fromkeys(("nrf52840", "stm32f405"), "cortex_m4"),
        **dict.fromkeys(("mps2_an505", "nrf5340_network", "rp2350"), "cortex_m33"),
        **dict.fromkeys(("riscv32imc", "riscv32imcb"), "ibex"),
        **{"atsamv71": "cortex_m7", "lm3s6965": "cortex_m3"},
        **{"nrf51": "cortex_m0", "rp2040": "cortex_m0plus"},
    }
