"""EVA proves a model, and does not prove one with a fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs.frama_c import Proof
from proofs.models import annotated_model, prove_files
from proofs.slices import NAME
from proofs.taken import relied_on
from tests.conftest import ZooModel
from tests.support.operator_cases import cases_of, file_of
from tinyml_rules.compiler import Compiled
from tinyml_rules.lower.choice import Optimize


@pytest.fixture(scope="module")
def layer() -> Compiled:
    """Two vectors of 32 values to 8 outputs each."""
    return annotated_model(file_of(cases_of("fully_connected")["eight_outputs"]))


def test_layers_are_proved(zoo_model: ZooModel) -> None:
    proof = _prove(annotated_model(zoo_model("sine").read_bytes(), Optimize.LAYERS))
    assert proof.opened == ()
    shown = {goal.partition(":")[0] for goal in proof.goals}
    assert shown == {f"{NAME}_input", f"{NAME}_output", f"{NAME}_invoke"}


def _prove(compiled: Compiled) -> Proof:
    """With a look at all but the loop of products, whose contract the table has."""
    units = [each for each in relied_on(compiled.files) if each.name == "dot_product"]
    return prove_files(compiled.files, compiled.interface, units)


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
    opened = _prove(replace(layer, files=files)).opened
    assert any(alarm in each for each in opened), opened
