"""Evaluates decisions for an output's values in Python, to show them with the results of a run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.surroundings.decide.decisions import Decision

MOST_NAMES = 8


def outcome(decision: Decision, values: Array, score: int | None = None) -> Iterator[str]:
    """A phrase for each head, from the int8 values of the output, and the score where there is
    one."""
    flat = values.reshape(-1).astype(np.int64)
    ranks = np.argsort(-flat, kind="stable").tolist()  # the first of equals comes first
    if decision.has("argmax"):
        yield f"decides {_name(decision, ranks[0])}"
    if decision.has("top-k"):
        best = [_name(decision, index) for index in ranks[: decision.k]]
        yield f"top {decision.k}: {_listed(best)}"
    if score is not None:
        assert decision.squared is not None
        yield f"score {score / 2**decision.squared.fraction_bits:.6g}"
    if decision.thresholds:
        found = [score] if score is not None else flat.tolist()
        reached = [
            _name(decision, index)
            for index, value in enumerate(found)
            if value >= decision.threshold(index).least
        ]
        yield f"reached by {_listed(reached)}" if decision.count > 1 else _of_one(decision, reached)


def _of_one(decision: Decision, reached: list[str]) -> str:
    name = f" of {_name(decision, 0)}" if decision.labels else ""
    return f"threshold{name} {'' if reached else 'not '}reached"


def _name(decision: Decision, index: int) -> str:
    return f"'{decision.labels[index]}'" if decision.labels else str(index)


def _listed(names: list[str]) -> str:
    more = ", .." if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more if names else "none"
