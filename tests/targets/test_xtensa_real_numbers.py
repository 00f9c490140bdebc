"""Xtensa has no floating point in its compiler's library: the family's own is exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.hand_written import CACHE, interface, target_or_skip
from tinyml_rules.firmware.build import build_image
from tinyml_rules.runners import run_image

HEADER = """
#include <stdint.h>
int8_t *real_in(void);
const int8_t *real_out(void);
void real_invoke(void);
"""
SOURCE = """
#include "real.h"
static union {
    int8_t bytes[8];
    float reals[2];
    int32_t integers[2];
    uint32_t words[2];
    int64_t long_integer;
} in;
static union { int8_t bytes[44]; float reals[11]; int32_t integers[11]; int64_t longs[5]; } out;
int8_t *real_in(void) { return in.bytes; }
const int8_t *real_out(void) { return out.bytes; }
void real_invoke(void) {
    const float a = in.reals[0], b = in.reals[1];
    const float size = a < 0 ? -a : a;
    out.reals[0] = a + b;
    out.reals[1] = a - b;
    out.reals[2] = a * b;
    out.reals[3] = a / b;
    out.reals[4] = (float)in.integers[0];
    out.reals[5] = (float)in.words[0];
    out.integers[6] = size < 2147483648.0f ? (int32_t)a : 0;
    out.integers[7] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4
        | (a != b) << 5;
    if (size < 4294967296.0f) {
        out.integers[7] |= (int32_t)((uint32_t)size << 6);
    }
    out.longs[4] = size < 9223372036854775808.0f ? (int64_t)a : 0;
    out.reals[10] = (float)in.long_integer;
}
"""
ENDS = (
    *(0, 1, 0x7FFFFF, 0x800000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x4B000000, 0x4B800001),
    *(0x7F7FFFFF, 0x7F800000, 0x7FC00000),
)


def pairs() -> npt.NDArray[np.uint32]:
    """All ends with each other, of both signs, then random numbers, near each other and not."""
    ends = np.array([end | sign for end in ENDS for sign in (0, 1 << 31)], np.uint32)
    generator = np.random.default_rng(4)
    anywhere = generator.integers(0, 2**32, (600, 2), np.uint32)
    near = generator.integers(0, 2**32, 600, np.uint32)
    other = near ^ generator.integers(0, 2**25, 600, np.uint32)
    all_ends = np.stack(np.meshgrid(ends, ends), axis=-1).reshape(-1, 2)
    return np.concatenate([all_ends, anywhere, np.stack([near, other], axis=-1)])


def expected(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """What SOURCE gives, by this computer."""
    a, b = words.view(np.float32).T
    integers = words[:, 0]
    with np.errstate(all="ignore"):
        results = [a + b, a - b, a * b, a / b]
        results += [integers.view(np.int32).astype(np.float32), integers.astype(np.float32)]
        whole = np.where(np.abs(a) < 2.0**31, a, 0).astype(np.int64).astype(np.int32)
        order = [a < b, a <= b, a > b, a >= b, a == b, a != b]
        flags = sum(each.astype(np.uint32) << place for place, each in enumerate(order))
        size = np.where(np.abs(a) < 2.0**32, np.abs(a), 0).astype(np.uint64)
    long_whole = np.where(np.abs(a) < 2.0**63, a, 0).astype(np.int64)
    real = words.view(np.int64).astype(np.float32)
    words_of = [np.asarray(each, np.float32).view(np.uint32) for each in results]
    last = (size << 6).astype(np.uint32) | flags
    columns = np.stack([*words_of, whole.view(np.uint32), last], axis=-1)
    long_words = long_whole.view(np.uint32).reshape(-1, 2)
    return np.concatenate([columns, long_words, real.view(np.uint32)], axis=-1)


@pytest.mark.parametrize("name", ["esp8266", "xtensa_lx6"])
def test_real_numbers(name: str, tmp_path: Path) -> None:
    """Every bit, but those of what is no number."""
    image = build_image(
        target_or_skip(name),
        sources={"real.h": HEADER, "real.c": SOURCE},
        interface=interface("real", {"real_in": 8}, {"real_out": 44}),
        kind="test",
        folder=tmp_path,
    )
    words = pairs()
    output = run_image(target_or_skip(name), image, words.tobytes(), cache=CACHE).output
    found = np.frombuffer(output, np.uint32).reshape(-1, 11)
    wanted = expected(words)
    is_none = np.isnan(wanted[:, :4].view(np.float32))
    np.testing.assert_array_equal(np.isnan(found[:, :4].view(np.float32)), is_none)
    np.testing.assert_array_equal(found[:, :4][~is_none], wanted[:, :4][~is_none])
    np.testing.assert_array_equal(found[:, 4:], wanted[:, 4:])
