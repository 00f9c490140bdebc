"""Judges a model's outputs by the right ones, and by the bounds of a build."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyml_rules.accuracy.labelled import EXPECTED, LABELS, Labelled, Reals, is_class_number
from tinyml_rules.accuracy.options import DEFAULT_THRESHOLD
from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.arithmetic.fixed_point import dequantize_real
from tinyml_rules.errors import Problem, UsageError, WrongOutputError
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Port

MAX_SHOWN_TIMES = 3
"""Most classes that a message names as mistaken for one."""


@dataclass(frozen=True)
class OfClass:
    """How often the samples of a class are right; `taken`: (other class, how often), by count."""

    number: int
    samples: int
    right: int
    taken: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Judged:
    """The quality of a model's outputs.

    `accuracy`: the share of samples that are right, with `classes` that have any.  `sqnr_db`: the
    ratio of the expected values to the error, infinite without error; `difference`: the greatest
    error of a value, with its sample and place.  A figure that the vectors do not allow is None.
    """

    samples: int
    accuracy: float | None = None
    classes: tuple[OfClass, ...] = ()
    sqnr_db: float | None = None
    difference: float | None = None
    difference_at: tuple[int, int] = (0, 0)
    worst_sample: tuple[int, float] = (0, math.inf)
    """The sample with the least ratio of its own, and that."""


def judge(values: Array, labelled: Labelled, port: Port, threshold: float | None) -> Judged:
    """Compare the outputs of all samples, as the model gives them, with what is right for them.

    Of equal outputs the first one is the answer, as with ARG_MAX.  A single value is class 1 from
    `threshold` on, in its real unit.
    """
    rows = values.reshape(labelled.count, port.count)
    real = rows.astype(np.float64)
    if port.is_quantized and rows.dtype.kind in "iu":
        dequantized = dequantize_real(rows, scale=port.scale, zero_point=port.zero_point)
        real = dequantized.astype(np.float64)
    found: dict[str, Any] = {}
    if labelled.labels is not None:
        answers = _answers(rows, real, port, threshold)
        found["classes"] = tuple(_by_class(labelled.labels, answers))
        found["accuracy"] = float(np.mean(answers == labelled.labels))
    if labelled.expected is not None:
        found.update(_errors(real, labelled.expected))
    return Judged(labelled.count, **found)


def _answers(rows: Array, real: Reals, port: Port, threshold: float | None) -> Array:
    if is_class_number(port):
        return rows[:, 0].astype(np.int64)
    if port.count == 1:
        limit = DEFAULT_THRESHOLD if threshold is None else threshold
        return np.asarray(real[:, 0] >= limit, np.int64)
    return np.asarray(np.argmax(rows, axis=1))


def _by_class(labels: Array, answers: Array) -> Iterator[OfClass]:
    for number in np.unique(labels).tolist():
        given, counts = np.unique(answers[labels == number], return_counts=True)
        of_class = dict(zip(given.tolist(), counts.tolist(), strict=True))
        right = of_class.pop(number, 0)
        taken = sorted(of_class.items(), key=lambda each: (-each[1], each[0]))
        yield OfClass(number, int(counts.sum()), right, tuple(taken))


def _errors(real: Reals, expected: Reals) -> dict[str, Any]:
    difference = np.nan_to_num(np.abs(real - expected), nan=math.inf)
    at = np.unravel_index(int(np.argmax(difference)), difference.shape)
    ratios = [_ratio(*pair) for pair in zip(expected, real, strict=True)]
    worst = min(range(len(ratios)), key=lambda sample: ratios[sample])
    return {
        "sqnr_db": _ratio(expected, real),
        "difference": float(difference[at]),
        "difference_at": (int(at[0]), int(at[1])),
        "worst_sample": (worst, ratios[worst]),
    }


def _ratio(expected: Reals, found: Reals) -> float:
    return sqnr_db(float(np.sum(expected**2)), float(np.sum((expected - found) ** 2)))


def check_bounds(judged: Judged, labelled: Labelled, bounds: Mapping[str, Any], name: str) -> None:
    """Raise WrongOutputError for a model `name` that is worse than a bound, UsageError for a bound
    of a figure that the vectors do not allow."""
    _check_told(judged, labelled.where, bounds)
    problems = [*_accuracy(judged, labelled, bounds, name), *_exactness(judged, bounds, name)]
    if problems:
        raise WrongOutputError(problems)


def _check_told(judged: Judged, where: str, bounds: Mapping[str, Any]) -> None:
    needed = {"min": LABELS, "min_sqnr": EXPECTED, "max_difference": EXPECTED}
    told = {LABELS: judged.accuracy, EXPECTED: judged.sqnr_db}
    for option, array in needed.items():
        if option in bounds and told[array] is None:
            raise UsageError.at(where, f"lacks '{array}', to which the bound '{option}' applies")


def _accuracy(
    judged: Judged, labelled: Labelled, bounds: Mapping[str, Any], name: str
) -> Iterator[Problem]:
    if "min" in bounds and judged.accuracy is not None and judged.accuracy < bounds["min"]:
        right = sum(each.right for each in judged.classes)
        what = (
            f"accuracy {judged.accuracy:.4f} ({right} of {judged.samples} samples), expected "
            f"at least {bounds['min']:g}; {worst_class(judged, labelled)}"
        )
        yield Problem(name, what)


def worst_class(judged: Judged, labelled: Labelled) -> str:
    """The class that is right least often, of several the one with most wrong samples."""
    by_share = (each.right / each.samples for each in judged.classes)
    worst = min(
        zip(by_share, judged.classes, strict=True),
        key=lambda each: (each[0], each[1].right - each[1].samples),
    )[1]
    taken = " and ".join(
        f"{labelled.name_of(other)} {times} time{'s' if times != 1 else ''}"
        for other, times in worst.taken[:MAX_SHOWN_TIMES]
    )
    text = f"class {labelled.name_of(worst.number)}: {worst.right} of {worst.samples} right"
    return f"{text}, taken for {taken}" if taken else text


def _exactness(judged: Judged, bounds: Mapping[str, Any], name: str) -> Iterator[Problem]:
    if judged.sqnr_db is None or judged.difference is None:
        return
    if judged.sqnr_db < bounds.get("min_sqnr", -math.inf):
        sample, ratio = judged.worst_sample
        what = (
            f"SQNR {judged.sqnr_db:.2f} dB of {judged.samples} samples, expected at least "
            f"{bounds['min_sqnr']:g} dB; sample {sample} alone: {ratio:.2f} dB"
        )
        yield Problem(name, what)
    if judged.difference > bounds.get("max_difference", math.inf):
        sample, place = judged.difference_at
        what = (
            f"an output differs by {judged.difference:.6g} (value {place} of sample {sample}), "
            f"expected at most {bounds['max_difference']:g}"
        )
        yield Problem(name, what)
