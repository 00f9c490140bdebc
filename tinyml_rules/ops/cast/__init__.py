"""CAST: numbers of one type as numbers of another."""

from itertools import product

from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops.cast.op import TYPES, meaning_of

OP = Op(
    name="cast",
    builtin_code=53,
    options_type=37,
    inputs=("input",),
    summary=f"{', '.join(TYPES)}, each to each; scales do not matter",
    is_map=lambda _view: True,
    meanings=tuple(meaning_of(*pair) for pair in product(TYPES, TYPES)),
)
