"""Frama-C proves some kernels, and does not prove one with a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs.frama_c import has_instructions, prove
from proofs.kernels import Proved
from proofs.record import unknown
from proofs.units import NAME, Unit, units, write


@pytest.fixture(scope="module")
def relu6() -> dict[str, Unit]:
    """The kernel and the pieces of an operator."""
    return {unit.name: unit for unit in units(("relu6",))}


def test_a_kernel_is_proved(relu6: dict[str, Unit], tmp_path: Path) -> None:
    unit = relu6["relu6"]
    proof = prove(write(unit, tmp_path), unit.functions, prefix=f"{NAME}_")
    assert proof.opened == ()
    assert len(proof.goals) > 20
    assert not unknown([Proved("relu6", "pointwise", proof, "WP")])


@pytest.mark.parametrize(
    ("right", "wrong", "goal"),
    [
        ("count > 0; count--", "count >= 0; count--", "mem_access"),
        ("requires params->clamp_min <= params->clamp_max;", "", "kept"),
    ],
)
def test_a_fault_leaves_goals_open(
    relu6: dict[str, Unit], tmp_path: Path, right: str, wrong: str, goal: str
) -> None:
    unit = relu6["relu6"]
    file = write(unit, tmp_path)
    text = unit.files[file.name]
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong))
    proof = prove(file, unit.functions, prefix=f"{NAME}_")
    assert any(goal in each for each in proof.opened)
    assert unknown([Proved("relu6", "pointwise", proof, "WP")])


def test_a_fault_in_a_window_leaves_a_goal_open(tmp_path: Path) -> None:
    unit = next(each for each in units(("max_pool_2d",)) if each.name == "max_pool_2d")
    file = write(unit, tmp_path)
    asked = {"prefix": f"{NAME}_", "only": "mem_access"}
    assert prove(file, unit.functions, **asked).opened == ()
    right, wrong = "rows[y][column * channels + c]", "rows[y][column * channels + c + 1]"
    text = unit.files[file.name]
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong))
    assert any("mem_access" in each for each in prove(file, unit.functions, **asked).opened)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('__asm__("" : "+r"(i));', False),
        (r'__asm__("\n\n" : "+r"(acc));', False),
        ('__asm__ volatile("nop");', True),
    ],
)
def test_assembly_with_instructions_is_seen(text: str, expected: bool) -> None:
    assert has_instructions(text) is expected
