"""Debug builds: assembly that takes nearly all registers works without optimization as well."""

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
    ("depthwise_conv_2d", "many_channels"),
    ("depthwise_conv_2d", "relu_at_lowest"),
    ("depthwise_conv_2d", "four_channels_strided"),
    ("fully_connected", "wide_odd"),
    ("softmax", "depth_10"),
)


PARTS = ("atmega1284p", "atsamv71", "mps3_an547", "lm3s6965", "nrf51", "riscv32imc", "esp8266")


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Of everything but the functions of assembly alone, which GCC optimizes in any case."""
    target = target_or_skip(part)
    # behind -O3, so that it counts; a frame pointer takes a register more
    flags = (*target.toolchain.compile_flags, "-O0", "-fno-omit-frame-pointer")
    target = replace(target, toolchain=replace(target.toolchain, compile_flags=flags))
    cases = {f"{operator}_{name}": cases_of(operator)[name] for operator, name in CASES}
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name])) for name, case in cases.items()
    ]
    outputs = run_combined(target, jobs, folder=tmp_path)
    for name, case in cases.items():
        assert is_right(case, result_bytes(case, graphs[name], outputs[name])), name
