"""A keyword spotter and an anomaly detector decide on recordings as TFLM's outputs say."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.decide.models import decided
from tests.decide.probes import Probe, run_probes
from tests.docs.pages import read_page
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.compiler import Compiled
from tinyml_rules.ir.interface import ArenaMode

KEYWORDS = '[output]\nhead = ["argmax", "top-k"]\nk = 3\n'
ANOMALY = '[output]\nhead = "mean-squared-difference"\nthreshold = 10\nlabels = ["anomaly"]\n'


def recordings(folder: Path, name: str, compiled: Compiled) -> AnyArray:
    """The samples that were kept aside, quantized as the input is."""
    port = compiled.interface.inputs[0]
    with np.load(folder / f"{name}_data.npz") as data:
        real = data["x_eval"].astype(np.float32)
    return quantize_real(real, scale=port.scale, zero_point=port.zero_point)


@pytest.mark.parametrize(
    ("part", "arena", "is_pushed"),
    [
        ("host", ArenaMode.STATIC, False),
        ("host", ArenaMode.CALLER, True),
        ("nrf52840", ArenaMode.SHARED, True),
    ],
)
def test_keywords(
    part: str, arena: ArenaMode, is_pushed: bool, trained: Path, tmp_path: Path
) -> None:
    """The best class is that of TFLM's scores in all 232, and the best three where they differ."""
    target, model = target_or_skip(part), (trained / "kws_tf.tflite").read_bytes()
    compiled = decided(
        model, KEYWORDS, tmp_path, name="kws", target=target, arena=arena, is_pushed=is_pushed
    )
    samples = recordings(trained, "kws", compiled)
    samples = samples if part == "host" else samples[::8]
    calls = ("kws_decide(@)", *(f"classes[{place}]" for place in range(3)))
    probe = Probe(compiled, calls, "int16_t classes[KWS_TOP_K]; kws_top_k(@, classes);")
    (found,) = run_probes(target, [probe], [samples], tmp_path)
    shape = tflm_shape(compiled)
    (scores,) = tflm_outputs(model, [samples.reshape(-1, *shape)])
    scores = scores.reshape(len(samples), -1).astype(np.int64)
    np.testing.assert_array_equal(found[:, 0], np.argmax(scores, axis=1))
    np.testing.assert_array_equal(found[:, 1], found[:, 0])
    ranked = np.take_along_axis(scores, found[:, 1:].astype(np.int64), axis=1)
    np.testing.assert_array_equal(ranked, -np.sort(-scores, axis=1)[:, :3])


def tflm_shape(compiled: Compiled) -> tuple[int, ...]:
    """Of a sample."""
    return compiled.interface.inputs[0].shape


@pytest.mark.parametrize(
    ("part", "arena"),
    [
        (SANITIZED, ArenaMode.STATIC),
        ("nrf52840", ArenaMode.CALLER),
        ("riscv32imc", ArenaMode.SHARED),
    ],
)
def test_anomalies(part: str, arena: ArenaMode, trained: Path, tmp_path: Path) -> None:
    """The score is that of TFLM's outputs and of the inputs, within the bound of the header."""
    target, model = target_or_skip(part), (trained / "ad_tf.tflite").read_bytes()
    compiled = decided(model, ANOMALY, tmp_path, name="ad", target=target, arena=arena)
    samples = recordings(trained, "ad", compiled)[::4]
    probe = Probe(compiled, ("ad_score(@)", "ad_is_anomaly(@)"))
    (found,) = run_probes(target, [probe], [samples], tmp_path)
    (made,) = tflm_outputs(model, [samples.reshape(-1, *tflm_shape(compiled))])
    header = compiled.files["ad.h"]
    (bits,) = map(int, re.findall(r"AD_FRACTION_BITS (\d+)", header))
    (bound,) = re.findall(r"both tensors by at most ([\d.eE+-]+)\.", header)
    given, result = (
        [Fraction(port.scale) * (q - port.zero_point) for q in range(-128, 128)]
        for port in (compiled.interface.inputs[0], compiled.interface.outputs[0])
    )
    for one, other, (score, is_anomaly) in zip(samples, made, found.tolist(), strict=True):
        pairs = zip(one.reshape(-1).tolist(), other.reshape(-1).tolist(), strict=True)
        squares = [(given[a + 128] - result[b + 128]) ** 2 for a, b in pairs]
        assert abs(Fraction(score, 2**bits) - sum(squares) / len(squares)) <= Fraction(bound)
        assert is_anomaly == (Fraction(score, 2**bits) >= 10)
    assert Fraction(bound) < Fraction(1, 10**5)


def test_examples_of_the_page(trained: Path, zoo_model: ZooModel, tmp_path: Path) -> None:
    """Each description there is one of a model's, and the C beside it calls what is there."""
    page = read_page("how-to/decisions.md")
    texts = re.findall(r"```toml\n(# .*?)```", page, re.S)
    blocks = "".join(re.findall(r"```c\n.*?```", page, re.S))
    calls = {*re.findall(r"\b(?:kws|speech|ad)_[a-z_]+(?=\()", blocks)}
    headers = ""
    files = {name: trained / f"{name}_tf.tflite" for name in ("kws", "ad")}
    files["speech"] = zoo_model("speech")
    for text, name in zip(texts, ("kws", "speech", "ad"), strict=True):
        compiled = decided(files[name].read_bytes(), text, tmp_path, name=name)
        headers += compiled.files[f"{name}.h"]
        assert f"#define {name.upper()}_CLASS_" in headers
    assert calls - {*re.findall(r"\w+(?=\()", headers)} == {"kws_reaches_threshold"}
    both = texts[0].replace('"top-k"]\nk = 3', '"threshold"]\nthreshold = 0.7')
    compiled = decided((trained / "kws_tf.tflite").read_bytes(), both, tmp_path, name="kws")
    assert "bool kws_reaches_threshold(int index);" in compiled.files["kws.h"]
