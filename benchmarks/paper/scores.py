"""Precision, recall and F1 of counted answers; the squared error of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Counts = tuple[tuple[int, ...], ...]
"""A row for each class that was given, a column for each that was answered."""


@dataclass(frozen=True)
class Score:
    """Of one class, or the mean of several: 0 to 1."""

    precision: float
    recall: float
    f1: float


def counts_of(answers: npt.ArrayLike, labels: npt.ArrayLike, classes: int) -> Counts:
    """How often each class was answered where each was given."""
    counts = np.zeros((classes, classes), np.int64)
    np.add.at(counts, (np.asarray(labels), np.asarray(answers)), 1)
    return tuple(tuple(int(each) for each in row) for row in counts)


def score_of(counts: Counts, number: int) -> Score:
    """Of one class; what is divided by nothing is 0."""
    right = counts[number][number]
    answered, given = sum(row[number] for row in counts), sum(counts[number])
    precision, recall = _share(right, answered), _share(right, given)
    return Score(precision, recall, _share(2 * precision * recall, precision + recall))


def macro(scores: Sequence[Score]) -> Score:
    """The mean of each figure over classes."""
    count = len(scores)
    return Score(
        sum(each.precision for each in scores) / count,
        sum(each.recall for each in scores) / count,
        sum(each.f1 for each in scores) / count,
    )


def accuracy_of(counts: Counts) -> float:
    """The share of right answers."""
    return _share(sum(row[number] for number, row in enumerate(counts)), sum(map(sum, counts)))


def squared_error(found: npt.ArrayLike, expected: npt.ArrayLike) -> float:
    """The mean of it."""
    difference = np.asarray(found, np.float64) - np.asarray(expected, np.float64)
    return float(np.mean(difference**2))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
