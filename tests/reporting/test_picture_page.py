"""The picture of a plan fits a page, its text fits, it is told in words, and nothing is missing."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from tests.conftest import ZooModel
from tests.reporting.pictures import OURS, Box, Picture, dense_chain, made
from tests.reporting.test_picture import SVG, compiled
from tinyml_rules.compiler import plan_program, select_program
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.reporting.memory_picture.page import memory_picture
from tinyml_rules.reporting.peak import residents
from tinyml_rules.reporting.timeline import timeline_of
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

PAGE_WIDTH = 1200
ZOO = (
    ("sine", Mode.AUTO, False),
    ("speech", Mode.AUTO, True),
    ("kws", Mode.AUTO, False),
    ("person_detect", Mode.AUTO, False),
    ("person_detect", Mode.LAYER, False),
    ("person_detect", Mode.AUTO, True),
)


def assert_text_fits(picture: Picture) -> None:
    """On the page, inside of its box, on no edge, and over no other text."""
    page = Box(0, 0, PAGE_WIDTH, picture.page.bottom)
    assert page.holds(picture.page)
    frames = [each for each in picture.rects if each.style == "peak"]
    for text in picture.texts:
        assert text.words
        assert picture.page.holds(text), text
        if text.style.startswith("label"):
            around = [box for box in picture.boxes if box.meets(text)]
            assert len(around) == 1, text
            assert around[0].holds(text), text
            assert not any(frame.meets(text) and not frame.holds(text) for frame in frames), text
    in_rows = sorted(picture.texts, key=lambda each: (each.top, each.left))
    for one, other in combinations(in_rows, 2):
        assert not one.meets(other), (one, other)


@pytest.mark.parametrize("name", OURS)
def test_text_fits_its_box_and_the_page(name: str) -> None:
    """However long a chain is and whatever its tensors are called."""
    assert_text_fits(made(name))


@pytest.mark.parametrize(("name", "mode", "is_pushed"), ZOO)
def test_text_fits_for_real_models(
    name: str, mode: Mode, is_pushed: bool, zoo_model: ZooModel
) -> None:
    model = zoo_model(name).read_bytes()
    svg = compiled(model, mode=mode, is_pushed=is_pushed).documents["it.memory.svg"]
    assert_text_fits(Picture(svg))


@pytest.mark.parametrize("name", OURS)
def test_told_in_words_too(name: str) -> None:
    """A role, a title and a description, for those who cannot see it."""
    picture = made(name)
    assert picture.root.get("role") == "img"
    title, description = picture.root.find(f"{SVG}title"), picture.root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    ids = [title.get("id"), description.get("id")]
    assert picture.root.get("aria-labelledby") == " ".join(map(str, ids))
    assert re.fullmatch(r"it: ([\d,]+) B of RAM: arena \1 B", title.text or "")
    assert re.search(
        r"Most bytes are in use at nodes? [\d\u2013]+: [\d,]+ B in \d+ tensors?\.",
        description.text or "",
    )
    assert re.search(r"Tensor #\d+ \(\w+\): [\d,]+ B at [\d,]+\.", description.text or "")


@pytest.mark.parametrize("name", OURS)
def test_bytes_of_the_same_plan_are_equal(name: str) -> None:
    """No id that a second picture on a page has too, and no text that is not ASCII."""
    picture = made(name)
    assert picture.svg.isascii()
    ids = re.findall(r'\bid="([^"]*)"', picture.svg)
    assert len(set(ids)) == len(ids)
    assert all(each.startswith("tinyml-it-") for each in ids)
    if "1000" not in name:
        again = made.__wrapped__(name)
        assert again.svg == picture.svg


def test_peak_is_framed_and_named() -> None:
    """Not by a colour: a frame without a fill, around the tensors that lie there."""
    picture = made("31 nodes")
    report = compiled(dense_chain(31)).report
    (frame,) = [each for each in picture.rects if each.style == "peak"]
    assert re.search(r"\.peak\{fill:none;stroke-width:2\.5\}", picture.css)
    (word,) = [each for each in picture.texts if each.words == "peak"]
    assert frame.left <= (word.left + word.right) / 2 <= frame.right
    assert report.peak is not None
    for each in report.peak.tensors:
        (box,) = [box for box in picture.boxes if box.words.startswith(f"#{each.tensor} ")]
        assert box.left <= frame.left + 1
        assert box.right >= frame.right - 1


def test_axis_has_round_numbers_and_a_unit() -> None:
    """1, 2 or 5 times a power of ten apart, with separators, and the arena itself on top."""
    picture = made("31 nodes")
    numbers = [each for each in picture.texts if re.fullmatch(r"[\d,]+", each.words)]
    left = min(each.right for each in numbers)
    axis = sorted(
        int(each.words.replace(",", "")) for each in numbers if abs(each.right - left) < 0.5
    )
    step = axis[1] - axis[0]
    assert str(step).rstrip("0") in ("1", "2", "5")
    assert axis[0] == 0
    assert all(each % step == 0 for each in axis[:-1])
    assert axis[-1] == compiled(dense_chain(31)).report.arena_bytes
    assert any(each.words == "bytes" and each.right == left for each in picture.texts)


@pytest.mark.parametrize(("count", "is_many"), [(31, False), (1000, True)])
def test_every_byte_in_use_is_drawn(*, count: int, is_many: bool) -> None:
    """In the column of each task; where columns are narrow, by areas that stand for many tensors,
    and with a file that stays small."""
    request = Request(dense_chain(count), "it", load_target("host"))
    steps, plan = plan_program(select_program(request), request)
    picture = Picture(memory_picture(timeline_of(steps, plan)))
    drawn = [each for each in picture.rects if each.style in ("box", "strip") and each.words]
    assert any(each.style == "strip" for each in drawn) == is_many
    assert len(picture.svg) < 200_000
    axis = next(each for each in picture.root.findall(f"{SVG}path") if each.get("class") == "axis")
    numbers = re.findall(r"[\d.]+", axis.get("d", ""))
    left, bottom, right = map(float, numbers)
    after = (right - left) - 2 * 56
    top = min(each.top for each in drawn)
    for each in residents(steps, plan):
        for task in range(max(each.first, 0), min(each.last, count - 1) + 1):
            x = left + 56 + after * (task + 0.5) / count
            y = bottom - (bottom - top) * (each.offset + each.size_bytes / 2) / plan.arena_bytes
            point = Box(x, y, x, y)
            assert any(rect.holds(point) for rect in drawn), (each, task)
