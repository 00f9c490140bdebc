"""Mutated models: each is accepted or refused with one clean message, in little time and memory.

    pytest tests/model_file/test_malformed.py --mutations=20000

is the full run, as `./tinyml conformance mutations=20000` is; by default some thousand copies
are tried, and other ones with another seed.  The same numbers give the same
copies: `python -m tests.model_file.malformed_worker MODEL NUMBER 1` tries a single one again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from tests.conftest import PROJECT, ZooModel
from tests.model_file.malformed_worker import MEMORY_BYTES, TIME_S, failure, plan_copy
from tests.support.mutations import Mutator
from tests.support.operator_cases import cases_of, file_of
from tinyml_rules.model_file.tensors import MAX_ELEMENTS
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.ops.softmax.cases import softmax

ZOO = ("sine", "speech", "kws", "ad", "person_detect")
SMALL = {
    "add": "broadcast_both_sides_constant",
    "average_pool_2d": "relu6",
    "conv_2d": "dilations_2",
    "depthwise_conv_2d": "same",
    "dequantize": "scale_not_exact",
    "fully_connected": "per_axis",
    "quantize": "float_ties",
    "reshape": "shape_in_both",
    "softmax": "depth_10",
}
"""A case of each operator; in a small file, nearly every change is one of its structure."""

OF_A_SEED = 1_000_000
"""Numbers of copies that begin with each seed."""
RUN_TIMEOUT_S = 1200


def run_worker(model: Path, *, count: int, first: int = 0) -> dict[str, int]:
    """How many copies were accepted, refused, and another one again; fails with the first failures'
    tracebacks."""
    command = [
        sys.executable,
        "-m",
        "tests.model_file.malformed_worker",
        str(model),
        str(first),
        str(count),
    ]
    done = subprocess.run(
        command, cwd=PROJECT, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False
    )
    last = done.stderr.strip().splitlines()[-1:]
    assert done.returncode == 0, f"the process ended with {done.returncode} at copy {last}"
    result = json.loads(done.stdout)
    failures = [f"copy {number}: {text}" for number, text in result["failures"].items()]
    assert not failures, f"{len(failures)} failures\n" + "\n".join(failures[:5])
    return {name: result[name] for name in ("accepted", "refused", "again")}


@pytest.mark.parametrize("name", [*ZOO, *SMALL])
def test_mutations(
    name: str, zoo_model: ZooModel, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Both answers occur, so the changes are neither harmless nor hopeless."""
    if name in ZOO:
        model = zoo_model(name)
    else:
        model = tmp_path / f"{name}.tflite"
        model.write_bytes(file_of(cases_of(name)[SMALL[name]]))
    count = -(-pytestconfig.getoption("--mutations") // (len(ZOO) + len(SMALL)))
    first = OF_A_SEED * (pytestconfig.getoption("--random-seed") - 1)
    result = run_worker(model, count=count, first=first)
    assert sum(result.values()) == count
    assert min(result["accepted"], result["refused"]) > 0


def test_what_counts_as_a_failure() -> None:
    """An exception of another kind does, a refused copy does not."""
    assert failure(b"no model") is None
    text = failure(None)  # type: ignore[arg-type]
    assert text is not None
    assert "TypeError" in text


def test_copies_differ() -> None:
    """Most copies are not the original, and the same number gives the same copy."""
    data = file_of(cases_of("add")["same_shape"])
    copies = [Mutator(data).mutate(number) for number in range(100)]
    assert copies == [Mutator(data).mutate(number) for number in range(100)]
    assert sum(copy != data for copy in copies) > 80


@pytest.mark.parametrize(
    "model",
    [
        relu((MAX_ELEMENTS,)),
        add((MAX_ELEMENTS,), (MAX_ELEMENTS,)),
        conv((1, MAX_ELEMENTS, 1, 1), outputs=1),
        pool("MAX_POOL_2D", (1, MAX_ELEMENTS // 4, 2, 2), strides=(1, 1)),
        softmax((MAX_ELEMENTS, 1)),
    ],
    ids=lambda model: model.operators[0].name,
)
def test_largest_tensor(model: ModelSpec) -> None:
    """A file of some hundred bytes may ask for as many values as are allowed."""
    tracemalloc.start()
    begin = time.monotonic()
    try:
        plan_copy(build_model(model))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert time.monotonic() - begin < 6 * TIME_S  # measuring memory makes it slower
    assert peak_bytes < 4 * MEMORY_BYTES
