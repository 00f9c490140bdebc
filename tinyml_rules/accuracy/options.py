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
        "labelled samples: a .npz with the inputs by tensor name, and either `labels` (the number "
        "of each sample's class) and `names` of the classes, or `expected` (the outputs in real "
        "numbers)",
        metavar="LABELLED.npz",
        is_required=True,
    ),
    Option(
        "min",
        Kind.REAL,
        "fail if the share of samples whose greatest output is that of their label is less, 0 to 1",
        most=1,
        metavar="SHARE",
    ),
    Option(
        "min_sqnr",
        Kind.REAL,
        "fail if the ratio of `expected` to the error of the outputs is less, in dB",
        metavar="DB",
    ),
    Option(
        "max_difference",
        Kind.REAL,
        "fail if an output differs by more from `expected`",
        metavar="REAL",
    ),
    Option(
        "scores",
        Kind.TEXT,
        "which output `labels` or `expected` are for, if the model has several",
        metavar="TENSOR",
    ),
    Option(
        "threshold",
        Kind.REAL,
        "for a model with one output value: values from this one on are class 1, others class 0",
        default=DEFAULT_THRESHOLD,
        least=float("-inf"),
        metavar="REAL",
    ),
)
ACCURACY: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""
