"""Dot products by Xtensa's MUL16S of weights by words, wherever rows begin and end."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import jinja2
import pytest

from tests.support.hand_written import CACHE, interface, target_or_skip
from tinyml_rules.emit.runtime import template_of
from tinyml_rules.emit.templates_of import PACKAGE
from tinyml_rules.emit.words import sum_words
from tinyml_rules.firmware.build import build_image
from tinyml_rules.runners import run_image

ROW_BYTES = 1032
HEADER = """
#include <stdint.h>
int8_t *dot_in(void);
const int8_t *dot_out(void);
void dot_invoke(void);
"""
INVOKE = """
static const int8_t __attribute__((aligned(4))) dot_weights[] = {%s};
static union { int8_t bytes[%d]; int32_t words[1]; } in;
static union { int8_t bytes[8]; int32_t sums[2]; } out;
int8_t *dot_in(void) { return in.bytes; }
const int8_t *dot_out(void) { return out.bytes; }
void dot_invoke(void) {
    const int8_t *row = dot_weights + in.bytes[0];
    const int count = in.words[1];
    out.sums[0] = 12345;
    out.sums[1] = -54321;
    const int8_t *other = row + (in.bytes[1] != 0 ? count : 0);
    dot_two_dot_products(out.sums, row, other, in.bytes + 8 + in.bytes[2], count);
}
"""


def _values(random: Random, count: int) -> bytes:
    """Half of them the ends of the range, whose products are the largest."""
    return bytes(random.choice((128, 128, 127, random.randrange(256))) for _ in range(count))


def _rendered(path: Path) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PACKAGE / "emit"),
        trim_blocks=True,
        autoescape=False,  # noqa: S701 - the output is C
    )
    template = environment.from_string(path.read_text(encoding="utf-8"))
    return template.render(p="dot_", **sum_words(wraps=False).context)


def _signed(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data)}b", data)


@pytest.mark.parametrize("name", ["esp8266", "xtensa_lx6"])
def test_two_rows_at_once(name: str, tmp_path: Path) -> None:
    """Rows that begin at every byte of a word, the same or behind one another, of few values and of
    more than one sum holds."""
    target = target_or_skip(name)
    random = Random(3)  # noqa: S311 - not for secrets
    weights = _values(random, 2 * ROW_BYTES)
    values = ", ".join(map(str, _signed(weights)))
    path = template_of("dot_products", target.features)
    assert path.parent.parent.name == "mul16s"
    text = '#include "dot.h"\n' + _rendered(path) + INVOKE % (values, ROW_BYTES + 12)
    image = build_image(
        target,
        sources={"dot.h": HEADER, "dot.c": text},
        interface=interface("dot", {"dot_in": ROW_BYTES + 12}, {"dot_out": 8}),
        kind="test",
        folder=tmp_path,
    )
    cases = [
        (start, other, place, count)
        for start in range(4)
        for other in (0, 1)
        for place in range(3)
        for count in (*range(1, 10), 64, 507, 508, 509, 511, 512, 516, 1016, 1017, 1020, 1024)
    ]
    samples, expected = [], []
    for start, other, place, count in cases:
        row = _values(random, ROW_BYTES + 4)
        samples.append(struct.pack("<4bi", start, other, place, 0, count) + row)
        inputs = _signed(row[place:][:count])
        for first, begin in ((12345, start), (-54321, start + other * count)):
            products = zip(_signed(weights[begin:][:count]), inputs, strict=True)
            expected.append(first + sum(w * x for w, x in products))
    output = run_image(target, image, b"".join(samples), cache=CACHE).output
    assert list(struct.unpack(f"<{len(expected)}i", output)) == expected
