"""The picture of a plan and the advice beside it say what the plan says, and stay harmless."""

from __future__ import annotations

from unittest.mock import Mock
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.support.host import host
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.reporting import describe
from tinyml_rules.reporting.peak import Kind
from tinyml_rules.request.request import Request

HOSTILE = '</title></rect><script>alert("1")</script>&\x00\u2028 * \'--><x y="'
SVG = "{http://www.w3.org/2000/svg}"


def compiled(model: bytes, *, mode: Mode = Mode.AUTO, is_pushed: bool = False) -> Compiled:
    """The files and the report."""
    return compile_model(Request(model, "it", host(), schedule=mode, push_rows=is_pushed))


def relu(name: str) -> bytes:
    """A model whose tensors are called like that."""
    tensors = tuple(TensorSpec(name, (1, 8), scales=(0.5,), zero_points=(0,)) for _ in range(2))
    return build_model(ModelSpec(tensors, (OperatorSpec("RELU", (0,), (1,)),), (0,), (1,)))


def test_names_are_only_ever_text() -> None:
    """Well-formed, ASCII, no element but those of the picture."""
    text = compiled(relu(HOSTILE)).documents["it.memory.svg"]
    assert text.isascii()
    names = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(text).iter()}  # noqa: S314
    assert names == {"svg", "style", "defs", "pattern", "path", "rect", "title", "text", "desc"}


@pytest.mark.parametrize("is_pushed", [False, True])
def test_every_tensor_is_there(is_pushed: bool, zoo_model: ZooModel) -> None:
    """A box with its number, size and offset for each, the same text every time."""
    model = zoo_model("person_detect").read_bytes()
    first, second = (compiled(model, is_pushed=is_pushed) for _ in range(2))
    text = first.documents["it.memory.svg"]
    assert text == second.documents["it.memory.svg"]
    tree = ElementTree.fromstring(text)  # noqa: S314 - our own text
    titles = [element.text or "" for element in tree.iter(f"{SVG}title")]
    assert sum(title.startswith("#") for title in titles) == 31
    assert first.report.peak is not None
    for each in first.report.peak.tensors:
        start = f"#{each.tensor} {each.name}: {Kind(each.kind).word}, "
        size = f"{each.bytes:,} B at {each.offset:,}"
        assert any(title.startswith(start + size) for title in titles)


def test_words(zoo_model: ZooModel) -> None:
    """A box says which node fills it, as the tables do; the legend has no words of the house."""
    text = compiled(zoo_model("person_detect").read_bytes()).documents["it.memory.svg"]
    tree = ElementTree.fromstring(text)  # noqa: S314 - our own text
    words = [each.text or "" for each in tree.iter(f"{SVG}text")]
    assert {"2 CONV_2D", "4 CONV_2D", "6 CONV_2D"} <= set(words)
    assert {"rows kept in turn", "written over a used-up input"} <= set(words)
    assert "ring" not in words
    labels = [each for each in tree.iter(f"{SVG}text") if each.get("class") == "label"]
    assert not any("Relu6" in (each.text or "") for each in labels)


def test_peak_and_advice_of_a_stream(zoo_model: ZooModel) -> None:
    """What the alternatives would cost is what they do cost."""
    model = zoo_model("person_detect").read_bytes()
    layer = compiled(model, mode=Mode.LAYER).report
    auto = compiled(model).report
    pushed = compiled(model, is_pushed=True).report
    assert auto.peak is not None
    assert auto.peak.nodes == (4, 5, 6, 7)
    assert auto.peak.bytes == auto.arena_bytes
    kinds = [each.kind for each in auto.peak.tensors]
    assert sorted(kinds) == ["intermediate"] * 2 + ["ring"] * 3
    for report, option, other in ((layer, "--schedule=auto", auto), (auto, "--push-rows", pushed)):
        saved = report.arena_bytes - other.arena_bytes
        end = f": {option} saves {saved:,} bytes of RAM"
        assert any(each.endswith(end) for each in report.advice)
    assert not any("--push-rows" in each for each in pushed.advice)


def test_alternatives_are_planned_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compilation that nobody reads the figures of, or sets a budget for, has none of them."""
    asked = Mock(return_value=())
    monkeypatch.setattr(describe, "advice", asked)
    made = compiled(relu("x"))
    asked.assert_not_called()
    assert made.report is made.report
    asked.assert_called_once()
    compile_model(Request(relu("x"), "it", host(), max_ram=1000))
    assert asked.call_count == 2


def test_reason_is_worked_out() -> None:
    """A stream through both branches is possible here, but its windows are as high as the image."""
    shape = (1, 16, 8, 4)
    values = np.ones((4, 31, 3, 4), np.int8)
    weights = TensorSpec("w", values.shape, scales=(0.01,), zero_points=(0,), data=values)
    images = [TensorSpec(f"t{i}", shape, scales=(0.5,), zero_points=(0,)) for i in range(4)]
    options = {"Padding": 0, "StrideW": 1, "StrideH": 1}
    operators = (
        OperatorSpec("CONV_2D", (1, 0, -1), (2,), options),
        OperatorSpec("CONV_2D", (2, 0, -1), (3,), options),
        OperatorSpec("ADD", (3, 2), (4,)),
    )
    model = build_model(ModelSpec((weights, *images), operators, (1,), (4,)))
    reason = compiled(model).report.advice[0]
    assert "#2 (512 bytes) is kept in full: running row by row would save nothing" in reason
