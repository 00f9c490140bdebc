"""The header's conversions from and to real numbers equal numpy's, which equal TFLM's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.emit.compiled import build_program, compile_c
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.ops.relu.cases import relu
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
