"""Pairs of shapes that broadcast, for the cases of operators of two tensors."""

from __future__ import annotations

Shape = tuple[int, ...]

BROADCASTS: dict[str, tuple[Shape, Shape]] = {
    "channels": ((1, 3, 4, 5), (5,)),
    "each_channel": ((5,), (1, 3, 4, 5)),
    "channels_of_rank_4": ((1, 3, 4, 5), (1, 1, 1, 5)),
    "rows": ((2, 3, 4), (3, 1)),
    "batch": ((2, 3, 4), (1, 3, 4)),
    "outer": ((4, 1), (1, 5)),
    "both_sides": ((2, 1, 3, 1), (1, 4, 1, 5)),
    "middle": ((2, 3, 4, 5), (1, 3, 1, 5)),
    "scalar": ((2, 3), ()),
    "one_value": ((2, 3, 2, 2), (1,)),
    "ones": ((3, 4), (1, 1, 1, 1)),
    "five_dimensions": ((2, 1, 3, 1, 2), (1, 4, 1, 2, 2)),
    "every_other_of_5": ((2, 1, 3, 1, 2), (1, 4, 1, 5, 1)),
}
