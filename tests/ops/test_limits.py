"""Windows, strides and dilations of any size: the code equals TFLM, or one error says why not.

The cases of the operators have what exceeds an `int` of AVR; here is more, up to what TFLM holds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import expected_bytes, file_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import random_case, with_options
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MOST = 2**31 - 1
KERNELS = PROJECT / "tinyml_rules/ops"

HUGE = {
    "dilation_of_one_tap": conv((1, 5, 5, 1), (1, 1), dilations=(MOST, 2**30)),
    "stride": conv((1, 5, 5, 1), strides=(MOST - 5, 2**30)),
    "stride_of_channels": depthwise((1, 5, 5, 2), strides=(2**30, MOST - 5)),
    "rows_of_a_maximum": pool("MAX_POOL_2D", (1, 5, 5, 2), (65_536, 3), strides=(1, 1)),
    "columns_of_a_mean": pool("AVERAGE_POOL_2D", (1, 4, 5, 2), (3, 65_536), strides=(2, 1)),
    "all_of_a_mean": pool("AVERAGE_POOL_2D", (1, 4, 5, 2), (65_539, 65_540), strides=(9, MOST - 5)),
}


def random_window(seed: int) -> ModelSpec:
    """A padded window that the image may be far too small for, and that may jump over it."""
    generator = np.random.default_rng(seed)

    def pair(*of: int) -> tuple[int, int]:
        down, across = generator.choice(of, 2)
        return int(down), int(across)

    image = (1, *pair(1, 2, 3, 5, 8), int(generator.integers(1, 5)))
    strides = pair(1, 2, 3, 7)
    if seed % 4 == 0:
        return pool("AVERAGE_POOL_2D", image, pair(1, 2, 4, 9, 500), strides=strides)
    dilations = pair(1, 2, 3, 5, 9, 16_000)
    make = conv if seed % 2 else depthwise
    return make(image, pair(1, 2, 3, 4), strides=strides, dilations=dilations)


def test_windows_equal_tflm(tmp_path: Path) -> None:
    """Huge and random ones, under sanitizers: an array of as many rows as the huge ones have would
    exceed the stack."""
    models = {**HUGE, **{f"random_{seed}": random_window(seed) for seed in range(40)}}
    cases = {name: random_case(model) for name, model in models.items()}
    jobs = [
        Job(name, file_of(case), b"".join(samples.tobytes() for samples in case.samples))
        for name, case in cases.items()
    ]
    outputs = run_combined(target_or_skip(SANITIZED), jobs, folder=tmp_path)
    assert outputs == {name: expected_bytes(case) for name, case in cases.items()}


def error_of(model: ModelSpec, target: str = "host") -> str:
    """The text of the refusal."""
    with pytest.raises(UnsupportedError) as caught:
        compile_model(Request(build_model(model), "model", load_target(target)))
    return str(caught.value)


@pytest.mark.parametrize(
    ("model", "error"),
    [
        (
            with_options(conv((1, 5, 5, 1)), DilationHFactor=2**30),
            "model: node 0 (conv_2d): error: dilation 1073741824 down input tensor #0 'input', "
            "expected at most 32767: TFLM counts in 16 bits",
        ),
        (
            with_options(depthwise((1, 5, 5, 2), (3, 2)), DilationWFactor=40_000),
            "model: node 0 (depthwise_conv_2d): error: dilation 40000 across input tensor #0 "
            "'input', expected at most 32767: TFLM counts in 16 bits",
        ),
        (
            conv((1, 70_000, 1, 1), strides=(40_000, 1)),
            "model: node 0 (conv_2d): error: stride 40000 down input tensor #0 'input', "
            "expected at most 32767: TFLM counts in 16 bits",
        ),
        (
            pool("MAX_POOL_2D", (1, 5, 5, 2), strides=(MOST, 1)),
            "model: node 0 (max_pool_2d): error: stride 2147483647 down input tensor #0 'input', "
            "expected at most 2147483642: TFLM counts in 32 bits",
        ),
        (
            pool("AVERAGE_POOL_2D", (1, 5, 5, 2), (3, 2**30), strides=(1, 1)),
            "model: node 0 (average_pool_2d): error: padding 536870911 across input tensor "
            "#0 'input', expected at most 32767: TFLM counts in 16 bits",
        ),
    ],
    ids=["dilation", "dilation_of_channels", "stride", "stride_of_a_pool", "window_of_a_pool"],
)
def test_beyond_what_tflm_holds_is_refused(model: ModelSpec, error: str) -> None:
    """It keeps strides and dilations of convolutions, and all paddings, in 16 bits: more than that
    becomes another number there, 2^30 becomes 0."""
    assert error_of(model) == error


def test_table_too_large_for_an_array_on_avr_is_refused() -> None:
    """8,192 biases of 4 bytes would end in the compiler's words; the part has flash for them."""
    model = dense((1, 1), (1, 8192), bias_size=5)
    assert error_of(model, "atmega1284p") == (
        "model: node 0 (fully_connected): error: the bytes of its table 'bias' are 32768, "
        "expected at most 32767, the most that an `int` of 'atmega1284p' holds"
    )
    compile_model(Request(build_model(model), "model", load_target("nrf52840")))


def test_pieces_that_an_int_of_avr_cannot_number_are_refused() -> None:
    """Rows of a large image stream into a layer that numbers all of its values."""
    layer = dense((1, 200, 200, 1), (1, 2), input_count=40_000)
    source, weights, bias, result = layer.tensors
    (operator,) = layer.operators
    model = ModelSpec(
        (source, weights, bias, result, replace(source, name="clamped")),
        (OperatorSpec("RELU", (0,), (4,)), replace(operator, inputs=(4, 1, 2))),
        (0,),
        (3,),
    )
    request = Request(build_model(model), "model", load_target("atmega1284p"), push_rows=True)
    with pytest.raises(UnsupportedError) as caught:
        compile_model(request)
    assert str(caught.value) == (
        "model: node 1 (fully_connected): error: the bytes of tensor #4 'clamped' that are walked "
        "over are 40000, expected at most 32767, the most that an `int` of 'atmega1284p' holds"
    )
    compile_model(replace(request, target=load_target("nrf51")))
