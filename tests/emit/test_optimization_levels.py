"""Firmware is built with other levels of optimization than our -O3: results are the same.

Without any, assembly that takes nearly all registers has to leave one to the frame pointer; for
size, GCC 12 for the Cortex-M55 drops comparisons after loops that count down by more than 1.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    cases_of,
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
)

CASES = (
    ("conv_2d", "many_channels"),
    ("conv_2d", "eight_outputs"),
    ("conv_2d", "int4"),
    ("conv_2d", "int4_even"),
    ("conv_2d", "int4_groups"),
    ("conv_2d", "int16_eight_outputs"),
    ("conv_2d", "real_same"),
    ("depthwise_conv_2d", "many_channels"),
    ("depthwise_conv_2d", "relu_at_lowest"),
    ("depthwise_conv_2d", "four_channels_strided"),
    ("fully_connected", "wide_odd"),
    ("fully_connected", "int4"),
    ("fully_connected", "int4_per_axis"),
    ("softmax", "depth_10"),
)
PARTS = ("atmega1284p", "atsamv71", "mps3_an547", "lm3s6965", "nrf51", "riscv32imc", "esp8266")


LEVELS = {"none": ("-O0", "-fno-omit-frame-pointer"), "size": ("-Os",), "2": ("-O2",)}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, level: str, tmp_path: Path) -> None:
    """Of everything but the functions of assembly alone, which GCC optimizes in any case."""
    target = target_or_skip(part)
    flags = (*target.toolchain.compile_flags, *LEVELS[level])  # after -O3, so that the level counts
    target = replace(target, toolchain=replace(target.toolchain, compile_flags=flags))
    cases = {f"{operator}_{name}": cases_of(operator)[name] for operator, name in CASES}
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name])) for name, case in cases.items()
    ]
    outputs = run_combined(target, jobs, folder=tmp_path)
    for name, case in cases.items():
        assert is_right(case, result_bytes(case, graphs[name], outputs[name])), name
