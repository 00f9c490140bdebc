"""The picture of plans with less RAM and more products."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from tests.report_page.pages import hostile_report
from tinyml_rules.report_page.curve import HEIGHT, WIDTH, drawing
from tinyml_rules.report_page.page import page
from tinyml_rules.reporting.parts import CurvePoint
from tinyml_rules.reporting.record import from_json
from tinyml_rules.reporting.report import Report

POINTS = ((12642, 7077246), (9719, 7479102), (8616, 8585022), (8570, 8585022), (7558, 8771646))


def report(*points: tuple[int, int]) -> Report:
    """Of a small model, with the curve of another."""
    curve = tuple(CurvePoint(*each) for each in points)
    return replace(from_json(Report, hostile_report()), curve=curve)


def test_less_ram_is_to_the_left_and_more_products_are_above() -> None:
    found = drawing(report(*POINTS))
    assert found is not None
    for one, other in pairwise(found.dots):
        assert one.x > other.x and one.y >= other.y
    assert all(0 < each.x < WIDTH and 0 < each.y < HEIGHT for each in found.dots)
    assert [(each.ram_bytes, each.macs) for each in found.dots] == [*POINTS]


def test_the_page_has_each_plan() -> None:
    text = page([report(*POINTS)])
    assert text.count("<circle ") == len(POINTS)
    assert "7,558 B, +23.9\u202f%" in text and "12,642 B without groups" in text
    for ram_bytes, macs in POINTS:
        assert f'<th scope="row" class="n">{ram_bytes:,}</th>' in text
        assert f'data-is="multiply-accumulates">{macs:,}</td>' in text


def test_a_single_plan_is_no_curve() -> None:
    for points in ((), POINTS[:1]):
        assert drawing(report(*points)) is None
        assert "What does less RAM cost?" not in page([report(*points)])
