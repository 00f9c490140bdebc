"""Pictures of models of ours, and what stands where in them.

Widths of text are those of DejaVu Sans, the widest of the fonts that the pictures ask for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree

import numpy as np

from tests.reporting.test_picture import HOSTILE, SVG, compiled, relu
from tests.support.large_models import convolutions
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

_ADVANCES = (
    "32,40,46,84,64,95,78,27,39,39,50,84,32,36,32,34,64,64,64,64,64,64,64,64,64,64,34,34,84,84,84,53,"
    "100,68,69,70,77,63,58,77,75,29,29,66,56,86,75,79,60,79,69,63,61,73,68,99,69,61,69,39,34,39,84,"
    "50,50,61,63,55,63,62,35,63,63,28,28,58,28,97,63,61,63,63,41,52,39,63,59,82,59,59,52,64,34,64,84"
)
ADVANCES = {chr(code): int(each) for code, each in enumerate(_ADVANCES.split(","), start=32)}
"""Hundredths of the font's size."""
BOLD = 1.12
SIZES = {"title": 17.0}
SIZE = 11.0


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float
    style: str = ""
    words: str = ""

    def holds(self, other: Box) -> bool:
        """The other one lies inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def meets(self, other: Box) -> bool:
        """They share an area."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


class Picture:
    """What stands where."""

    def __init__(self, svg: str) -> None:
        self.svg = svg
        self.root = ElementTree.fromstring(svg)  # noqa: S314 - our own text
        width, height = self.root.attrib["viewBox"].split()[2:]
        self.page = Box(0, 0, float(width), float(height))
        self.rects = [_rect(each) for each in self.root.findall(f"{SVG}rect")]
        self.boxes = [each for each in self.rects if each.style == "box"]
        self.texts = [_text(each) for each in self.root.iter(f"{SVG}text")]
        self.css = self.root.findtext(f"{SVG}style") or ""


def _rect(element: ElementTree.Element) -> Box:
    x, y, width, height = (float(element.get(each, 0)) for each in ("x", "y", "width", "height"))
    title = element.findtext(f"{SVG}title") or ""
    return Box(x, y, x + width, y + height, element.get("class", ""), title)


def _text(element: ElementTree.Element) -> Box:
    words, style = element.text or "", element.get("class", "")
    size = next((SIZES[each] for each in style.split() if each in SIZES), SIZE)
    width = size / 100 * sum(ADVANCES.get(each, 100) for each in words)
    width *= BOLD if {"title", "strong"} & set(style.split()) else 1
    x, y = float(element.attrib["x"]), float(element.attrib["y"])
    left = x - width * {"end": 1.0, "middle": 0.5}.get(element.get("text-anchor", ""), 0.0)
    return Box(left, y - 0.75 * size, left + width, y + 0.22 * size, style, words)


def in_place(name: str = "activation") -> bytes:
    """A chain that writes each result over its source, with long names."""
    tensors = tuple(
        TensorSpec(f"{name}/{index}/" * 20, (1, 8, 8, 4), scales=(0.5,), zero_points=(0,))
        for index in range(5)
    )
    operators = tuple(OperatorSpec("RELU", (index,), (index + 1,)) for index in range(4))
    return build_model(ModelSpec(tensors, operators, (0,), (4,)))


def dense_chain(count: int) -> bytes:
    """Layers of many widths, none of which can be written over its source; values grow, so that no
    layer is constant."""
    sizes = np.random.default_rng(5).integers(4, 40, count + 1)
    activations = [
        TensorSpec(f"block_{index}/out", (1, int(size)), scales=(0.5,), zero_points=(0,))
        for index, size in enumerate(sizes)
    ]
    weights = [
        TensorSpec(f"w{index}", values.shape, scales=(0.5,), zero_points=(0,), data=values)
        for index in range(count)
        for values in (np.ones((sizes[index + 1], sizes[index]), np.int8),)
    ]
    operators = tuple(
        OperatorSpec("FULLY_CONNECTED", (index, count + 1 + index, -1), (index + 1,))
        for index in range(count)
    )
    return build_model(ModelSpec((*activations, *weights), operators, (0,), (count,)))


@cache
def made(name: str) -> Picture:
    """The picture of a model of ours."""
    models: dict[str, Callable[[], bytes]] = {
        "hostile": lambda: relu(HOSTILE),
        "hostile and long": lambda: relu(HOSTILE * 9),
        "wide letters": lambda: relu("W@M%" * 60),
        "in place": in_place,
        "31 nodes": lambda: dense_chain(31),
        "200 nodes": lambda: dense_chain(200),
        "1000 nodes": lambda: dense_chain(1000),
        "1000 nodes with streams": lambda: convolutions(1000),
    }
    return Picture(compiled(models[name]()).documents["it.memory.svg"])


OURS = (
    *("hostile", "hostile and long", "wide letters", "in place"),
    *("31 nodes", "200 nodes", "1000 nodes", "1000 nodes with streams"),
)
