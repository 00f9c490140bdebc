"""The pictures of a model in docs/: the plan is today's, all are small, and a page shows each."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from generate.page_pictures import (
    CARDS,
    MOST_BYTES,
    NOTEBOOK,
    PICTURES,
    PLAN,
    PLANNED,
    SCREENS,
    planned,
)
from generate.palette_png import chunk, chunks, with_palette
from tests.conftest import PROJECT, ZooModel
from tinyml_rules.reporting.memory_picture.page import memory_picture

CARD_SIZE = (640, 400)
"""As docs/site/conf.py says it to browsers, so that nothing moves while it loads."""


def test_plan(zoo_model: ZooModel) -> None:
    """It is what the compiler plans, and so are the figures next to it."""
    plan = planned(zoo_model(PLANNED[0]).read_bytes())
    text = (PICTURES / PLAN).read_text(encoding="utf-8")
    assert text == memory_picture(plan, has_table=False)
    page = (PROJECT / "docs" / "explanation" / "memory_plan.md").read_text(encoding="utf-8")
    count, size = len(plan.tensors), sum(each.size_bytes for each in plan.tensors)
    words = f"{count} tensors, {size:,} bytes one after the other, in an arena of"
    assert f"{words} {plan.arena_bytes:,}." in page


def test_pages_show_them() -> None:
    """With words for who does not see them, and none is large."""
    pages = [page.read_text(encoding="utf-8") for page in (PROJECT / "docs").rglob("*.md")]
    for name in (PLAN, NOTEBOOK, *SCREENS):
        (page,) = [page for page in pages if f"](../pictures/{name})" in page]
        words = page.partition(f"](../pictures/{name})")[0].rpartition("![")[2]
        assert len(words) > 40
        assert (PICTURES / name).stat().st_size < MOST_BYTES
    for name in CARDS:
        width, height = struct.unpack_from(">II", (PICTURES / name).read_bytes(), 16)
        assert (width, height) == CARD_SIZE
        assert (PICTURES / name).stat().st_size < MOST_BYTES


def test_palette() -> None:
    """All filters are read; of more than 256 colours the most frequent stay as they are, and a rare
    one that is far from all others."""
    random = np.random.default_rng(3)
    pixels = random.integers(0, 6, (40, 30, 3)).astype(np.uint8) * 50
    pixels[:5] = (17, 34, 51)
    for kinds in ((0, 1, 2, 3, 4), (4,), (3,)):
        found = _decoded(with_palette(_encoded(pixels, kinds)))
        assert (found == pixels).all()
    many = random.integers(100, 200, (40, 30, 3)).astype(np.uint8)
    many[:5], many[39, 29] = (17, 34, 51), (0, 255, 0)
    found = _decoded(with_palette(_encoded(many, (4,))))
    assert (found[:5] == many[:5]).all()
    assert found[39, 29].tolist() == [0, 255, 0]
    assert np.abs(found.astype(int) - many.astype(int)).mean() < 40


def _encoded(pixels: np.typing.NDArray[np.uint8], kinds: tuple[int, ...]) -> bytes:
    """A PNG whose rows have these filters in turn."""
    height, width, _ = pixels.shape
    whole = np.zeros((height + 1, width + 1, 3), int)
    whole[1:, 1:] = pixels
    lines = b""
    for y in range(1, height + 1):
        row, left, up, corner = whole[y, 1:], whole[y, :-1], whole[y - 1, 1:], whole[y - 1, :-1]
        away = [np.abs(left + up - corner - each) for each in (left, up, corner)]
        first = (away[0] <= away[1]) & (away[0] <= away[2])
        paeth = np.where(first, left, np.where(away[1] <= away[2], up, corner))
        kind = kinds[y % len(kinds)]
        guess = (np.zeros_like(row), left, up, (left + up) // 2, paeth)[kind]
        lines += bytes([kind]) + ((row - guess) % 256).astype(np.uint8).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(chunk, data))


def _decoded(png: bytes) -> np.typing.NDArray[np.uint8]:
    """The colours of a picture with a palette, no row of which has a filter."""
    found = dict(chunks(png))
    width, height = struct.unpack_from(">II", found[b"IHDR"])
    palette = np.frombuffer(found[b"PLTE"], np.uint8).reshape(-1, 3)
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, 1 + width)
    assert not rows[:, 0].any()
    colours: np.typing.NDArray[np.uint8] = palette[rows[:, 1:]]
    return colours
