"""The settings of the SCons tool: TINYML_ARENA and TINYML_PLACE."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.arena.models import compiled, samples_of
from tests.conftest import PROJECT, ZooModel
from tests.plan.test_regions import part
from tests.support.hand_written import target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.system.process import run_tool

SCONSTRUCT = """
import sys
sys.path.insert(0, {project!r})
env = Environment(
    tools=['default', 'tinyml'],
    toolpath=[{project!r} + '/tinyml_rules/frontends/scons'],
    {settings}
)
env.TinymlTest('test', {model!r}, 'vectors.npz', 'out')
"""


def build(folder: Path, model: Path, settings: str) -> str:
    """Run SCons on the model and vectors of TFLM; returns the generated header and report."""
    made = compiled(model, target_or_skip("host"))
    samples = samples_of(made)
    (outputs,) = tflm_outputs(model.read_bytes(), [samples])
    ports = (made.interface.inputs[0], made.interface.outputs[0])
    names = [port.tensor for port in ports]
    np.savez(folder / "vectors.npz", **dict(zip(names, (samples, outputs), strict=True)))  # type: ignore[arg-type]
    text = SCONSTRUCT.format(project=str(PROJECT), settings=settings, model=str(model))
    (folder / "SConstruct").write_text(text)
    run_tool([sys.executable, "-m", "SCons", "-Q", "-C", str(folder)], where="scons")
    assert "samples equal" in (folder / "out" / "test.passed").read_text()
    return "".join((folder / "out" / f"{model.stem}{each}").read_text() for each in (".h", ".c"))


@pytest.mark.parametrize(
    ("arena", "expected"),
    [("caller", "void sine_invoke(void *arena)"), ("shared", "int8_t tinyml_shared_arena[")],
)
def test_arena(arena: str, expected: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    assert expected in build(tmp_path, zoo_model("sine"), f"TINYML_ARENA={arena!r}")


def test_place(zoo_model: ZooModel, tmp_path: Path) -> None:
    part(tmp_path)
    settings = "TINYML_TARGET='part', TINYML_TARGETS=['targets'], TINYML_PLACE=['3=fast']"
    text = build(tmp_path, zoo_model("speech"), settings)
    assert 'speech_arena_fast[1960] __attribute__((section(".tinyml_fast")))' in text
