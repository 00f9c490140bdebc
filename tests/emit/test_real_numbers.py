"""The header's conversions from and to real numbers equal numpy's, which equal TFLM's; real numbers
in streams."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.emit.compiled import build_program, compile_c
from tests.support.host import host, run_on_host
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import typed
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.system.process import run_program

MAIN = """
#include <stdio.h>
#include "model.h"

int main(void)
{
    for (int q = INT8_MIN; q <= INT8_MAX; q++) {
        const float real = model_dequantize_output((int8_t)q);
        fwrite(&real, sizeof real, 1, stdout);
    }
    float real;
    while (fread(&real, sizeof real, 1, stdin) == 1) {
        const int8_t q = model_quantize_input(real);
        fwrite(&q, 1, 1, stdout);
    }
    return 0;
}
"""


def real_numbers(scale: float) -> npt.NDArray[np.float32]:
    """All halves of the scale and their neighbours, the ends of float32, and random numbers."""
    ties = np.float32(scale) * np.arange(-300, 300.5, 0.5, dtype=np.float32)
    near = [np.nextafter(ties, np.float32(end)) for end in (-np.inf, np.inf)]
    limits = np.finfo(np.float32)
    ends = [0, -0.0, limits.smallest_subnormal, limits.tiny, limits.max, np.inf]
    generator = np.random.default_rng(5)
    bits = generator.integers(0, 2**32, 100_000, np.uint32).view(np.float32)
    everywhere = bits[np.isfinite(bits)]
    in_range = (generator.normal(0, 100, 100_000) * scale).astype(np.float32)
    both = np.concatenate([ties, *near, np.array(ends, np.float32), everywhere, in_range])
    return np.concatenate([both, -both])


@pytest.mark.parametrize(
    ("scale", "zero_point"),
    [(0.5, 0), (0.1, -128), (0.3, 127), (1 / 255, 5), (1e-20, 0), (3e20, -7), (1.0, 64)],
)
def test_conversions(scale: float, zero_point: int, tmp_path: Path) -> None:
    """Every int8 to real, and many reals to int8."""
    compiled = compile_c(relu((1, 1), scales=(scale,) * 2, zero_points=(zero_point,) * 2))
    program = build_program(MAIN, compiled, folder=tmp_path)
    port = compiled.interface.inputs[0]
    reals = real_numbers(port.scale)
    done = run_program([str(program)], where="program", timeout_s=60, input_bytes=reals.tobytes())
    every = np.arange(-128, 128).astype(np.int8)
    with np.errstate(over="ignore", under="ignore"):
        back = dequantize_real(every, scale=port.scale, zero_point=zero_point)
        expected = quantize_real(reals, scale=port.scale, zero_point=zero_point)
    np.testing.assert_array_equal(np.frombuffer(done.stdout[: 4 * 256], np.float32), back)
    np.testing.assert_array_equal(np.frombuffer(done.stdout[4 * 256 :], np.int8), expected)


def around_a_window() -> ModelSpec:
    """RELU of real numbers before and behind a pool of integers."""
    shape = (1, 7, 5, 2)
    model = pool("MAX_POOL_2D", shape, (3, 3), strides=(1, 1))
    (window,) = model.operators
    source, result = model.tensors
    made = result.shape
    tensors = (
        *(typed("input", shape, "float32"), typed("positive", shape, "float32"), source, result),
        *(typed("real", made, "float32"), typed("output", made, "float32")),
    )
    operators = (
        OperatorSpec("RELU", (0,), (1,)),
        OperatorSpec("QUANTIZE", (1,), (2,)),
        OperatorSpec("MAX_POOL_2D", (2,), (3,), window.options),
        OperatorSpec("DEQUANTIZE", (3,), (4,), version=2),
        OperatorSpec("RELU", (4,), (5,)),
    )
    return ModelSpec(tensors, operators, (0,), (5,))


@pytest.mark.parametrize("is_pushed", [False, True])
def test_streams(*, is_pushed: bool, tmp_path: Path) -> None:
    """Rows of real numbers, those that the caller pushes among them."""
    model = build_model(around_a_window())
    samples = np.random.default_rng(3).normal(0, 60, (3, 1, 7, 5, 2)).astype(np.float32)
    request = Request(
        model, "around", host(), schedule=Mode.STREAM, push_rows=is_pushed, checked=not is_pushed
    )
    compiled = compile_model(request)
    assert "around_stream_0" in compiled.files["around.c"]
    (expected,) = tflm_outputs(model, (samples,))
    found = run_on_host(compiled.files, compiled.interface, samples.tobytes(), folder=tmp_path)
    assert found == expected.tobytes()
