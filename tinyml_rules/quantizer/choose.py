"""Recording -> Scheme: ranges by least and greatest values, or a better way that all folds confirm.

A way is fitted without one fold and judged by it: by the integer model's own outputs in exact
arithmetic, the centred SQNR of each sample.  It is taken if it is better on every fold, by a mean
gain that is larger than its standard error, and no worse in the centred SQNR of all samples
together, which the few of most noise decide.  Then it is fitted once more, with all samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

from tinyml_rules.errors import Note, Problem
from tinyml_rules.ir.graph import Graph
from tinyml_rules.quantizer.calibrate import Recorded, Recording, Show
from tinyml_rules.quantizer.candidates import BEGINS, STEPS, WAYS, Fitted, Way
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.quality import Quality, quality
from tinyml_rules.quantizer.request import QuantizeRequest, Scales
from tinyml_rules.quantizer.safe import in_int32

LEAST_GAIN_DB = 0.05
"""Least mean gain of a way over the plain one to be taken."""


ALL = -1
"""The number of no fold: nothing is left out."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """How good a way is on samples that it was not fitted with, and the plain one.  `gain`: what it
    gains in the samples' centred SQNR, the mean over so many `judges`, `spread`: the standard error
    of that mean, both in dB and 0 for the plain one itself."""

    found: Quality
    plain: Quality
    gain: float
    spread: float
    judges: int

    @property
    def sure(self) -> float:
        """What is left of the gain without its spread, by which ways are compared."""
        return self.gain - self.spread


@dataclass(frozen=True, eq=False)
class ChosenScheme:
    """The scheme, its plan and the samples; how it was judged, None where nothing was; the steps
    that were taken, what there is to say, and what the report has of int4 weights, if anything."""

    fitted: Fitted
    judgement: Judgement | None
    steps: tuple[str, ...]
    notes: tuple[Problem, ...]
    int4: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Judge:
    """Samples to fit with, and those that judge."""

    number: int
    recording: Recording
    samples: tuple[Recorded, ...]


@dataclass(frozen=True, eq=False)
class _Choice:
    """The plan, and what is known of ways so far; `finish` is what else becomes of an integer
    graph."""

    plan: Plan
    scales: Scales
    finish: Callable[[Graph], Graph]
    known: dict[tuple[int, Way], Fitted] = field(default_factory=dict)

    def fitted(self, judge: _Judge, way: Way) -> Fitted:
        """The numbers of a way by the samples of a judge."""
        key = judge.number, way
        if key not in self.known:
            if way.steps:
                before = self.fitted(judge, Way(way.begin, way.steps[:-1]))
                self.known[key] = STEPS[way.steps[-1]](before)
            else:
                self.known[key] = BEGINS[self.scales][way.begin](self.plan, judge.recording)
        return self.known[key]

    def changes_nothing(self, judge: _Judge, way: Way) -> bool:
        """Whether a step on the way gives back what it gets; what follows it is not fitted."""
        befores = (Way(way.begin, way.steps[:count]) for count in range(len(way.steps) + 1))
        fitted = (self.fitted(judge, each) for each in befores)
        return any(one is two for one, two in pairwise(fitted))

    def judged(self, judge: _Judge, way: Way) -> Quality:
        """By the judge's samples."""
        found = self.fitted(judge, way)
        scheme = in_int32(found.plan, found.scheme).scheme
        graph = self.finish(integer_graph(found.plan, scheme))
        return quality(graph, self.plan.operators, judge.samples, judge.recording.judged)


def choose(
    plan: Plan,
    recording: Recording,
    request: QuantizeRequest,
    show: Show,
    finish: Callable[[Graph], Graph] = lambda graph: graph,
) -> ChosenScheme:
    """The best way that its judges confirm, fitted with all samples."""
    choice = _Choice(plan, request.scales, finish)
    judges = [] if request.is_plain else list(_judges(recording))
    begins = [Way(name) for name in BEGINS[request.scales]]
    everything = _Judge(ALL, recording, ())
    if not judges:
        return _unjudged(choice, everything, begins[0], request)
    show("choose: least and greatest values")
    plain, of_plain = max(
        ((way, [choice.judged(judge, way) for judge in judges]) for way in begins),
        key=lambda each: _mean([found.score_of_samples for found in each[1]]),
    )
    best, judgement = plain, _judgement(of_plain, of_plain, judges)
    for steps in WAYS[request.scales]:
        way = Way(plain.begin, steps)
        show(f"choose: {', '.join(way.words)}")
        found = _confirmed(choice, judges, way, of_plain)
        if found is not None and found.sure > judgement.sure + LEAST_GAIN_DB:
            best, judgement = way, found
    fitted = choice.fitted(everything, best)
    safe = in_int32(fitted.plan, fitted.scheme)
    return ChosenScheme(replace(fitted, scheme=safe.scheme), judgement, best.words, safe.notes)


def _judges(recording: Recording) -> Iterator[_Judge]:
    """The samples that only judge, of all that were fitted with, and each fold."""
    if recording.validation:
        yield _Judge(ALL, recording, recording.validation)
    for fold in recording.folds:
        yield _Judge(fold, recording.without(fold), recording.of(fold))


def _unjudged(
    choice: _Choice, everything: _Judge, way: Way, request: QuantizeRequest
) -> ChosenScheme:
    found = choice.fitted(everything, way)
    safe = in_int32(found.plan, found.scheme)
    what = "without samples nothing is measured: all ranges are those of the file"
    if request.is_plain:
        what = "plain min/max calibration is asked for: nothing is measured"
    elif everything.recording.samples:
        what = "too few different samples to hold some out: plain min/max calibration is used"
    note = Note(choice.plan.graph.name, what)
    fitted = replace(found, scheme=safe.scheme)
    return ChosenScheme(fitted, None, way.words, (*safe.notes, note))


def _confirmed(
    choice: _Choice, judges: list[_Judge], way: Way, of_plain: list[Quality]
) -> Judgement | None:
    """How good a way is, if every judge says that it is better, and by more than chance."""
    if choice.changes_nothing(judges[0], way):
        return None
    found: list[Quality] = []
    for judge, before in zip(judges, of_plain, strict=True):
        found.append(choice.judged(judge, way))
        if found[-1].score_of_samples <= before.score_of_samples:
            return None
    judgement = _judgement(found, of_plain, judges)
    of_all = _mean([each.score for each in found]) - _mean([each.score for each in of_plain])
    is_sure = judgement.gain > max(judgement.spread, LEAST_GAIN_DB) and of_all > 0
    return judgement if is_sure else None


def _judgement(found: list[Quality], of_plain: list[Quality], judges: list[_Judge]) -> Judgement:
    """Of samples that only judge the figures are theirs, of folds those of all."""
    pairs = zip(found, of_plain, strict=True)
    gains = [one.score_of_samples - two.score_of_samples for one, two in pairs]
    gain, count = _mean(gains), len(gains)
    variance = sum((each - gain) ** 2 for each in gains) / max(count - 1, 1)
    shown = 1 if judges[0].number == ALL else count
    return Judgement(
        reduce(add, found[:shown]),
        reduce(add, of_plain[:shown]),
        gain,
        math.sqrt(variance / count),
        count,
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
