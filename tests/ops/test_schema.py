"""The numbers in the operators' records are those of the TFLite schema."""

from __future__ import annotations

import pytest
import tflite

from tests.support.operator_cases import OPERATORS
from tinyml_rules.model_file.writer import options_table
from tinyml_rules.ops import builtin_operators


@pytest.mark.parametrize("operator", OPERATORS)
def test_numbers(operator: str) -> None:
    """Operator code and options table, by the names that the package `tflite` gives them."""
    op = builtin_operators()[operator]
    if op.custom_name:  # which the schema does not number
        assert (op.builtin_code, op.options_type) == (None, 0)
        return
    assert op.builtin_code == getattr(tflite.BuiltinOperator, operator.upper())
    table = options_table(operator.upper())
    assert op.options_type == (getattr(tflite.BuiltinOptions, table) if table else 0)
