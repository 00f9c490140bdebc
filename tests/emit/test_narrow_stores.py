"""Values that Helium stores four bytes at a time are there before the next step reads them.

GCC 12 takes such a store for one of its first byte, and moved the reads of a SOFTMAX above it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.layers import LAYERS
from tests.support.combined import target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model


def test_reads_stay_behind_narrow_stores(tmp_path: Path) -> None:
    """A residual network whose last layers GCC puts into one function."""
    file = build_model(LAYERS["residual_network"]())
    target = target_or_skip("mps3_an547")
    compiled = compile_model(Request(file, "residual", target))
    (port,) = compiled.interface.inputs
    values = np.random.default_rng(7).integers(-128, 128, (4, *port.shape), np.int8)
    (expected,) = tflm_outputs(file, [values])
    outcome = run_model(compiled, target, values.tobytes(), folder=tmp_path)
    assert outcome.output == expected.tobytes()
