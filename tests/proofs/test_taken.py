"""EVA takes kernels of a model by their contracts, and finds each call that does not keep to them;
what it takes is proved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from proofs.kernels import prove_all
from proofs.models import annotated_model, prove_files
from proofs.pieces import prove_facts
from proofs.record import known
from proofs.slices import NAME
from proofs.taken import relied_on, row_by_row, taken
from proofs.units import Unit, of_files, portable_kernels
from tests.support.operator_cases import cases_of, file_of
from tinyml_rules.compiler import Compiled

C, H = f"{NAME}.c", f"{NAME}.h"


@pytest.fixture(scope="module")
def window() -> Compiled:
    """DEPTHWISE_CONV_2D of an image at the end of the arena."""
    return annotated_model(file_of(cases_of("depthwise_conv_2d")["wide_window"]))


@pytest.fixture(scope="module")
def softmax() -> Compiled:
    """Five vectors of 4 values, in place."""
    return annotated_model(file_of(cases_of("softmax")["batches"]))


def _unit(compiled: Compiled, name: str) -> Unit:
    return next(each for each in relied_on(compiled.files) if each.name == name)


def _opened(compiled: Compiled, file: str = C, right: str = "", wrong: str = "") -> tuple[str, ...]:
    """The alarms, with a fault in the C."""
    text = compiled.files[file]
    assert not right or text.count(right) == 1
    files = {**compiled.files, file: text.replace(right, wrong) if right else text}
    return prove_files(files, compiled.interface, relied_on(files)).opened


def test_what_is_taken_is_proved_with_all_that_it_calls(window: Compiled) -> None:
    units = relied_on(window.files)
    names = {each.name for each in units}
    assert names == {"depthwise_conv_2d_once", "multiply_accumulate", "requantize_once"}
    assert {*taken(units)} == {function for each in units for function in each.functions}


def test_what_has_an_open_goal_is_not_taken() -> None:
    model = file_of(cases_of("exp")["fine"])
    files = annotated_model(model).files
    assert "lookup" in {each.name for each in of_files(files, portable_kernels())} & known().keys()
    assert "lookup" not in {each.name for each in relied_on(files)}


def test_a_window_is_proved(window: Compiled) -> None:
    assert _opened(window) == ()


@pytest.mark.parametrize(
    ("file", "right", "wrong", "alarm"),
    [
        (H, "ARENA_BYTES 216", "ARENA_BYTES 215", f"{NAME}_input: Post-condition"),
        (C, ".input_rows = 8", ".input_rows = 9", "precondition"),
        (C, "_weights[144] =", "_weights[143] =", "precondition"),
        (C, "    .bias = m_node_0_bias,", "    .bias = m_node_0_bias + 1,", "precondition"),
        (C, ".output_row_bytes = 18", ".output_row_bytes = 36", "precondition"),
    ],
)
def test_a_fault_of_a_window_is_found(
    window: Compiled, file: str, right: str, wrong: str, alarm: str
) -> None:
    opened = _opened(window, file, right, wrong)
    assert any(alarm in each for each in opened), opened


def test_the_contract_tells_of_each_row(window: Compiled) -> None:
    text = row_by_row(window.files[C])
    assert "\\forall integer y;" not in text
    assert text.count("requires 7 < params->window.height && rows[7] != \\null ==>") == 2
    assert "requires params->window.height <= 8;" in text


def test_softmax_is_proved(softmax: Compiled) -> None:
    assert _opened(softmax) == ()
    proved = list(prove_all(relied_on(softmax.files)))
    assert {each.name: each.proof.opened for each in proved if each.proof.opened} == {}
    (facts,) = (each for each in proved if each.form == "facts")
    assert [each for each in facts.proof.goals if "assert_taken" in each]


@pytest.mark.parametrize(
    ("right", "wrong", "alarm"),
    [
        ("_exponentials[139] =", "_exponentials[138] =", "precondition"),
        (".table_size = 139", ".table_size = 140", "precondition"),
        ("    2147483647, 1943123572", "    2147483646, 1943123572", "precondition"),
        ("if (distance < table_size) {", "if (distance <= table_size) {", "out of bounds read"),
        (
            "m_softmax(&m_node_0, m_arena, m_arena, 5)",
            "m_softmax(&m_node_0, m_arena, m_arena, 6)",
            "",
        ),
    ],
)
def test_a_fault_of_softmax_is_found(softmax: Compiled, right: str, wrong: str, alarm: str) -> None:
    opened = _opened(softmax, C, right, wrong)
    assert any(alarm in each for each in opened), opened


@pytest.mark.parametrize(
    ("right", "wrong", "goal"),
    [
        ("", "", ""),
        ("acc * 4", "acc * 8", "signed overflow"),
        (
            "exits \\false;\n    ensures clamp_min <=",
            "exits \\false;\n    ensures 0 <=",
            "ensures",
        ),
    ],
)
def test_a_piece_of_shifts(
    window: Compiled, tmp_path: Path, right: str, wrong: str, goal: str
) -> None:
    unit = _unit(window, "requantize_once")
    text = unit.files[C]
    assert right in text
    changed = replace(unit, files={C: text.replace(right, wrong)})
    opened = prove_facts(changed.slices, tmp_path, by_both=True).opened
    assert any(goal in each for each in opened) if goal else opened == ()
