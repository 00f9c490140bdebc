"""Estimated cycles of Cortex-M33 and M7: loops in assembly take what follows from measurements.

Each is there so many times and twice as often, so that what is around it is in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.hand_written import CACHE, build_snippet, target_or_skip
from tinyml_rules.runners import run_image

M33, M7 = "mps2_an505", "atsamv71"
OFTEN = 20
BEGIN = (
    "push {r4-r11, lr}; sub r0, sp, #2048; mov r1, r0; movs r2, #0; movs r3, #0; movs r4, #0;"
    "movs r5, #0; movs r6, #0; movs r7, #0; "
)

Loop = tuple[str, Mapping[str, float]]
"""Instructions, and by target the cycles that they take."""

PAIRS = (  # of sums of products, 16 of them: two channels and two pixels
    "ldm r0!, {r2-r5}; ldrd r6, r7, [r1], #16;"
    "smlad r9, r6, r2, r9; smlad r11, r6, r4, r11; sxtb16 r6, r6;"
    "smlad r8, r6, r2, r8; smlad r10, r6, r4, r10;"
    "smlad r9, r7, r3, r9; smlad r11, r7, r5, r11; sxtb16 r7, r7;"
    "smlad r8, r7, r3, r8; smlad r10, r7, r5, r10"
)
FOURS = (  # four channels and two pixels
    "ldm r0!, {r2, r3}; ldm r1!, {r4, r5};"
    "smlad r6, r4, r2, r6; smlad r7, r4, r3, r7; sxtb16 r4, r4;"
    "smlad r8, r4, r2, r8; smlad r9, r4, r3, r9;"
    "smlad r10, r5, r2, r10; smlad r11, r5, r3, r11; sxtb16 r5, r5;"
    "smlad r12, r5, r2, r12; smlad lr, r5, r3, lr"
)
VECTOR = (  # four channels of one pixel
    "ldrd r6, r7, [r0], #8; ldm r1!, {r2-r5};"
    "smlad r9, r2, r6, r9; sxtb16 r2, r2; smlad r8, r2, r6, r8;"
    "smlad r11, r4, r6, r11; sxtb16 r4, r4; smlad r10, r4, r6, r10;"
    "smlad r9, r3, r7, r9; sxtb16 r3, r3; smlad r8, r3, r7, r8;"
    "smlad r11, r5, r7, r11; sxtb16 r5, r5; smlad r10, r5, r7, r10"
)
BYTES = (  # the same, not widened yet
    "ldr r7, [r0], #4; ldm r1!, {r2-r5}; sxtb16 r6, r7; sxtb16 r7, r7, ror #8;"
    "smlad r9, r2, r6, r9; sxtb16 r2, r2; smlad r8, r2, r6, r8;"
    "smlad r11, r3, r6, r11; sxtb16 r3, r3; smlad r10, r3, r6, r10;"
    "smlad r9, r4, r7, r9; sxtb16 r4, r4; smlad r8, r4, r7, r8;"
    "smlad r11, r5, r7, r11; sxtb16 r5, r5; smlad r10, r5, r7, r10"
)
FOURS_AHEAD = (  # the order for two instructions a cycle
    "smlad r6, r4, r2, r6; ldr r5, [r1], #4; smlad r7, r4, r3, r7; sxtb16 r4, r4;"
    "smlad r10, r5, r2, r10; smlad r11, r5, r3, r11; sxtb16 r5, r5; smlad r8, r4, r2, r8;"
    "smlad r9, r4, r3, r9; ldr r4, [r1], #4; smlad r12, r5, r2, r12; ldr r2, [r0], #4;"
    "smlad lr, r5, r3, lr; ldr r3, [r0], #4"
)
VECTOR_AHEAD = (
    "smlad r9, r2, r6, r9; ldr r4, [r1, #8]; sxtb16 r2, r2; smlad r11, r3, r6, r11;"
    "sxtb16 r3, r3; smlad r8, r2, r6, r8; smlad r10, r3, r6, r10; ldr r5, [r1, #12];"
    "smlad r9, r4, r7, r9; ldr r6, [r0, #8]!; sxtb16 r4, r4; smlad r11, r5, r7, r11;"
    "sxtb16 r5, r5; smlad r8, r4, r7, r8; smlad r10, r5, r7, r10; ldr r2, [r1, #16]!;"
    "ldr r3, [r1, #4]; ldr r7, [r0, #4]"
)
BYTES_AHEAD = (
    "smlad r9, r2, r6, r9; ldr r4, [r1, #8]; sxtb16 r2, r2; smlad r11, r3, r6, r11;"
    "sxtb16 r3, r3; smlad r8, r2, r6, r8; smlad r10, r3, r6, r10; ldr r5, [r1, #12];"
    "smlad r9, r4, r7, r9; ldr r12, [r0, #4]!; sxtb16 r4, r4; smlad r11, r5, r7, r11;"
    "sxtb16 r5, r5; smlad r8, r4, r7, r8; sxtb16 r6, r12; smlad r10, r5, r7, r10;"
    "sxtb16 r7, r12, ror #8; ldr r2, [r1, #16]!; ldr r3, [r1, #4]"
)
WINOGRAD = (
    "ldr r4, [r1, #4]; smlad r6, r3, r2, r6; ldr r5, [r0, #4]; smlad r8, r4, r2, r8;"
    "ldr r12, [r1, #8]; smlad r7, r3, r5, r7; ldr r3, [r1, #12]; smlad r9, r4, r5, r9;"
    "nop; smlad r10, r12, r2, r10; nop; smlad r11, r12, r5, r11;"
    "ldr r3, [r1], #16; smlad lr, r3, r2, lr; ldr r2, [r0], #8; smlad lr, r3, r5, lr"
)
LOOPS: Mapping[str, Loop] = {
    "pairs": (PAIRS, {M33: 16, M7: 14}),
    "fours": (FOURS, {M33: 14, M7: 13}),
    "vector": (VECTOR, {M33: 18, M7: 15}),
    "bytes": (BYTES, {M33: 19, M7: 15}),
    "fours_ahead": (FOURS_AHEAD, {M33: 14, M7: 8}),
    "vector_ahead": (VECTOR_AHEAD, {M33: 18, M7: 9}),
    "bytes_ahead": (BYTES_AHEAD, {M33: 19, M7: 10}),
    "winograd": (WINOGRAD, {M33: 15, M7: 9}),
    # results
    "additions": ("add.w r2, r3, r4; add.w r5, r6, r7", {M33: 2, M7: 1}),
    "an_addition_of_a_sum": ("adds r2, r3, r4; ands r2, r5", {M33: 2, M7: 1}),
    "logic_of_logic": ("and.w r2, r2, r3; eor.w r2, r2, r4", {M33: 2, M7: 2}),
    "a_shifted_sum": ("eor.w r2, r2, r3; add.w r2, r4, r2, lsl #3", {M33: 3, M7: 3}),
    "use_of_a_word": ("ldr r2, [r0]; eor.w r3, r3, r2", {M33: 3, M7: 1}),
    "use_of_a_byte": ("ldrb r2, [r0]; eor.w r2, r2, r3; eor.w r3, r3, r2", {M33: 4, M7: 3}),
    "an_address_from_memory": ("ldr r2, [r0, r2, lsl #2]; and r2, r2, #0", {M33: 3, M7: 3}),
    "a_pointer_that_goes_on": ("ldr r2, [r0], #4", {M33: 1, M7: 1}),
    "two_loads": ("ldr r2, [r0]; ldr r3, [r1, #4]", {M33: 2, M7: 1}),
    "a_copy": ("ldr r2, [r0]; str r2, [r1]", {M33: 2, M7: 1}),
    "stores": ("str r2, [r0]; str r3, [r1]", {M33: 2, M7: 2}),
    "products": ("mul r2, r3, r4; mul r5, r6, r7", {M33: 2, M7: 2}),
    "products_with_flags": ("muls r2, r3, r2; muls r4, r5, r4", {M33: 4, M7: 2}),
    "a_product_of_a_product": ("mul r2, r2, r3", {M33: 2, M7: 2}),
    "a_sum_of_products": ("mla r2, r3, r4, r2", {M33: 1, M7: 1}),
    "a_sum_of_long_products": ("smlal r2, r3, r4, r5", {M33: 1, M7: 1}),
    "a_product_and_a_store": ("mul r2, r3, r4; str r5, [r0]", {M33: 2, M7: 2}),
    "a_factor_from_memory": ("ldr r2, [r0]; mla r3, r2, r4, r3", {M33: 3, M7: 2}),
    "a_store_of_a_product": ("mul r2, r3, r4; str r2, [r0]", {M33: 2, M7: 2}),
    # pairs
    "fields": ("ubfx r2, r3, #0, #4; ubfx r4, r5, #0, #4", {M33: 2, M7: 2}),
    "a_field_first": ("ubfx r2, r3, #0, #4; eor.w r4, r5, r6", {M33: 2, M7: 1}),
    "a_pack_and_a_shift": ("pkhbt r2, r3, r4; add.w r5, r6, r7, lsl #1", {M33: 2, M7: 2}),
    "lists": ("push {r2-r5}; pop {r2-r5}", {M33: 8, M7: 4}),
    "odd_lists": ("ldm r0, {r2-r4}; ldm r0, {r2-r6}", {M33: 8, M7: 5}),
    "doubles": ("ldrd r2, r3, [r0]; strd r4, r5, [r0]", {M33: 4, M7: 2}),
    "the_first_of_a_list": ("ldm r0, {r2-r5}; eor.w r6, r6, r2", {M33: 5, M7: 3}),
    "the_last_of_a_list": ("ldm r0, {r2-r5}; eor.w r6, r6, r5", {M33: 6, M7: 3}),
    # branches
    "nothing": ("nop", {M33: 0, M7: 0.5}),
    "not_taken": ("cmp r2, #0; bne 3f; eor.w r4, r4, r5; 3:", {M33: 2, M7: 1.5}),
    "taken": ("cmp r2, #0; beq 3f; nop; 3:", {M33: 3, M7: 1}),
    "taken_behind_a_long_one": ("cmp.w r2, #0; beq 3f; nop; 3:", {M33: 3, M7: 1}),
    "always_taken": ("b 3f; nop; 3:", {M33: 2, M7: 1}),
    "called": ("bl 3f; b 4f; 3: bx lr; 4:", {M33: 6, M7: 3}),
    "predicated": ("cmp r2, #0; it eq; moveq r3, r4", {M33: 2, M7: 1.5}),
    "a_loop": ("movs r6, #10; 3: subs r6, #1; bne 3b", {M33: 1 + 9 * 3 + 1, M7: 11}),
}


@pytest.mark.parametrize("name", [M33, M7])
def test_loops(name: str, tmp_path: Path) -> None:
    """Each takes the cycles that the sources of the core's table give."""
    target = target_or_skip(name)
    functions = [f"{loop}_{count}" for loop in LOOPS for count in (OFTEN, 2 * OFTEN)]
    texts = (
        f'__asm__(".text; .syntax unified; .thumb; .balign 4; .thumb_func; .type {loop}_{count}, '
        f"%function; {loop}_{count}: {BEGIN} .rept {count}\\n {LOOPS[loop][0]}\\n .endr\\n "
        f'pop {{r4-r11, pc}}");\nvoid {loop}_{count}(void);'
        for loop in LOOPS
        for count in (OFTEN, 2 * OFTEN)
    )
    table = f"static void (*const kernels[])(void) = {{{', '.join(functions)}}};"
    image = build_snippet(
        target, tmp_path, before="\n".join([*texts, table]), invoke="kernels[bad_value]();"
    )
    found = run_image(target, image, bytes(range(len(functions))), cache=CACHE).estimated_cycles
    twice = zip(found[::2], found[1::2], strict=True)
    cycles = {loop: (more - few) / OFTEN for loop, (few, more) in zip(LOOPS, twice, strict=True)}
    assert cycles == {loop: expected[name] for loop, (_, expected) in LOOPS.items()}
