"""`accuracy` of a model whose rounding is LiteRT's."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.accuracy.conftest import Ask
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model


def dense() -> bytes:
    """a[1, 16] -> FULLY_CONNECTED -> b[1, 8]."""
    weights = np.random.default_rng(5).integers(-127, 128, (8, 16), np.int8)
    spec = ModelSpec(
        tensors=(
            TensorSpec("a", (1, 16), scales=(1.0,), zero_points=(0,)),
            TensorSpec("weights", (8, 16), scales=(0.01,), zero_points=(0,), data=weights),
            TensorSpec("b", (1, 8), scales=(7.0,), zero_points=(0,)),
        ),
        operators=(OperatorSpec("FULLY_CONNECTED", (0, 1, -1), (2,), {}, version=4),),
        inputs=(0,),
        outputs=(2,),
    )
    return build_model(spec)


def test_rounding(ask: Ask, tmp_path: Path) -> None:
    """What is judged is what is compiled: by LiteRT's answers, where TFLM has others."""
    model = tmp_path / "dense.tflite"
    model.write_bytes(dense())
    samples = np.random.default_rng(6).integers(-128, 128, (4000, 1, 16), np.int8)
    (right,) = litert_outputs(dense(), [samples])
    (other,) = tflm_outputs(dense(), [samples])
    assert np.abs(right.astype(int) - other).max() == 1
    vectors = {"a": samples, "expected": right.astype(np.float32) * 7}
    exact = ("--max-difference", "0")
    assert ask(model, vectors, *exact, "--rounding", "litert")[0] == 0
    status, _, said = ask(model, vectors, *exact)
    assert (status, "an output differs by 7 (" in said) == (1, True)
