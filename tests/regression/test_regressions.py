"""Every fault that somebody met stays mended: README.md says how a case is written."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import PROJECT, ZooModel
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.stages import passed, read
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.cli import main
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.lower.choice import Optimize

FOLDER = Path(__file__).parent
CASES = sorted(path.parent.name for path in FOLDER.glob("*/case.toml"))
SAMPLES = 8
LONGEST_SECONDS = 1200.0
"""Of one step: it ends what hangs, and judges nothing."""


@dataclass(frozen=True)
class Exact:
    """A model whose outputs on each target are TFLM's."""

    model: str
    targets: tuple[str, ...]
    optimize: Optimize = Optimize.LAYERS


@dataclass(frozen=True)
class Step:
    """A line of a shell, and what has to come out."""

    run: str
    status: int = 0
    prints: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ("Traceback", "internal error")


@dataclass(frozen=True)
class Case:
    """What `case.toml` says."""

    about: str
    exact: tuple[Exact, ...] = ()
    steps: tuple[Step, ...] = ()
    zoo: tuple[str, ...] = field(default=())


def read_case(name: str) -> Case:
    """The case of a folder; raises TypeError for a key that is none."""
    data = tomllib.loads((FOLDER / name / "case.toml").read_text(encoding="utf-8"))
    return Case(
        about=data.pop("about"),
        zoo=tuple(data.pop("zoo", ())),
        exact=tuple(
            Exact(
                each.pop("model"),
                tuple(each.pop("targets")),
                Optimize(each.pop("optimize", Optimize.LAYERS.value)),
                **each,
            )
            for each in data.pop("exact", ())
        ),
        steps=tuple(Step(**_tuples(each)) for each in data.pop("step", ())),
        **data,
    )


def _tuples(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(each) if isinstance(each, list) else each for key, each in table.items()}


@pytest.fixture
def copy(name: str, tmp_path: Path, zoo_model: ZooModel) -> Path:
    """The case's folder as a stranger has it, with what is made and what the zoo has."""
    folder = tmp_path / "case"
    shutil.copytree(FOLDER / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    if (FOLDER / name / "make.py").is_file():
        made = importlib.import_module(f"tests.regression.{name}.make").files()
        for file, data in made.items():
            (folder / file).write_bytes(data)
    for model in read_case(name).zoo:
        shutil.copy(zoo_model(model), folder / f"{model}.tflite")
    return folder


def test_there_are_cases() -> None:
    assert CASES
    assert [name for name in CASES if not (read_case(name).exact or read_case(name).steps)] == []


@pytest.mark.parametrize("name", CASES)
def test_steps(
    name: str, copy: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each line ends as it has to, and prints what it has to."""
    monkeypatch.chdir(copy)
    for step in read_case(name).steps:
        status, printed = outcome(step.run, capfd)
        assert status == step.status, f"{step.run}\n{printed}"
        place = 0
        for text in step.prints:
            assert text in printed[place:], f"{step.run}\nlacks: {text}\n{printed}"
            place = printed.index(text, place) + len(text)
        assert [text for text in step.lacks if text in printed] == [], printed


def outcome(line: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status, and what was printed."""
    if not line.startswith("tinyml_rules "):
        here = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        ran = subprocess.run(
            ["/bin/bash", "-c", line],
            env={**os.environ, "PATH": here, "PYTHONPATH": str(PROJECT), "PROJECT": str(PROJECT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_SECONDS,
        )
        return ran.returncode, ran.stdout + ran.stderr
    capfd.readouterr()
    try:
        status = main(shlex.split(line)[1:])
    except SystemExit as end:  # argparse's
        status = int(end.code or 0)
    printed = capfd.readouterr()
    return status, printed.out + printed.err


def exact_runs() -> Iterator[tuple[str, Exact, str]]:
    """(case, model, target) of all cases."""
    for name in CASES:
        for each in read_case(name).exact:
            yield from ((name, each, target) for target in each.targets)


@pytest.mark.parametrize(
    ("name", "exact", "target"),
    [pytest.param(*run, id=f"{run[0]}-{run[1].model}-{run[2]}") for run in exact_runs()],
)
def test_exact(name: str, exact: Exact, target: str, copy: Path, tmp_path: Path) -> None:
    """Random inputs, and both ends of their types, give TFLM's bytes."""
    data = (copy / exact.model).read_bytes()
    file, compiled = read(data, name=name), passed(data, name=name)
    inputs = [values_of(file.tensors[index]) for index in file.inputs]
    samples = rows(
        quantized(values, compiled.tensors[index])
        for values, index in zip(inputs, compiled.inputs, strict=True)
    )
    expected = rows(
        quantized(values, compiled.tensors[index])
        for values, index in zip(tflm_outputs(data, inputs), compiled.outputs, strict=True)
    )
    job = Job("model", data, samples, optimize=exact.optimize)
    folder = tmp_path / "built"
    folder.mkdir()
    assert run_combined(target_or_skip(target), [job], folder=folder) == {"model": expected}


def values_of(tensor: Tensor) -> AnyArray:
    """Samples of an input of the file, with a leading axis."""
    generator = np.random.default_rng(1)
    shape, dtype = (SAMPLES, *tensor.shape), tensor.dtype.numpy
    assert dtype is not None
    if tensor.dtype.is_real:
        return generator.normal(0, 1, shape).astype(dtype)
    if dtype == np.bool_:
        return generator.integers(0, 2, shape).astype(dtype)
    ends = np.iinfo(str(dtype))
    values = generator.integers(ends.min, ends.max, shape, dtype=dtype.type, endpoint=True)
    values[0], values[1] = ends.min, ends.max
    return values


def quantized(values: AnyArray, tensor: Tensor) -> AnyArray:
    """Values of the file as the compiled model has them, which cuts conversions off at its ends."""
    if values.dtype != np.float32 or tensor.dtype.is_real:
        return values
    scale, zero_point, dtype = tensor.scale, tensor.zero_point, str(tensor.dtype)
    return quantize_real(values, scale=scale, zero_point=zero_point, dtype=dtype)


def rows(columns: Iterable[AnyArray]) -> bytes:
    """Arrays with a leading axis of samples, sample after sample."""
    arrays = list(columns)
    return b"".join(array[sample].tobytes() for sample in range(SAMPLES) for array in arrays)
