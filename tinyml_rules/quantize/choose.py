"""Recording -> Scheme: ranges by least and greatest values, and what is better by the samples that
are kept aside."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.errors import Note, Problem
from tinyml_rules.quantize.calibrate import Recording, Show
from tinyml_rules.quantize.integers import integer_graph
from tinyml_rules.quantize.judge import sqnr
from tinyml_rules.quantize.plan import Plan
from tinyml_rules.quantize.ranges import by_ends
from tinyml_rules.quantize.request import Scales
from tinyml_rules.quantize.scheme import Scheme


@dataclass(frozen=True, eq=False)
class Choice:
    """The scheme, its SQNR in dB on the samples kept aside, the steps that were taken, and what
    there is to say."""

    scheme: Scheme
    sqnr: float | None
    steps: tuple[str, ...]
    notes: tuple[Problem, ...]


def choose(plan: Plan, recording: Recording, scales: Scales, show: Show) -> Choice:
    """The best scheme that the samples kept aside confirm."""
    scheme = by_ends(plan, recording.ranges)
    if not recording.aside:
        what = "too few samples to keep some aside: ranges are the least and greatest values"
        return Choice(scheme, None, (), (Note(plan.graph.name, what),))
    found = sqnr(integer_graph(plan, scheme), plan.operators, recording.aside)
    return Choice(scheme, found, (), ())
