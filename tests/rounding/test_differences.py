"""Which operators the references differ in is known: all cases of all operators, TFLM beside
LiteRT's reference kernels."""

from __future__ import annotations

import pytest

from tests.rounding.profiles import DIFFERING, REFUSED, UNKNOWN, of_operator
from tests.support.operator_cases import OPERATORS, is_right


@pytest.mark.parametrize("operator", sorted({*OPERATORS} - {*UNKNOWN}))
def test_difference(operator: str) -> None:
    """Some case shows each that is named, none another."""
    differs = any(not is_right(case, found) for _, case, found in of_operator(operator))
    assert differs == (operator in (*DIFFERING, *REFUSED))
