"""Mutated models: each is accepted or refused with one clean message, in little time and memory.

    pytest tests/model_file/test_malformed.py --mutations=20000

is the full run, as `./tinyml conformance mutations=20000` is; by default some thousand copies
are tried, and other ones with another seed.  The same numbers give the same
copies: `python -m tests.model_file.malformed_worker NUMBER 1 MODEL` tries a single one again.
Copies whose C differs are compiled and run under sanitizers.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROJECT, ZooModel
from tests.model_file.malformed_worker import MEMORY_BYTES, TIME_S, Tried, plan_copy
from tests.model_file.mutated_programs import run_copies
from tests.support.clean_errors import clean_errors
from tests.support.mutations import Mutator
from tests.support.operator_cases import cases_of, file_of
from tinyml_rules.cli import main
from tinyml_rules.errors import ModelError
from tinyml_rules.model_file.tensors import MAX_ELEMENTS
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.ops.softmax.cases import softmax

ZOO = ("sine", "keyword_synthetic", "speech", "kws", "ad", "person_detect")
EXAMPLES = ("digits", "motion", "rfc_cnn")
REAL = (*ZOO, *EXAMPLES)
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
FEWEST = 60
OF_CASES = 10
"""There is one copy of a case for so many of a real model."""
OF_COMMANDS = 60
START_S, COPY_S = 600, 0.1


def shares(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """How many copies of each model there are: a large file takes longer, and has more of the same
    fields."""
    shares = {name: 1 / math.sqrt(size) for name, size in sizes.items()}
    every = sum(shares.values())
    return {name: math.ceil(count * share / every) for name, share in shares.items()}


def run_worker(models: Sequence[Path], *, count: int, first: int = 0) -> list[dict[str, Any]]:
    """What became of the copies of each model; fails with the first failures' tracebacks."""
    command = [sys.executable, "-m", "tests.model_file.malformed_worker", str(first), str(count)]
    done = subprocess.run(
        [*command, *map(str, models)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=START_S + COPY_S * count * len(models),
        check=False,
    )
    last = done.stderr.strip().splitlines()[-1:]
    assert done.returncode == 0, f"the process ended with {done.returncode} at copy {last}"
    results = [json.loads(line) for line in done.stdout.splitlines()]
    failures = [f"copy {n}: {text}" for each in results for n, text in each["failures"].items()]
    assert not failures, f"{len(failures)} failures\n" + "\n".join(failures[:5])
    return results


def judge(model: Path, result: Mapping[str, Any], count: int, folder: Path) -> None:
    """All copies were tried, and both answers occur, so that the changes are neither harmless nor
    hopeless; those that differ in their C are built and run."""
    told = {name: result[name] for name in ("accepted", "refused", "again", "graphs")}
    assert told["accepted"] + told["refused"] + told["again"] == count
    assert min(told["accepted"], told["refused"]) > 0
    mutator = Mutator(model.read_bytes())
    folder.mkdir()
    ran = run_copies({number: mutator.mutate(number) for number in result["to_build"]}, folder)
    print(f"{model.stem}: {told}, {ran} run of {len(result['to_build'])} built")


@pytest.fixture
def first(pytestconfig: pytest.Config) -> int:
    """The number of the first copy."""
    seed: int = pytestconfig.getoption("--random-seed")
    return OF_A_SEED * (seed - 1)


@pytest.mark.parametrize("name", REAL)
def test_real_models(
    name: str, zoo_model: ZooModel, first: int, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Of the zoo and of examples."""
    models = {each: zoo_model(each) for each in ZOO}
    models |= {each: PROJECT / "examples" / each / f"{each}.tflite" for each in EXAMPLES}
    sizes = {each: file.stat().st_size for each, file in models.items()}
    count = shares(sizes, pytestconfig.getoption("--mutations"))[name]
    (result,) = run_worker([models[name]], count=count, first=first)
    judge(models[name], result, count, tmp_path / "built")


def test_cases(first: int, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Of one operator each."""
    models = [tmp_path / f"{name}.tflite" for name in SMALL]
    for (name, case), model in zip(SMALL.items(), models, strict=True):
        model.write_bytes(file_of(cases_of(name)[case]))
    count = max(FEWEST, pytestconfig.getoption("--mutations") // OF_CASES // len(models))
    for model, result in zip(models, run_worker(models, count=count, first=first), strict=True):
        judge(model, result, count, tmp_path / model.stem)


def test_what_counts_as_a_failure() -> None:
    """An exception of another kind does, and an error that names no model; a refused copy does
    not."""
    tried = Tried()
    for number, data in enumerate((b"no model", None)):
        tried.add(number, data)  # type: ignore[arg-type]
    assert tried.refused == 2
    assert list(tried.failures) == [1]
    assert "TypeError" in tried.failures[1]
    with pytest.raises(AssertionError, match="names no model"), clean_errors(of="model"):
        raise ModelError.at("models", "what")


def test_outputs_are_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All files of a copy that is compiled, none of one that is refused."""
    mutator = Mutator(file_of(cases_of("add")["same_shape"]))
    told = set()
    for number in range(OF_COMMANDS):
        model, folder = tmp_path / "m.tflite", tmp_path / f"out_{number}"
        model.write_bytes(mutator.mutate(number))
        folder.mkdir()
        status = main(["compile", str(model), "--quiet", "--out", str(folder)])
        written = sorted(file.name for file in folder.iterdir())
        error = capsys.readouterr().err
        assert written == ([] if status else ["m.c", "m.h", "m.memory.svg", "m.report.json"])
        assert (": error: " in error) == (status == 1)
        told.add(status)
    assert told == {0, 1}


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
