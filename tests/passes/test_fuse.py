"""The nodes of an audio front end are one, where its kernel can do their work; features are TFLM's
in either case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.front_end import CHANNELS, SAMPLES, bank, front_end, sequence, window, with_logs
from tests.support.operator_cases import (
    expected_bytes,
    file_of,
    graph_of,
    is_right,
    oracle_bytes,
    result_bytes,
)
from tests.support.stages import passed, read
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.passes import run_passes
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import load_target

ONE = "audio_front_end"
MOST = {"nrf52840": 46_500, "nrf51": 112_500, "atmega1284p": 510_000}
"""Instructions of a row, or cycles."""
_ALTERNATE = {"alternate_smoothing": 0, "alternate_one_minus_smoothing": 16383}
FUSED = {
    "as_the_script": front_end(),
    "other_numbers": front_end(
        divisor=411, snr_shift=0, subtraction={**_ALTERNATE, "smoothing_bits": 3}
    ),
    "short_window": front_end(weights=window() // 3),
}
_ENDS = bank()
KEPT = {
    "clamping": front_end(subtraction={"clamping": True}),
    "smoothing_above_one": front_end(subtraction={"smoothing": 410}),
    "more_bits": front_end(subtraction={"spectral_subtraction_bits": 17}),
    "window_above_one": front_end(weights=window() + 1),
    "weights_below_0": front_end(tables={"weights": -_ENDS["weights"]}),
    "bins_twice": front_end(tables={"frequency_starts": np.minimum(_ENDS["frequency_starts"], 40)}),
    "values_below": front_end(filling=3),
    "bin_0": front_end(first=0, tables={"frequency_starts": _ENDS["frequency_starts"] - 5}),
    "longer_transform": front_end(length=1024),
    "an_output_between": with_logs(front_end()),
}


@pytest.mark.parametrize("name", [*FUSED, *KEPT])
def test_nodes(name: str) -> None:
    """One node, or all."""
    nodes = [node.op for node in passed({**FUSED, **KEPT}[name]).nodes]
    assert (nodes == [ONE]) == (name in FUSED)
    assert name in FUSED or ONE not in nodes


def test_layers_are_kept() -> None:
    """On request."""
    graph = run_passes(read(front_end()), builtin_operators(), keeps_layers=True)
    assert [node.op for node in graph.nodes].count(ONE) == 0


def test_oracle() -> None:
    """The meaning is that of the nodes."""
    case = sequence(FUSED["as_the_script"], count=4)
    graph = graph_of(case, name="model")
    assert is_right(case, result_bytes(case, graph, oracle_bytes(case, graph)))


def test_features_on_the_host(tmp_path: Path) -> None:
    """Fused or not, in sequence; and from a fresh start for each frame."""
    cases = {name: sequence(model, count=20) for name, model in FUSED.items()}
    cases["clamping"] = sequence(KEPT["clamping"], count=6)
    cases["fresh"] = replace(sequence(front_end(), count=3), is_sequence=False)
    assert not wrong_in_c(cases, SANITIZED, folder=tmp_path)


@pytest.mark.parametrize("part", MOST)
def test_features_on_parts(part: str, tmp_path: Path) -> None:
    """With products of 64 bits, without, and with the pieces of AVR: the bytes, and no more work
    than was measured."""
    case = sequence(front_end(), count=6)
    frames = case.samples[0][[0, 3, *range(6, len(case.samples[0]))]]
    target = target_or_skip(part)
    compiled = compile_model(Request(file_of(case), "front_end", target))
    outcome = run_model(compiled, target, frames.tobytes(), folder=tmp_path)
    assert outcome.output == expected_bytes(replace(case, samples=(frames,)))
    run = outcome.report.run
    assert run is not None
    assert (run.cycles or run.instructions or 0) <= MOST[part]


def test_memory() -> None:
    """One buffer for the spectrum, the estimates, samples and features: nothing else."""
    compiled = compile_model(
        Request(build_model(front_end()), "front_end", load_target("nrf52840"))
    )
    assert compiled.report.arena_bytes == 2 * 512 + 4 * CHANNELS + 2 * SAMPLES + CHANNELS
