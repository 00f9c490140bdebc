"""The ways to choose the numbers of a quantization: each is a function of a plan and a recording,
so that it can be fitted without the samples that judge it.

A way begins with plain numbers and takes steps; a new one is a row of WAYS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.quantizer.calibrate import Recording
from tinyml_rules.quantizer.correct_bias import with_corrected_biases
from tinyml_rules.quantizer.equalize import equalized
from tinyml_rules.quantizer.least_squares import (
    CHANNEL_SHARES,
    half,
    narrower,
    with_best_ranges,
    with_best_weights,
)
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.powers_of_two import MANTISSAS, in_powers_of_two
from tinyml_rules.quantizer.ranges import by_ends, ranges_of_groups, with_margin
from tinyml_rules.quantizer.request import Scales
from tinyml_rules.quantizer.safe import in_int32
from tinyml_rules.quantizer.scheme import Scheme


@dataclass(frozen=True, eq=False)
class Fitted:
    """A scheme for a plan, and the samples that it was made with; `begin` makes the plain one."""

    plan: Plan
    recording: Recording
    scheme: Scheme
    begin: Begin


Begin = Callable[[Plan, Recording], Fitted]
Step = Callable[[Fitted], Fitted]
"""What it cannot change it gives back as it is."""


@dataclass(frozen=True)
class Way:
    """`begin` names plain numbers, '' those by least and greatest values; `steps` follow."""

    begin: str = ""
    steps: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What a report calls it."""
        return (*([self.begin] if self.begin else ()), *self.steps)


def plain(plan: Plan, recording: Recording) -> Fitted:
    """Every range from its least to its greatest value."""
    return Fitted(plan, recording, by_ends(plan, recording.ranges), plain)


def in_powers(m: float) -> Begin:
    """The same with the next larger scales of m times a power of two."""

    def begin(plan: Plan, recording: Recording) -> Fitted:
        ends, scheme = ranges_of_groups(plan, recording.ranges), by_ends(plan, recording.ranges)
        return Fitted(plan, recording, in_powers_of_two(plan, scheme, ends, m), begin)

    return begin


def _margin(found: Fitted) -> Fitted:
    scheme = by_ends(found.plan, with_margin(found.recording))
    return replace(found, scheme=scheme)


def _ranges(found: Fitted) -> Fitted:
    samples = found.recording.chosen
    return replace(found, scheme=with_best_ranges(found.plan, found.scheme, samples, narrower))


def _weights(found: Fitted) -> Fitted:
    scheme = with_best_weights(found.plan, found.scheme, CHANNEL_SHARES)
    before = found.scheme.weights
    is_same = all(np.array_equal(each, before[index]) for index, each in scheme.weights.items())
    return found if is_same else replace(found, scheme=scheme)


def _halves(found: Fitted) -> Fitted:
    ranges = with_best_ranges(found.plan, found.scheme, found.recording.chosen, half)
    return replace(found, scheme=with_best_weights(found.plan, ranges, (0.5,)))


def _biases(found: Fitted) -> Fitted:
    safe = in_int32(found.plan, found.scheme).scheme
    samples = found.recording.chosen
    return replace(found, scheme=with_corrected_biases(found.plan, safe, samples))


def _equal(found: Fitted) -> Fitted:
    plan, recording = equalized(found.plan, found.recording)
    return found if plan is found.plan else found.begin(plan, recording)


BEGINS: Mapping[Scales, Mapping[str, Begin]] = {
    Scales.FREE: {"": plain},
    Scales.POWER_OF_TWO: {f"m = {m:g}": in_powers(m) for m in MANTISSAS},
}
"""Of several the best is what steps are compared with."""

MARGIN = "ranges with a margin"
RANGES = "ranges of least squares"
WEIGHTS = "weights of least squares"
HALVES = "ranges and weights of least squares"
BIASES = "corrected biases"
EQUAL = "channels of like ranges"

STEPS: Mapping[str, Step] = {
    MARGIN: _margin,
    RANGES: _ranges,
    WEIGHTS: _weights,
    HALVES: _halves,
    BIASES: _biases,
    EQUAL: _equal,
}
WAYS: Mapping[Scales, tuple[tuple[str, ...], ...]] = {
    Scales.FREE: (
        (BIASES,),
        (MARGIN, BIASES),
        (RANGES, BIASES),
        (RANGES, WEIGHTS, BIASES),
        (EQUAL, BIASES),
        (EQUAL, RANGES, BIASES),
        (MARGIN,),
    ),
    Scales.POWER_OF_TWO: (
        (BIASES,),
        (HALVES, BIASES),
        (EQUAL, BIASES),
        (EQUAL, HALVES, BIASES),
    ),
}
"""Steps that are tried after the plain numbers, by kind of scales."""
