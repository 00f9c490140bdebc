"""The picture of a plan for every eye: contrast on both pages, colours and hatches that differ."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import combinations

import pytest

from tests.reporting.pictures import Picture, made
from tests.reporting.test_picture import SVG

LEAST_CONTRAST = 4.5
LEAST_DISTANCE = 12
"""Of two colours in CIE Lab; below, areas that do not touch look alike."""

# What red, green and blue light of the screen look like to a dichromat (Machado and others, 2009).
SIGHTS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def colours(css: str) -> dict[str, str]:
    """{class: colour} of fills and strokes."""
    return {
        name: colour
        for names, colour in re.findall(r"([^{}]+)\{[^{}]*?(?:fill|stroke):(#\w{6})", css)
        for name in re.findall(r"\.(\w+)$", names.split(",")[0].strip())
    }


def linear(colour: str) -> list[float]:
    """Red, green and blue light."""
    values = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in values]


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    lights = sorted(
        sum(
            part * each for part, each in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True)
        )
        for colour in (one, other)
    )
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def seen(colour: str, sight: str) -> tuple[float, ...]:
    """CIE Lab of a colour for an eye."""
    red, green, blue = (
        min(max(sum(part * each for part, each in zip(row, linear(colour), strict=True)), 0), 1)
        for row in SIGHTS[sight]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    x, y, z = (
        each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def fills(picture: Picture) -> Iterator[tuple[str, str, str]]:
    """(reference, fill, lines or nothing) of everything that a box may be filled with."""
    for pattern in picture.root.iter(f"{SVG}pattern"):
        ground, lines = pattern.find(f"{SVG}rect"), pattern.find(f"{SVG}path")
        assert ground is not None
        assert lines is not None
        shape = f"{lines.get('d')} {lines.get('stroke')}"
        yield f"url(#{pattern.get('id')})", ground.get("fill", ""), shape
    used = {each.get("fill", "") for each in picture.root.findall(f"{SVG}rect")}
    yield from ((fill, fill, "") for fill in sorted(used) if fill.startswith("#"))


def test_text_can_be_read_on_light_and_on_dark_pages() -> None:
    """Contrast of at least 4.5, on hatches too."""
    picture = made("31 nodes")
    light, _, dark = picture.css.partition("@media (prefers-color-scheme:dark)")
    assert dark
    pages = [colours(light), {**colours(light), **colours(dark)}]
    assert pages[0]["page"] != pages[1]["page"]
    labelled = [fill for fill in fills(picture) if "-shared" not in fill[0]]
    assert len(labelled) == 7
    for page in pages:
        for style in ("ink", "soft", "peak"):
            assert contrast(page[style], page["page"]) >= LEAST_CONTRAST
        for _, ground, lines in labelled:
            assert contrast(page["label"], ground) >= LEAST_CONTRAST
            if lines:
                assert contrast(page["label"], lines.split()[-1]) >= LEAST_CONTRAST


@pytest.mark.parametrize("sight", SIGHTS)
def test_kinds_differ_for_every_eye(sight: str) -> None:
    """By colour, and by a hatch as well: no two kinds have the same, or both none."""
    every = [
        each
        for name in ("31 nodes", "in place", "1000 nodes")
        for each in fills(made(name))
        if "-shared" not in each[0] and "-many" not in each[0]
    ]
    kinds = list(dict.fromkeys((ground, lines.rpartition(" ")[0]) for _, ground, lines in every))
    assert len(kinds) == 6
    for (ground, lines), (other_ground, other_lines) in combinations(kinds, 2):
        assert lines != other_lines
        assert math.dist(seen(ground, sight), seen(other_ground, sight)) >= LEAST_DISTANCE
