"""What comes or is made in pieces, compared with TFLM on an emulated part."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support.chained import chained
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.operator_cases import expected_bytes, file_of, graph_of, sample_bytes
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model


def assert_rows_in_pieces(
    cases: Mapping[str, Case], part: str, *, folder: Path, optimize: Optimize = Optimize.LAYERS
) -> None:
    """Rows that are made in two pieces, as checked builds do, are TFLM's, for every case."""
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name]), optimize=optimize)
        for name, case in cases.items()
    ]
    outputs = run_combined(target_or_skip(part), jobs, folder=folder, is_checked=True)
    assert outputs == {name: expected_bytes(case) for name, case in cases.items()}


def assert_vector_in_pieces(
    first: Case,
    layer: ModelSpec,
    part: str,
    kernel: str,
    *,
    folder: Path,
    optimize: Optimize = Optimize.BALANCED,
) -> None:
    """A dense layer behind a first one, row by row, with that kernel: each row is a piece."""
    file = build_model(chained(first.model, layer))
    target = target_or_skip(part)
    request = Request(file, "model", target, schedule=Mode.STREAM, optimize=optimize)
    compiled = compile_model(request)
    assert kernel in compiled.files["model.c"]
    (samples,) = first.samples
    (expected,) = tflm_outputs(file, [samples])
    outcome = run_model(compiled, target, samples.tobytes(), folder=folder)
    assert outcome.output == expected.tobytes()
