"""Whole models in avr8js and in the core of rp2040js: simavr's and QEMU's outputs and counts.

`tests/ops/test_cases.py` has the same for every kernel.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.support.hand_written import target_or_skip
from tests.support.javascript import run_twice
from tests.web.made import recorded
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import check_outputs, pack_samples, unpack_samples
from tinyml_rules.runners.model import build_test

SAMPLES = {"sine": 64, "speech": 2}


@pytest.mark.parametrize("target_name", ["atmega2560", "rp2040"])
@pytest.mark.parametrize("model", SAMPLES)
def test_model(model: str, target_name: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """TFLM's outputs; every cycle of an AVR, every instruction of a Cortex-M0+, and the estimate of
    its cycles."""
    target = target_or_skip(target_name)
    data = zoo_model(model).read_bytes()
    compiled = compile_model(Request.of(data, model, target, {"optimize": "layers"}))
    vectors = recorded(model, SAMPLES[model])
    inputs = {port.tensor: vectors[port.tensor] for port in compiled.interface.inputs}
    samples = pack_samples(compiled.interface, inputs, where=model)
    image = build_test(compiled, target, folder=tmp_path)
    result = run_twice(target, image, samples)
    outputs = unpack_samples(compiled.interface, result.output)
    check_outputs(compiled.interface, outputs, vectors, where=model)
