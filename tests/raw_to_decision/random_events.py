"""Random keys of an event."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction


def random_event(
    rng: random.Random, thresholds: Sequence[str], labels: Sequence[str]
) -> dict[str, object]:
    """All but the threshold; small numbers, so that there are events."""
    window = rng.choice([1, 1, 2, 3, 7])
    table: dict[str, object] = {"window": window} if window > 1 else {}
    if rng.random() < 0.4:
        table["minimum_count"] = rng.randint(1, window)
    if rng.random() < 0.4:
        table["off_threshold"] = min(thresholds, key=Fraction)
    if rng.random() < 0.4:
        voters = rng.randint(1, 4)
        is_debounced = rng.random() < 0.5
        votes = [rng.randint(1, voters), voters]
        table |= {"debounce": voters} if is_debounced else {"votes": votes}
    table |= _waits(rng)
    for key in ("round_down", "restart"):
        if rng.random() < 0.3:
            table[key] = True
    if rng.random() < 0.3:
        table["warm_up"] = rng.randint(0, 4)
    if len(labels) > 1 and rng.random() < 0.4:
        table["background"] = rng.sample(labels, rng.randint(1, len(labels) - 1))
    return table


def _waits(rng: random.Random) -> dict[str, object]:
    """In results or in milliseconds."""
    table: dict[str, object] = {}
    for key in ("refractory", "suppression"):
        if rng.random() < 0.4:
            is_time = rng.random() < 0.5
            table[f"{key}_ms" if is_time else key] = rng.randint(0, 50 if is_time else 3)
    if {"refractory_ms", "suppression_ms"} & {*table}:
        table["period_ms"] = rng.choice(["12.5", "20", "0.3"])
    return table
