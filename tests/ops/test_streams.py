"""Operators of several element types and forms row by row: the result is that of whole tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.chained import chained
from tests.support.real_windows import LAYERS
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model, plan_program, select_program
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.best_index import best_index
from tinyml_rules.ops._shared.cases.case import (
    model_of,
    quantized,
    random_case,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pooling import VALID, pool
from tinyml_rules.ops._shared.cases.reduction import reduction
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.real_cases import real_dense
from tinyml_rules.ops.mul.cases import mul
from tinyml_rules.ops.reshape.cases import reshape
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import load_target

IMAGE, OTHER = (1, 5, 4, 3), (1, 4, 3, 5)
VIEW = with_tensor(reshape(IMAGE, OTHER), 1, scales=(0.25,), zero_points=(11,))
"""Rows of five values, where those of the convolution before it have twelve."""
ISLAND = chained(
    model_of("DEQUANTIZE", (quantized("input", (5, 8)),), typed("real", (5, 8), "float32")),
    real_dense((5, 8), (5, 6)),
    model_of("QUANTIZE", (typed("real", (5, 6), "float32"),), quantized("output", (5, 6))),
)
MODELS = {
    "real_numbers": ISLAND,
    "real_windows": chained(*LAYERS),
    "mean": chained(conv(), reduction("MEAN", IMAGE)),
    "mean_kept": chained(conv(), reduction("MEAN", IMAGE, keeps=True)),
    "mean_of_pixels": chained(conv(), reduction("MEAN", IMAGE, (0, 1, 2, 3))),
    "sum": chained(conv(), reduction("SUM", IMAGE, scales=(0.25, 9.0))),
    "sum_of_pieces": chained(conv(), VIEW, reduction("SUM", OTHER)),
    "average_of_pieces": chained(
        conv(),
        VIEW,
        pool("AVERAGE_POOL_2D", OTHER, (4, 3), padding=VALID, scale=0.25, zero_point=11),
    ),
    "channels_multiplied": chained(
        conv(),
        mul(
            IMAGE,
            (3,),
            constants=(False, True),
            scales=(0.25, 0.2, 0.4),
            zero_points=(11, -5, 7),
        ),
        reduction("MEAN", IMAGE, scales=(0.4, 0.4), zero_points=(7, 7)),
    ),
    "largest_channel": chained(conv(), best_index("ARG_MAX", IMAGE, 3)),
    "largest_column": chained(conv(), best_index("ARG_MIN", IMAGE, 2)),
}


@pytest.mark.parametrize("name", MODELS)
def test_equals_tflm(name: str, tmp_path: Path) -> None:
    """On the host, where every dead byte is overwritten."""
    case, host = random_case(MODELS[name]), load_target("host")
    data = build_model(case.model)
    request = Request(data, "model", host, schedule=Mode.STREAM, checked=True)
    schedule, _ = plan_program(select_program(request), request)
    assert any(task.is_streamed for task in schedule.tasks)
    (samples,) = case.samples
    outcome = run_model(compile_model(request), host, samples.tobytes(), folder=tmp_path)
    (expected,) = tflm_outputs(data, [samples])
    assert outcome.output == expected.tobytes()
