"""Finds the cases of every operator, and computes what TFLM and the oracle make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

from tests.support.litert import litert_outputs
from tests.support.stages import passed
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops import builtin_operators, folder_of
from tinyml_rules.ops._shared.cases.case import Case, Reference, Rejected, Tolerance, random_case
from tinyml_rules.ops._shared.interpreter import EndedEarlyError, first_values, run_graph

OPERATORS = tuple(op.name for op in builtin_operators().in_files)


def _cases(operator: str) -> Any:
    return import_module(f"tinyml_rules.ops.{folder_of(operator)}.cases")


def cases_of(operator: str) -> Mapping[str, Case]:
    """{name: case} of one operator's folder."""
    found: Mapping[str, Case] = _cases(operator).CASES
    return found


def samples_of(operator: str) -> Sequence[str]:
    """Names of cases between which every kernel of the operator is used: those that its folder
    names, or the first of an operator that has any."""
    first = tuple(cases_of(operator))[: 1 if builtin_operators()[operator].kernels else 0]
    named: Sequence[str] = getattr(_cases(operator), "SAMPLES", first)
    return named


def rejected_of(operator: str) -> Mapping[str, Rejected]:
    """{name: refused model} of one operator's folder: what its operands' rules do not say."""
    found: Mapping[str, Rejected] = getattr(_cases(operator), "REJECTED", {})
    return found


def models_of(operator: str) -> SearchStrategy[Case]:
    """What one operator's folder draws its models from, with random values where it gives none."""
    drawn: SearchStrategy[ModelSpec | Case] = _cases(operator).MODELS
    return drawn.map(lambda each: each if isinstance(each, Case) else random_case(each))


@cache
def file_of(case: Case) -> bytes:
    """The .tflite file of a case."""
    return build_model(case.model)


@lru_cache(maxsize=500)
def graph_of(
    case: Case, *, name: str, reference: RoundingReference = RoundingReference.TFLM
) -> Graph:
    """What the compiler makes of it before it chooses kernels."""
    return passed(file_of(case), name=name, reference=reference)


@cache
def expected_bytes(case: Case) -> bytes:
    """The reference's outputs, raw: for each sample all of them in order."""
    run = tflm_outputs if case.reference is Reference.TFLM else litert_outputs
    return _rows(run(_known_file(case), case.samples, is_sequence=case.is_sequence))


def is_right(case: Case, found: bytes) -> bool:
    """Whether results are the reference's bytes, or within the case's tolerance of them."""
    return agrees(case, found, expected_bytes(case))


def agrees(case: Case, found: bytes, expected: bytes) -> bool:
    """The same for results of LiteRT, where that is not the case's reference."""
    if case.tolerance is None or len(found) != len(expected):
        return found == expected
    results = [case.model.tensors[index] for index in case.model.outputs]
    row = np.dtype([(str(n), each.dtype, each.shape) for n, each in enumerate(results)])
    rows, truth = np.frombuffer(found, row), np.frombuffer(expected, row)
    return all(are_near(rows[name], truth[name], case.tolerance) for name in row.names or ())


def are_near(found: Array, expected: Array, tolerance: Tolerance) -> bool:
    """Whether each number is within the tolerance of the expected one; what is no number, or
    infinite, has to be the same."""
    made, wanted = found.astype(np.float64), expected.astype(np.float64)
    unit = np.spacing(np.abs(expected)) if expected.dtype.kind == "f" else np.float64(1)
    allowed = np.maximum(tolerance.units * unit.astype(np.float64), tolerance.absolute)
    with np.errstate(invalid="ignore"):
        is_near = np.abs(made - wanted) <= allowed
    is_same = np.equal(made, wanted) | (np.isnan(made) & np.isnan(wanted))
    return bool(np.all(is_same | (is_near & np.isfinite(wanted))))


@cache
def litert_bytes(case: Case) -> bytes | None:
    """The same from LiteRT; None for a model that it refuses."""
    try:
        outputs = litert_outputs(_known_file(case), case.samples, is_sequence=case.is_sequence)
    except (RuntimeError, ValueError):
        return None
    return _rows(outputs)


def _known_file(case: Case) -> bytes:
    """What a reference is given."""
    return file_of(case) if case.stand_in is None else build_model(case.stand_in)


def sample_bytes(case: Case, graph: Graph) -> bytes:
    """What the test image reads: for each sample all inputs in order."""
    columns = []
    for index, samples in zip(graph.inputs, case.samples, strict=True):
        tensor = graph.tensors[index]
        values = samples
        if samples.dtype == np.float32 and tensor.dtype is not DType.FLOAT32:
            scale, zero_point, dtype = tensor.scale, tensor.zero_point, str(tensor.dtype)
            values = quantize_real(samples, scale=scale, zero_point=zero_point, dtype=dtype)
        columns.append(values)
    return _rows(columns)


def _rows(columns: Sequence[Array]) -> bytes:
    """Arrays with a leading axis of samples, sample after sample."""
    count = len(columns[0])
    parts = [np.ascontiguousarray(each).reshape(count, -1).view(np.uint8) for each in columns]
    return np.concatenate(parts, axis=1).tobytes()


def result_bytes(case: Case, graph: Graph, data: bytes) -> bytes:
    """The outputs like `expected_bytes`, from what the test image wrote."""
    tensors = [graph.tensors[index] for index in graph.outputs]
    sizes = np.cumsum([tensor.size_bytes for tensor in tensors])
    rows = np.frombuffer(data, np.uint8).reshape(-1, sizes[-1])
    columns: list[Array] = []
    for tensor, part, declared in zip(
        tensors, np.split(rows, sizes[:-1], axis=1), case.model.outputs, strict=True
    ):
        assert tensor.dtype.numpy is not None
        values: Array = np.ascontiguousarray(part).view(tensor.dtype.numpy)
        if case.model.tensors[declared].dtype == "float32" and not tensor.dtype.is_real:
            scale, zero_point = tensor.scale, tensor.zero_point
            values = dequantize_real(values, scale=scale, zero_point=zero_point)
        columns.append(values)
    return _rows(columns)


def oracle_bytes(case: Case, graph: Graph) -> bytes:
    """What the test image would write if its kernels were the oracles."""
    sizes = np.cumsum([0, *(graph.tensors[index].size_bytes for index in graph.inputs)])
    rows = np.frombuffer(sample_bytes(case, graph), np.uint8).reshape(-1, sizes[-1])
    state = first_values(graph)
    found = b""
    for row in rows:
        if not case.is_sequence:
            state = first_values(graph)
        values = dict(state)
        for index, begin in zip(graph.inputs, sizes.tolist(), strict=False):
            tensor = graph.tensors[index]
            assert tensor.dtype.numpy is not None
            part = row[begin : begin + tensor.size_bytes]
            values[index] = part.view(tensor.dtype.numpy).reshape(tensor.shape)
        try:
            outputs = run_graph(graph, builtin_operators(), values)
            found += b"".join(each.tobytes() for each in outputs)
        except EndedEarlyError:
            found += bytes(sum(graph.tensors[index].size_bytes for index in graph.outputs))
        state = {index: values[index] for index in state}
    return found
