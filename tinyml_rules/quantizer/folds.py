"""Samples -> their folds: every choice is made without one fold and judged by it.

A fold is made of whole runs of consecutive samples, because neighbours in a recording are too
similar to judge a choice that was made with them.  Samples that are nearly the same are in one fold
wherever they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX
from tinyml_rules.ir.graph import Array
from tinyml_rules.quantizer.scheme import Numbers

RUNS = 12
"""Runs of consecutive samples."""
FOLDS = 3
LEAST_OF_FOLD = 2
"""Samples; the mean of a single one is the sample itself, so that nothing is left of it."""
MOST_COMPARED = 256
"""Values of each input by which two samples are compared, at equal distances."""
NEAR = 0.5
"""Mean distance of two samples that are nearly the same, in steps of the input's largest absolute
value / 127: a quantized input hardly tells them apart."""


def runs_of(count: int) -> tuple[int, ...]:
    """The run of each of so many samples."""
    return tuple(place * min(RUNS, count) // count for place in range(count))


def folds_of(samples: Sequence[Mapping[int, Array]]) -> tuple[int, ...]:
    """The fold of each sample, numbered from 0; all are 0 where there are too few of them, or all
    are nearly the same."""
    runs, first = runs_of(len(samples)), _first_alike(samples)
    found = [runs[place] % FOLDS for place in first]
    counts = [found.count(fold) for fold in range(FOLDS)]
    large = [fold for fold, count in enumerate(counts) if count >= LEAST_OF_FOLD]
    if len(large) < 2:
        return (0,) * len(samples)
    return tuple(large.index(fold) if fold in large else 0 for fold in found)


def _first_alike(samples: Sequence[Mapping[int, Array]]) -> list[int]:
    """For each sample the place of the first that is nearly the same, by way of others too."""
    rows, first = _compared(samples), list(range(len(samples)))
    most = NEAR * (rows.shape[1] if len(rows) else 0)
    for place in range(len(rows)):
        distances = np.abs(rows[place + 1 :] - rows[place]).sum(axis=1, dtype=np.int64)
        for other in (place + 1 + np.flatnonzero(distances <= most)).tolist():
            one, two = sorted((first[place], first[other]))
            if one != two:
                first = [one if each == two else each for each in first]
    return first


def _compared(samples: Sequence[Mapping[int, Array]]) -> Numbers:
    """Some values of all inputs, as whole numbers, so that no rounding decides."""
    columns = []
    for index in samples[0] if samples else ():
        values = np.stack([each[index].reshape(-1) for each in samples]).astype(np.float64)
        count = min(values.shape[1], MOST_COMPARED)
        places = [place * values.shape[1] // count for place in range(count)]
        most = float(np.abs(values).max(initial=0.0)) or 1.0
        columns.append(np.rint(values[:, places] / most * INT8_MAX).astype(np.int16))
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(samples), 0), np.int16)
