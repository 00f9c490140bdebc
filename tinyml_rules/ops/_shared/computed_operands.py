"""Which operands of a node are computed, for kernels that are made for one combination of them."""

from __future__ import annotations

from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.graph import Array

ComputedNames = frozenset[str]
"""The names of the operands that are computed; a struct has tables for the others."""


def computed(**operands: Array | None) -> ComputedNames:
    """Those without a constant."""
    return frozenset(name for name, values in operands.items() if values is None)


def of_computed(*names: str) -> Condition[ComputedNames]:
    """For nodes of which these operands are computed, and no others."""
    expected = frozenset(names)
    return Condition(
        lambda found: found == expected,
        f"{' and '.join(names) or 'nothing'} would have to be computed, and no other operand",
    )
