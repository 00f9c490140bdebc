"""How many floats exp, expm1, log, tanh, sqrt, sin, cos, erfc and powers of the generated C, and
their meanings in numpy, map to another float than this computer's C library: `python -m
benchmarks.real_functions [STEP]`.

With STEP 1, which is the default, all 2^32 floats are tried in C, which takes minutes; with another
one every STEP-th, and in numpy never more than every 1021st.  NaN equals NaN.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.real_error_function import real_erfc
from tinyml_rules.arithmetic.real_exponential import real_exp
from tinyml_rules.arithmetic.real_hyperbolic import real_expm1, real_tanh
from tinyml_rules.arithmetic.real_logarithm import real_log
from tinyml_rules.arithmetic.real_power import real_power
from tinyml_rules.arithmetic.real_trigonometric import real_cos, real_sin
from tinyml_rules.compiler import compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import model_of, typed
from tinyml_rules.ops._shared.cases.real_maps import real_model
from tinyml_rules.request.request import Request
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import load_target

Float32Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Function:
    """One of them: a model that calls it, what it is in C with the library, and in numpy."""

    model: ModelSpec
    in_c: str
    in_numpy: Callable[[Float32Array], Float32Array]


def _power(exponent: float) -> Function:
    """A constant exponent of each base, which is no whole number."""
    raised = np.full((1, 64), exponent, np.float32)
    tensors = (
        typed("input", (1, 64), "float32"),
        TensorSpec("exponents", (1, 64), "float32", data=raised),
    )
    return Function(
        model_of("POW", tensors, typed("output", (1, 64), "float32")),
        f"powf(x, {exponent}f)",
        lambda x: real_power(x, np.full_like(x, exponent)),
    )


_HALF, _MINUS_ROOT_OF_HALF = np.float32(0.5), np.float32(-0.70710678118654752)
FUNCTIONS = {
    "exp": Function(real_model("EXP"), "expf(x)", real_exp),
    "expm1": Function(
        real_model("ELU"),
        "x < 0.0f ? expm1f(x) : x",
        lambda x: np.where(x < 0, real_expm1(x), x),
    ),
    "log": Function(real_model("LOG"), "logf(x)", real_log),
    "tanh": Function(real_model("TANH"), "tanhf(x)", real_tanh),
    "sqrt": Function(real_model("SQRT"), "sqrtf(x)", np.sqrt),
    "sin": Function(real_model("SIN"), "sinf(x)", real_sin),
    "cos": Function(real_model("COS"), "cosf(x)", real_cos),
    "erfc": Function(
        real_model("GELU"),
        "0.5f * x * erfcf(x * -0.70710678118654752f)",
        lambda x: _HALF * x * real_erfc(x * _MINUS_ROOT_OF_HALF),
    ),
    "power of 0.3": _power(0.3),
    "power of -2.5": _power(-2.5),
}
LEAST_STEP_OF_NUMPY = 1021
VALUES = 64
MAIN = """
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

static int differ(float one, float other)
{
    return memcmp(&one, &other, sizeof one) != 0 && !(one != one && other != other);
}

void library(const float *values, float *results, long count)
{
    for (long i = 0; i < count; i++) {
        const float x = values[i];
        results[i] = FUNCTION;
    }
}

int main(int count, char **words)
{
    const uint64_t step = strtoull(words[count - 1], 0, 10);
    unsigned long long different = 0;
    for (uint64_t first = 0; first < (uint64_t)1 << 32; first += VALUES * step) {
        float values[VALUES], expected[VALUES];
        for (int i = 0; i < VALUES; i++) {
            const uint32_t bits = (uint32_t)(first + (uint64_t)i * step);
            memcpy(values + i, &bits, sizeof bits);
        }
        library(values, expected, VALUES);
        memcpy(model_input(), values, sizeof values);
        model_invoke();
        for (int i = 0; i < VALUES; i++) {
            different += (unsigned long long)differ(model_output()[i], expected[i]);
        }
    }
    printf("%llu", different);
    return 0;
}
"""


def differences(name: str, step: int, folder: Path) -> tuple[int, int]:
    """How many of every `step`-th float a function maps otherwise: (in C, in numpy)."""
    function = FUNCTIONS[name]
    request = Request(
        build_model(function.model), "model", load_target("host"), optimize=Optimize.LAYERS
    )
    for file, text in compile_model(request).files.items():
        (folder / file).write_text(text, encoding="utf-8")
    main = MAIN.replace("FUNCTION", function.in_c).replace("VALUES", str(VALUES))
    (folder / "main.c").write_text(main, encoding="utf-8")
    sources = [str(folder / each) for each in ("main.c", "model.c")]
    plain = ["gcc", "-std=c99", "-O2", "-ffp-contract=off", f"-I{folder}", *sources]
    run_tool([*plain, "-o", str(folder / "program"), "-lm"], where=name)
    run_tool([*plain, "-shared", "-fPIC", "-o", str(folder / "library.so"), "-lm"], where=name)
    found = subprocess.run(
        [folder / "program", str(step)], check=True, capture_output=True, text=True
    )
    library = ctypes.CDLL(str(folder / "library.so"))
    wrong = sum(
        _count(values, function.in_numpy(values), library)
        for values in _floats(max(step, LEAST_STEP_OF_NUMPY))
    )
    return int(found.stdout), wrong


def _floats(step: int) -> Iterator[Float32Array]:
    """Every `step`-th float, a part after the other."""
    bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32)
    yield from np.array_split(bits.view(np.float32), 8)


def _count(values: Float32Array, found: Float32Array, library: ctypes.CDLL) -> int:
    expected, found = np.empty_like(values), np.ascontiguousarray(found, np.float32)
    places = (array.ctypes.data_as(ctypes.c_void_p) for array in (values, expected))
    library.library(*places, ctypes.c_long(values.size))
    differ = found.view(np.uint32) != expected.view(np.uint32)
    return int((differ & ~(np.isnan(found) & np.isnan(expected))).sum())


def main(step: int) -> None:
    """Print a row for each function."""
    print(f"{'every ' + str(step):14} {'in C':>10} {'in numpy':>10}", flush=True)
    for name in FUNCTIONS:
        with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
            print(
                "{:14} {:>10} {:>10}".format(name, *differences(name, step, Path(folder))),
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1)
