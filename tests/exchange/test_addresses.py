"""Where an image cannot be: no address, or one that the loads of an inference trap on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exchange.exchanging import DAMAGED, DONE, NO_IMAGE, WRONG_ADDRESS, exchangeable
from tests.exchange.test_exchange import SINE_MODEL
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.hand_written import CACHE, interface
from tinyml_rules.firmware.build import build_image
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image

HEADER = """#include <stdint.h>
int8_t *addressed_in(void);
int8_t *addressed_out(void);
void addressed_invoke(void);
"""
SOURCE = """
#include "my.h"
#include "addressed.h"
/* nothing behind it: under the sanitizers a read beyond is the end */
static uint8_t slot[MY_IMAGE_BYTES + 16] __attribute__((aligned(16)));
static int8_t in, out[5];
int8_t *addressed_in(void) { return &in; }
int8_t *addressed_out(void) { return out; }
static void put(uint8_t *to, int count)
{
    for (int i = 0; i < MY_IMAGE_BYTES; i++) {
        to[i] = i < count ? my_image[i] : 0xff;
    }
}
void addressed_invoke(void)
{
    uint8_t *const last = slot + 16; /* ends where the slot does */
    const void *asked = in < 0 ? 0 : in < 16 ? slot + in : last;
    put(in < 0 ? slot : in < 16 ? slot + in : last, in > 16 ? MY_IMAGE_BYTES - in : MY_IMAGE_BYTES);
    if (in == 127) {
        slot[16] = 0; /* no magic */
    }
    out[0] = (int8_t)my_check(asked);
    out[1] = (int8_t)my_version(asked);
    out[2] = (int8_t)my_use(asked);
    my_input()[0] = 32;
    my_invoke();
    out[3] = my_output()[0];
    out[4] = (int8_t)my_use(my_image);
}
"""
NULL, AT_THE_END, WITHOUT_MAGIC = -1, 16, 127
VERSION = 5


@pytest.mark.parametrize("part", [SANITIZED, "nrf51", "riscv32imc"])
def test_nothing_is_read_and_nothing_changes(part: str, tmp_path: Path) -> None:
    """Each has a code of its own, before a byte is read; a truncated image is damaged."""
    target = target_or_skip(part)
    compiled = exchangeable(Request(SINE_MODEL, "my", target, model_version=VERSION))
    image = build_image(
        target,
        sources={**compiled.files, "addressed.h": HEADER, "addressed.c": SOURCE},
        interface=interface("addressed", {"addressed_in": 1}, {"addressed_out": 5}),
        kind="test",
        folder=tmp_path,
    )
    codes = {NULL: WRONG_ADDRESS, **dict.fromkeys(range(1, 16), WRONG_ADDRESS)}
    codes |= {0: DONE, AT_THE_END: DONE, 17: DAMAGED, 100: DAMAGED, WITHOUT_MAGIC: NO_IMAGE}
    asked = bytes(place & 0xFF for place in codes)
    output = run_image(target, image, asked, cache=CACHE).output
    rows = [output[start : start + 5] for start in range(0, len(output), 5)]
    answers = {row[3] for row in rows}
    assert len(answers) == 1, "the same model in every case"
    has_none = (WRONG_ADDRESS, NO_IMAGE)
    for row, code in zip(rows, codes.values(), strict=True):
        assert (row[0], row[2]) == (code, code)
        assert row[1] == (0 if code in has_none else VERSION)
        assert row[4] == DONE
