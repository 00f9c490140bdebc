"""MSPLIM of Armv8-M: startup sets it to the end of the stack, and a program may set its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hand_written import CACHE, build_snippet, target_or_skip
from tinyml_rules.errors import ToolError
from tinyml_rules.runners import run_image

BEFORE = """
#include "tinyml_stack_guard.h"
extern uint32_t __stack_bottom[];
void bad_fill(volatile int8_t *place);
__attribute__((noinline)) void bad_fill(volatile int8_t *place) { place[0] = 1; }
static __attribute__((noinline)) void bad_deep(void) { volatile int8_t room[%d]; bad_fill(room); }
"""
INVOKE = """
    uint32_t limit, here;
    __asm__("mrs %%0, msplim\\n\\tmov %%1, sp" : "=r"(limit), "=r"(here));
    if (limit != (uint32_t)__stack_bottom) { return; }
    tinyml_limit_stack((const void *)((here - 512) & ~7u)); /* RAM goes on below */
    bad_deep();
    bad_value = 7;
"""


@pytest.mark.parametrize("name", ["mps2_an505", "mps3_an547"])
def test_stack_limit(name: str, tmp_path: Path) -> None:
    """A frame that fits is none of its business; one that does not is named before it writes."""
    target = target_or_skip(name)
    image = build_snippet(target, tmp_path / "0", before=BEFORE % 300, invoke=INVOKE % ())
    assert run_image(target, image, b"\0", timeout_s=60.0, cache=CACHE).output == b"\7"
    image = build_snippet(target, tmp_path / "1", before=BEFORE % 600, invoke=INVOKE % ())
    with pytest.raises(ToolError, match="stack overflow at 0x"):
        run_image(target, image, b"\0", timeout_s=60.0, cache=CACHE)
