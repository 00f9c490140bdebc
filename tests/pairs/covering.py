"""Rows of values such that every two of them that may occur together do so in some row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

Value = tuple[str, str]
"""(factor, one of its values)."""
Row = dict[str, str]
IsAllowed = Callable[[Value, Value], bool]


def pairs_of(factors: Mapping[str, Sequence[str]]) -> Iterator[tuple[Value, Value]]:
    """Every two values of two factors."""
    for one, other in combinations(factors, 2):
        for values in product(factors[one], factors[other]):
            yield (one, values[0]), (other, values[1])


def pairs_in(row: Row) -> set[tuple[Value, Value]]:
    """Those of a row, in the order of `pairs_of`."""
    return set(combinations(row.items(), 2))


def covering_array(factors: Mapping[str, Sequence[str]], is_allowed: IsAllowed) -> list[Row]:
    """Greedy: each row begins with a pair that is in none yet, and takes, factor by factor, the
    value that is allowed with those before and adds most pairs."""
    open_pairs = dict.fromkeys(pair for pair in pairs_of(factors) if is_allowed(*pair))
    rows: list[Row] = []
    while open_pairs:
        row = dict(next(iter(open_pairs)))
        for factor in factors:
            if factor not in row:
                row[factor] = _best(factor, factors[factor], row, open_pairs, is_allowed)
        row = {factor: row[factor] for factor in factors}
        for pair in pairs_in(row):
            open_pairs.pop(pair, None)
        rows.append(row)
    return rows


def _best(
    factor: str,
    values: Sequence[str],
    row: Row,
    open_pairs: Mapping[tuple[Value, Value], None],
    is_allowed: IsAllowed,
) -> str:
    """The value that is in most open pairs with those of the row; of equals the first one."""

    def gain(value: str) -> int:
        own = (factor, value)
        return sum((own, each) in open_pairs or (each, own) in open_pairs for each in row.items())

    allowed = [
        each for each in values if all(is_allowed((factor, each), own) for own in row.items())
    ]
    assert allowed, f"nothing of {factor} goes with {row}"
    return max(allowed, key=gain)
