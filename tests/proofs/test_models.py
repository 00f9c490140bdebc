"""EVA proves a model, and does not prove one with a fault."""

from __future__ import annotations

import pytest

from proofs.models import BY_CONTRACT, annotated_model, prove_files, prove_model
from proofs.record import records
from proofs.slices import NAME
from tests.conftest import ZooModel
from tests.support.operator_cases import cases_of, file_of
from tinyml_rules.compiler import Compiled
from tinyml_rules.lower.choice import Optimize


@pytest.fixture(scope="module")
def layer() -> Compiled:
    """Two vectors of 32 values to 8 outputs each."""
    return annotated_model(file_of(cases_of("fully_connected")["eight_outputs"]))


def test_layers_are_proved(zoo_model: ZooModel) -> None:
    proof = prove_model(zoo_model("sine").read_bytes(), Optimize.LAYERS)
    assert proof.opened == ()
    shown = {goal.partition(":")[0] for goal in proof.goals}
    assert shown == {f"{NAME}_input", f"{NAME}_output", f"{NAME}_invoke"}


def test_what_is_taken_by_its_contract_is_proved() -> None:
    (record,) = (each for each in records() if each.name == BY_CONTRACT)
    assert record.proved == record.goals > 0


@pytest.mark.parametrize(
    ("file", "right", "wrong", "alarm"),
    [
        ("h", "ARENA_BYTES 72", "ARENA_BYTES 71", "out of bounds write"),
        ("c", "_weights[256] =", "_weights[255] =", "precondition"),
        ("c", "_bias[8] =", "_bias[7] =", "out of bounds read"),
        ("c", "m_arena[56 + i * 8]", "m_arena[57 + i * 8]", "out of bounds write"),
        ("c", "return m_arena;", "return &m_arena[9];", f"{NAME}_input: Post-condition"),
        ("c", "assigns m_arena[..];", "assigns m_arena[0 .. 70];", f"{NAME}_invoke: Assigns"),
        ("c", "o < output_count; o++", "o <= output_count; o++", "out of bounds"),
    ],
)
def test_a_fault_is_found(layer: Compiled, file: str, right: str, wrong: str, alarm: str) -> None:
    files = dict(layer.files)
    name = f"{NAME}.{file}"
    assert files[name].count(right) == 1
    files[name] = files[name].replace(right, wrong)
    opened = prove_files(files, layer.interface).opened
    assert any(alarm in each for each in opened), opened
