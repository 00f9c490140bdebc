"""Every finding of MISRA C:2012 has a reason, and what has none is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.misra import OPEN, category_of, lines_of, reasons, rows_of
from tests.emit.compiled import compile_c, write
from tests.emit.small_networks import small_layers
from tests.support.hand_written import target_or_skip
from tinyml_rules.errors import ToolError
from tinyml_rules.system.programs import find_program

TARGET = "nrf52840"
MOST = 80
"""Findings of three small layers: what a careless edit of a template brings is more."""


@pytest.fixture(autouse=True)
def cppcheck() -> None:
    """It is there, or the test is skipped."""
    if find_program("cppcheck") is None:
        pytest.skip("needs cppcheck")


def test_layers(tmp_path: Path) -> None:
    """All their findings have a reason, none is of a mandatory rule; a rule without one is open."""
    target = target_or_skip(TARGET)
    source = write(compile_c(small_layers(), target=TARGET), tmp_path) / "model.c"
    rows = rows_of(source, target)
    assert {row.rule: row.reason for row in rows if row.reason == OPEN} == {}
    assert {row.category for row in rows} == {"required", "advisory"}
    assert sum(row.count for row in rows) <= MOST

    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("_invoke(void)\n{", "_invoke(void)\n{\n    goto end;\nend:;", 1))
    broken = rows_of(source, target)
    assert [row.rule for row in broken if row.reason == OPEN] == ["15.1"]
    assert lines_of(broken, model="model", target=TARGET)[-1].endswith("1 of them open")


@pytest.mark.parametrize("target_name", ["atmega1284p", "riscv32imc"])
def test_other_assembly(target_name: str, tmp_path: Path) -> None:
    """The kernels of other cores depart from no other rule."""
    target = target_or_skip(target_name)
    source = write(compile_c(small_layers(), target=target_name), tmp_path) / "model.c"
    assert [row.rule for row in rows_of(source, target) if row.reason == OPEN] == []


def test_what_is_not_c(tmp_path: Path) -> None:
    """An error, and no table of nothing."""
    source = tmp_path / "model.c"
    source.write_text("int f( {\n", encoding="utf-8")
    with pytest.raises(ToolError, match="does not read"):
        rows_of(source, target_or_skip(TARGET))


def test_categories() -> None:
    """Of one rule each; the table names none that is mandatory."""
    found = {rule: category_of(rule) for rule in ("9.1", "10.1", "18.4")}
    assert found == {"9.1": "mandatory", "10.1": "required", "18.4": "advisory"}
    assert "mandatory" not in map(category_of, reasons())
