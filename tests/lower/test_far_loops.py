"""Loops over more than 64 kB of weights, which GCC for AVR counts in 16 bits where it can.

At -O2 it works out where such a loop ends, at -O3 for some: those never ended, and wrote past RAM.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.chained import chained
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.operator_cases import file_of, graph_of, is_right, result_bytes, sample_bytes
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.ops._shared.cases.int16x8 import in_16_bits
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.svdf.cases import sequence as svdf_sequence
from tinyml_rules.ops.svdf.cases import svdf
from tinyml_rules.ops.transpose_conv.cases import transpose_conv
from tinyml_rules.ops.unidirectional_sequence_lstm.cases import lstm
from tinyml_rules.ops.unidirectional_sequence_lstm.cases import sequence as lstm_sequence

PART = "atmega2560"
SAMPLES = 2


def _convolved(*image: int, window: int, outputs: int, **more: Any) -> ModelSpec:
    whole = (image[0], image[1], image[2], image[3])
    size = (window, window)
    return conv(whole, size, outputs=outputs, is_per_axis=False, **more)


def _many(model: ModelSpec) -> Case:
    whole = random_case(model)
    return Case(whole.model, tuple(each[:SAMPLES] for each in whole.samples))


LAYERS: Mapping[str, Callable[[], Case]] = {
    "dense_of_few": lambda: _many(dense((1, 101), (1, 701))),
    "dense_of_many": lambda: _many(dense((1, 640), (1, 128))),
    "dense_int4": lambda: _many(dense((1, 600), (1, 240), bits=4)),
    "dense_int16": lambda: _many(in_16_bits(dense((1, 640), (1, 128)))),
    "conv_1x1": lambda: _many(_convolved(1, 2, 2, 255, window=1, outputs=301)),
    "conv_1x1_int4": lambda: _many(_convolved(1, 1, 2, 256, window=1, outputs=560, bits=4)),
    "conv_3x3": lambda: _many(_convolved(1, 3, 3, 64, window=3, outputs=128)),
    "conv_1x1_int4_of_few": lambda: _many(
        chained(*9 * [_convolved(1, 1, 1, 128, window=1, outputs=128, bits=4)])
    ),
    "conv_3x3_of_groups": lambda: _many(_convolved(1, 2, 2, 128, window=3, outputs=128, groups=2)),
    "conv_3x3_int16": lambda: _many(in_16_bits(_convolved(1, 2, 2, 64, window=3, outputs=128))),
    "transpose_conv": lambda: _many(transpose_conv((1, 2, 2, 64), outputs=128, is_per_axis=False)),
    "svdf": lambda: svdf_sequence(svdf(input_count=400, units=180, rank=1), count=2),
    "lstm": lambda: lstm_sequence(lstm(steps=1, input_count=520, units=40), count=4),
}


@pytest.mark.parametrize("level", ["-O3", "-O2"])
def test_equals_the_reference(level: str, tmp_path: Path) -> None:
    target = target_or_skip(PART)
    flags = (*target.toolchain.compile_flags, level)  # after -O3, so that the level counts
    target = replace(target, toolchain=replace(target.toolchain, compile_flags=flags))
    cases = {name: make() for name, make in LAYERS.items()}
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name]), is_sequence=case.is_sequence)
        for name, case in cases.items()
    ]
    outputs = run_combined(target, jobs, folder=tmp_path)
    for name, case in cases.items():
        text = (tmp_path / f"{name}.c").read_text()
        assert "__memx *weights" in text, name
        assert is_right(case, result_bytes(case, graphs[name], outputs[name])), name
