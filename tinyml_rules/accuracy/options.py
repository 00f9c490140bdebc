"""The options of an accuracy budget, a row each, from which every way in takes them.

Little is imported, because SCons reads this whenever it starts.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.request.option import Kind, Option

DEFAULT_THRESHOLD = 0.5

_ROWS = (
    Option(
        "vectors",
        Kind.FILE,
        "a .npz of inputs by tensor name with `labels`, the number of each sample's class, and "
        "`names` of the classes, or with `expected`, the outputs in real numbers",
        metavar="LABELLED.npz",
        is_required=True,
    ),
    Option(
        "min",
        Kind.REAL,
        "the least share of samples whose greatest output is that of their label, 0 to 1",
        most=1,
        metavar="SHARE",
    ),
    Option(
        "min_sqnr",
        Kind.REAL,
        "the least ratio of `expected` to what the outputs differ from it, in dB",
        metavar="DB",
    ),
    Option(
        "max_difference",
        Kind.REAL,
        "the most by which an output may differ from `expected`",
        metavar="REAL",
    ),
    Option(
        "scores",
        Kind.TEXT,
        "the output that `labels` or `expected` are of, where the model has several",
        metavar="TENSOR",
    ),
    Option(
        "threshold",
        Kind.REAL,
        "for a model with a single value as output: from there on it is class 1, below class 0",
        default=DEFAULT_THRESHOLD,
        least=float("-inf"),
        metavar="REAL",
    ),
)
ACCURACY: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""
