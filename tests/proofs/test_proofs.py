"""Frama-C proves some kernels, and does not prove one with a fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs.frama_c import Proof, has_instructions
from proofs.kernels import Proved, prove_slices
from proofs.record import unknown
from proofs.slices import NAME
from proofs.units import Unit, units


@pytest.fixture(scope="module")
def relu6() -> dict[str, Unit]:
    """The kernel and the pieces of an operator."""
    return {unit.name: unit for unit in units(("relu6",))}


def _prove(unit: Unit, *, right: str = "", wrong: str = "", only: str = "") -> Proof:
    """Of the functions of a unit, with a fault in its text."""
    text = unit.files[f"{NAME}.c"]
    assert not right or text.count(right) == 1
    changed = replace(unit, files={f"{NAME}.c": text.replace(right, wrong) if right else text})
    proofs = prove_slices(changed.slices, only=only).values()
    return Proof(
        tuple(goal for each in proofs for goal in each.goals),
        tuple(goal for each in proofs for goal in each.opened),
        sum(each.seconds for each in proofs),
    )


def test_a_kernel_is_proved(relu6: dict[str, Unit]) -> None:
    proof = _prove(relu6["relu6"])
    assert proof.opened == ()
    assert len(proof.goals) > 20
    assert proof.seconds > 0
    assert not unknown([Proved("relu6", "pointwise", proof, "WP")])


@pytest.mark.parametrize(
    ("right", "wrong", "goal"),
    [
        ("count > 0; count--", "count >= 0; count--", "mem_access"),
        ("requires params->clamp_min <= params->clamp_max;", "", "kept"),
    ],
)
def test_a_fault_leaves_goals_open(
    relu6: dict[str, Unit], right: str, wrong: str, goal: str
) -> None:
    proof = _prove(relu6["relu6"], right=right, wrong=wrong)
    assert any(goal in each for each in proof.opened)
    assert unknown([Proved("relu6", "pointwise", proof, "WP")])


def test_a_fault_in_a_window_leaves_a_goal_open() -> None:
    unit = next(each for each in units(("max_pool_2d",)) if each.name == "max_pool_2d")
    assert _prove(unit, only="mem_access").opened == ()
    right, wrong = "rows[y][column * channels + c]", "rows[y][column * channels + c + 1]"
    proof = _prove(unit, right=right, wrong=wrong, only="mem_access")
    assert any("mem_access" in each for each in proof.opened)


def test_sums_of_any_number_of_values_leave_a_goal_open() -> None:
    unit = next(each for each in units(("mean",)) if each.name == "mean_rows")
    kept = "    requires \\valid_read(totals + (0 .. params->outputs - 1));"
    right = f"    requires params->outputs * params->cells <= 8387584;\n{kept}"
    assert _prove(unit, only="@requires").opened == ()
    proof = _prove(unit, right=right, wrong=kept, only="@requires")
    assert any("requantize_requires" in each for each in proof.opened)


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
