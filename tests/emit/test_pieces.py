"""Pieces of C say in their first line which others they call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tinyml_rules.emit.runtime import all_pieces, calls_of, pieces_for, template_of
from tinyml_rules.ir.features import Feature
from tinyml_rules.target.target import load_target, target_names

KINDS = sorted({load_target(name).features for name in target_names()}, key=sorted)


def pieces_of(features: frozenset[Feature]) -> Iterator[tuple[str, Path]]:
    """(name, file) of each for these features."""
    for piece in sorted(all_pieces()):
        try:
            pieces_for([piece], features)
        except AssertionError:
            continue
        yield piece, template_of(piece, features)


@pytest.mark.parametrize("features", KINDS, ids=lambda each: "+".join(sorted(each)))
def test_calls_are_told(features: frozenset[Feature]) -> None:
    """A piece that stands in the C of another is one that it calls, and comes before it."""
    found = dict(pieces_of(features))
    for piece, file in found.items():
        text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        in_c = set(re.findall(r"\{\{ p \}\}(\w+)", text))
        told = pieces_for([piece], features)
        assert told[-1] == piece
        assert in_c & found.keys() <= set(told), file.name
        for each in told:
            before = told[: told.index(each)]
            assert set(calls_of(template_of(each, features))) <= set(before), each


def test_line_of_calls() -> None:
    """In the first line or nowhere: further below nobody reads it."""
    assert calls_of(template_of("rescale", frozenset())) == (
        "rounding_high_multiply",
        "rounding_shift_right",
    )
    for features in KINDS:
        for _, file in pieces_of(features):
            text = file.read_text(encoding="utf-8")
            assert "{# calls:" not in text or calls_of(file), file.name
            assert text.count("{# calls:") <= 1


def test_piece_that_nobody_has() -> None:
    """Of a name that no file has."""
    with pytest.raises(AssertionError, match="no piece requantise"):
        pieces_for(["requantise"], frozenset())
