"""Finds the cases of every operator, and computes what TFLM and the oracle make of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

import numpy as np

from tests.support.stages import passed
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.ir.graph import Array, Graph, NodeView
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case, Rejected

OPERATORS = tuple(builtin_operators())


def cases_of(operator: str) -> Mapping[str, Case]:
    """{name: case} of one operator's folder."""
    found: Mapping[str, Case] = import_module(f"tinyml_rules.ops.{operator}.cases").CASES
    return found


def rejected_of(operator: str) -> Mapping[str, Rejected]:
    """{name: refused model} of one operator's folder."""
    found: Mapping[str, Rejected] = import_module(f"tinyml_rules.ops.{operator}.cases").REJECTED
    return found


@cache
def file_of(case: Case) -> bytes:
    """The .tflite file of a case."""
    return build_model(case.model)


def graph_of(case: Case, *, name: str) -> Graph:
    """What the compiler makes of it before it chooses kernels."""
    return passed(file_of(case), name=name)


@cache
def expected_bytes(case: Case) -> bytes:
    """TFLM's output, raw, all samples together."""
    (output,) = tflm_outputs(file_of(case), case.samples)
    return output.tobytes()


def sample_bytes(case: Case, graph: Graph) -> bytes:
    """What the test image reads: int8 samples one after the other."""
    columns = []
    for index, samples in zip(graph.inputs, case.samples, strict=True):
        tensor = graph.tensors[index]
        values = samples
        if samples.dtype == np.float32:
            values = quantize_real(samples, scale=tensor.scale, zero_point=tensor.zero_point)
        columns.append(values.reshape(len(values), -1))
    return np.concatenate(columns, axis=1).tobytes()


def result_bytes(case: Case, graph: Graph, data: bytes) -> bytes:
    """The output like `expected_bytes`, from what the test image wrote; cases have one."""
    (index,), (declared,) = graph.outputs, case.model.outputs
    tensor = graph.tensors[index]
    if case.model.tensors[declared].dtype != "float32":
        return data
    values = np.frombuffer(data, np.int8)
    return dequantize_real(values, scale=tensor.scale, zero_point=tensor.zero_point).tobytes()


def oracle_bytes(case: Case, graph: Graph) -> bytes:
    """What the test image would write if its kernels were the oracles."""
    sizes = [graph.tensors[index].count for index in graph.inputs]
    rows = np.frombuffer(sample_bytes(case, graph), np.int8).reshape(-1, sum(sizes))
    return b"".join(_run_oracles(graph, row) for row in rows)


def _run_oracles(graph: Graph, row: Array) -> bytes:
    """All inputs of one sample in, all outputs out."""
    values: dict[int, Array] = {}
    position = 0
    for index in graph.inputs:
        tensor = graph.tensors[index]
        values[index] = row[position : position + tensor.count].reshape(tensor.shape)
        position += tensor.count
    for node in graph.nodes:
        view = NodeView(graph, node)
        results = builtin_operators()[node.op].evaluate(view, values)
        for tensor, result in zip(view.outputs, results, strict=True):
            assert result.shape == tensor.shape
            assert result.dtype == tensor.dtype.numpy
            values[tensor.index] = result
    return b"".join(values[index].tobytes() for index in graph.outputs)
