"""What the pieces of C that requantize need to know of the model's steps."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.cores import finish_of
from tinyml_rules.emit.runtime import pieces_for
from tinyml_rules.emit.words import RoundingWords
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Step
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.rounding import Rounding


def rounding_words(steps: Iterable[Step], features: frozenset[Feature]) -> RoundingWords:
    """Of all steps of a model, for a processor with these features."""
    clamped: set[str] = set()
    most: dict[str, int] = {}
    steps = list(steps)
    for step in steps:
        rounding = step.kernel.rounding
        if rounding is Rounding.TWICE or step.shifting is not None:
            continue
        found = _requantization(step)
        if (found.clamp_min, found.clamp_max) != (INT8_MIN, INT8_MAX):
            clamped.add(rounding.value)
        most[rounding.value] = max(most.get(rounding.value, 0), found.most_sum or 0)
    finish = finish_of(features)
    return RoundingWords(
        shifts=_shift_range(steps, features),
        shifts_left=finish is not None and finish.shifts_left,
        alone="" if finish is None else finish.alone,
        are_clamped=frozenset(clamped),
        most_sum=most,
    )


_OF_FOUR = {"requantize_four", "requantize_vector"}
"""Pieces of emit/runtime that requantize four sums at a time."""


def _shift_range(steps: Iterable[Step], features: frozenset[Feature]) -> tuple[int, int]:
    """The least and the greatest shift of the sums that are requantized so four at a time."""
    tables = [
        np.asarray(_requantization(step).shift)
        for step in steps
        if not _OF_FOUR.isdisjoint(pieces_for(step.kernel.runtime, features))
    ]
    return (
        min((int(table.min()) for table in tables), default=0),
        max((int(table.max()) for table in tables), default=0),
    )


def _requantization(step: Step) -> Requantization:
    """That of a step whose kernel calls pieces that requantize."""
    assert step.requantization is not None, f"{step.kernel.name} does not say how it requantizes"
    return step.requantization
