"""Text of a model within C comments: the words that vectors and calibration need, and nothing that
ends or begins a comment, or is a trigraph."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from tests.emit.compiled import compile_c
from tinyml_rules.emit.c_text import comment
from tinyml_rules.ops.relu.cases import relu

KEPT = (
    "sine/input",
    "model/dense/MatMul;model/dense/BiasAdd",
    "serving_default_x:0",
    "a * b",
    "a?",
)


@pytest.mark.parametrize("name", KEPT)
def test_names_of_tensors_are_kept(name: str) -> None:
    """As vectors and calibration name them."""
    assert comment(name) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a*/b", "a*_b"), ("a/*b", "a/_b"), ("a??/b", "a?_/b"), ('"a"\\\n', "?a?__")],
)
def test_what_is_dangerous_is_replaced(text: str, expected: str) -> None:
    """Little of it, so that the rest can be read."""
    assert comment(text) == expected


def test_no_text_ends_a_comment() -> None:
    """All texts of six of the characters that matter."""
    for letters in itertools.product("*/?\\\na", repeat=6):
        written = comment("".join(letters))
        assert not re.search(r"\*/|/\*|\?\?|[\\\n]", written), written
        assert len(written) == 6


def test_header_names_the_tensors() -> None:
    """The comments of a model's header have the names of its file."""
    model = relu((1, 4))
    names = ("sine/input", "sine/out*/put")
    tensors = tuple(
        replace(tensor, name=name) for tensor, name in zip(model.tensors, names, strict=True)
    )
    header = compile_c(replace(model, tensors=tensors)).files["model.h"]
    assert "sine/input" in header
    assert "sine/out*_put" in header
