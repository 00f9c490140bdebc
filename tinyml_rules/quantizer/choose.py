"""Recording -> Scheme: ranges by least and greatest values, and what is better by the samples that
are kept aside.

Every candidate is judged by the integer model's own outputs in exact arithmetic; what those samples
do not confirm is not taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.errors import Note, Problem
from tinyml_rules.quantizer.calibrate import Recording, Show
from tinyml_rules.quantizer.correct_bias import with_corrected_biases
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.judge import sqnr
from tinyml_rules.quantizer.least_squares import (
    CHANNEL_SHARES,
    half,
    narrower,
    with_best_ranges,
    with_best_weights,
)
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.powers_of_two import MANTISSAS, in_powers_of_two
from tinyml_rules.quantizer.ranges import by_ends, ranges_of_groups
from tinyml_rules.quantizer.request import Scales
from tinyml_rules.quantizer.safe import Safe, in_int32
from tinyml_rules.quantizer.scheme import Scheme

LEAST_GAIN_DB = 0.05
"""Least gain of a step, on the samples kept aside, to be accepted."""

MOST_CORRECTED = 4
"""Candidates of which biases are corrected too, those that are best without."""


@dataclass(frozen=True, eq=False)
class ChosenScheme:
    """The scheme, its SQNR in dB on the samples kept aside, that of plain least and greatest
    values, the steps that were taken, and what there is to say."""

    scheme: Scheme
    sqnr: float | None
    plain_sqnr: float | None
    steps: tuple[str, ...]
    notes: tuple[Problem, ...]


@dataclass(frozen=True, eq=False)
class _Tried:
    safe: Safe
    sqnr: float
    steps: tuple[str, ...]


def choose(plan: Plan, recording: Recording, scales: Scales, show: Show) -> ChosenScheme:
    """The best scheme that the samples kept aside confirm."""
    candidates = _candidates(plan, recording, scales)
    if not recording.aside:
        steps, scheme = next(candidates)
        safe = in_int32(plan, scheme)
        what = (
            "too few samples to hold some out: plain min/max calibration is used"
            if recording.chosen
            else "without samples nothing is measured: all ranges are those of the file"
        )
        return ChosenScheme(
            safe.scheme, None, None, steps, (*safe.notes, Note(plan.graph.name, what))
        )
    first, *others = (_tried(plan, recording, *each, show) for each in candidates)
    promising = sorted((first, *others), key=lambda each: -each.sqnr)[:MOST_CORRECTED]
    best = first
    for tried in (*others, *(_corrected(plan, recording, each, show) for each in promising)):
        if tried.sqnr > best.sqnr + LEAST_GAIN_DB:
            best = tried
    return ChosenScheme(best.safe.scheme, best.sqnr, first.sqnr, best.steps, best.safe.notes)


def _corrected(plan: Plan, recording: Recording, tried: _Tried, show: Show) -> _Tried:
    """The scheme with corrected biases."""
    scheme = with_corrected_biases(plan, tried.safe.scheme, recording.chosen)
    return _tried(plan, recording, (*tried.steps, "corrected biases"), scheme, show)


def _tried(
    plan: Plan, recording: Recording, steps: tuple[str, ...], scheme: Scheme, show: Show
) -> _Tried:
    show(f"choose: {', '.join(steps) or 'least and greatest values'}")
    safe = in_int32(plan, scheme)
    found = sqnr(integer_graph(plan, safe.scheme), plan.operators, recording.aside)
    return _Tried(safe, found, steps)


def _candidates(
    plan: Plan, recording: Recording, scales: Scales
) -> Iterator[tuple[tuple[str, ...], Scheme]]:
    """Schemes without corrected biases, the plain one first."""
    plain, samples = by_ends(plan, recording.ranges), recording.chosen
    if scales is Scales.FREE:
        yield (), plain
        ranges = with_best_ranges(plan, plain, samples, narrower)
        yield ("ranges of least squares",), ranges
        yield ("weights of least squares",), with_best_weights(plan, plain, CHANNEL_SHARES)
        both = with_best_weights(plan, ranges, CHANNEL_SHARES)
        yield ("ranges of least squares", "weights of least squares"), both
        return
    ends = ranges_of_groups(plan, recording.ranges)
    for m in MANTISSAS:
        scheme, name = in_powers_of_two(plan, plain, ends, m), f"m = {m:g}"
        yield (name,), scheme
        best = with_best_weights(plan, with_best_ranges(plan, scheme, samples, half), (0.5,))
        yield (name, "ranges and weights of least squares"), best
