"""Float model and samples -> firmware through Bazel, and the budget that ends a build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.bazel.builds import BUILD_OPTIONS, Bazel, copy_rules, worked
from tests.frontends.float_model import calibration, float_model, quantized, write_labels

BUILD = """
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model", "tinyml_quantize")

tinyml_quantize(
    name = "small_int8",
    src = "float.tflite",
    calibration = "cal.npy",
    scales = "power-of-two",
)

tinyml_model(
    name = "small",
    src = ":small_int8",
    accuracy_min = "1",
    accuracy_vectors = "labelled.npz",
    target = "atmega328",
)
"""


@pytest.fixture
def own_workspace(bazel: Bazel, tmp_path: Path) -> Iterator[Path]:
    """A copy with a package `small` of a float model, which the test may change."""
    folder = copy_rules(tmp_path / "rules")
    package = folder / "small"
    package.mkdir()
    (package / "BUILD.bazel").write_text(BUILD.lstrip())
    (package / "float.tflite").write_bytes(float_model())
    np.save(package / "cal.npy", calibration())
    yield folder
    bazel.stop(folder)


def test_from_float(bazel: Bazel, own_workspace: Path) -> None:
    """The command line's bytes; a changed sample quantizes again; a budget that is not kept is told
    once, and nothing is compiled."""
    package, made = own_workspace / "small", own_workspace / "bazel-bin" / "small"
    model = quantized(package)
    write_labels(package, model)
    assert worked(bazel.build(own_workspace, "//small")) == 3  # quantize, judge, compile
    assert (made / "small_int8.tflite").read_bytes() == model

    np.save(package / "cal.npy", calibration(last=30.0))
    other = quantized(package)
    write_labels(package, other, wrong=3)
    done = bazel.run(own_workspace, "build", *BUILD_OPTIONS, "//small")
    said = "small: error: accuracy 0.7500 (9 of 12 samples), expected at least 1; class "
    assert (done.returncode, done.stderr.count(said)) == (1, 1), done.stderr
    assert (made / "small_int8.tflite").read_bytes() == other != model
