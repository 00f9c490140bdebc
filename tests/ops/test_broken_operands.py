"""Every rule that an operator declares for an operand is told where a node breaks it."""

from __future__ import annotations

import pytest

from tests.support.broken_operands import Broken, broken_nodes
from tests.support.operator_cases import OPERATORS
from tests.support.right_nodes import declarations_of, right_nodes
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.guarded import unknown_operands
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.passes.check import check


@pytest.mark.parametrize("operator", OPERATORS)
def test_broken_operand(operator: str) -> None:
    """The error begins with the operand's name and says what was expected; nothing else is told
    where no other rule follows from that operand."""
    assert [told for each in broken_nodes(operator) if (told := _told_wrongly(each))] == []


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_declaration_has_a_case(operator: str) -> None:
    """So that its rules are broken."""
    assert all(right_nodes(operator, each) for each in declarations_of(operator))


@pytest.mark.parametrize("op", builtin_operators().values(), ids=lambda op: op.name)
def test_rules_are_of_operands(op: Op) -> None:
    """Every name in a rule is one that the operator declares, once."""
    names = [*op.signature.input_names, *op.signature.output_names]
    assert len(names) == len(set(names))
    assert [name for meaning in op.meanings for name in unknown_operands(op, meaning)] == []


def _told_wrongly(broken: Broken) -> tuple[str, str, list[str]] | None:
    """The rule, the text, and what is told instead."""
    try:
        check(broken.graph, builtin_operators())
    except UnsupportedError as error:
        texts = [problem.what for problem in error.problems]
    else:
        texts = []
    is_told = any(each.startswith(broken.text) for each in texts)
    is_right = is_told and (len(texts) == 1 or not broken.is_alone)
    return None if is_right else (broken.rule, broken.text, texts)
