"""Quantizes a model of a test, and runs it by the references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.quantizer.judge import INTEGERS
from tinyml_rules.quantizer.quantize import quantize
from tinyml_rules.quantizer.request import Arrays, Quantized, QuantizeRequest

OPERATORS = builtin_operators()
SAMPLES = 12

AnyArray = npt.NDArray[Any]


def graph_of(model: bytes) -> Graph:
    """The file's first graph."""
    return read_model(model, name="model", operators=OPERATORS)


def drawn(spec: ModelSpec, *, count: int = SAMPLES, seed: int = 5) -> dict[str, AnyArray]:
    """Normal values for every input, [samples, *shape]."""
    generator = np.random.default_rng(seed)
    tensors = [spec.tensors[index] for index in spec.inputs]
    return {
        each.name: _values(generator.normal(0, 1, (count, *each.shape)), each.name)
        for each in tensors
    }


def _values(normal: AnyArray, name: str) -> AnyArray:
    """Of an input that is called so, positive ones."""
    return (1 + np.abs(normal) if name == "positive" else normal).astype(np.float32)


def quantized(
    spec: ModelSpec, arrays: Mapping[str, AnyArray] | None = None, **options: Any
) -> Quantized:
    """The integer model of a float32 one."""
    given = Arrays("cal.npz", drawn(spec) if arrays is None else arrays)
    return quantize(QuantizeRequest(build_model(spec), "model", given, **options))


def random_inputs(graph: Graph, *, count: int = 8) -> list[AnyArray]:
    """All that an int8 or int16 input can be, [samples, *shape]."""
    generator = np.random.default_rng(7)
    found = []
    for index in graph.inputs:
        tensor = graph.tensors[index]
        assert tensor.dtype in INTEGERS
        low, high = tensor.dtype.limits
        values = generator.integers(low, high + 1, (count, *tensor.shape))
        found.append(values.astype(tensor.dtype.numpy))
    return found


def by_oracles(graph: Graph, inputs: list[AnyArray]) -> list[AnyArray]:
    """The outputs by the operators' integer meanings, [samples, *shape]."""
    rows = [
        run_graph(graph, OPERATORS, dict(zip(graph.inputs, each, strict=True)))
        for each in zip(*inputs, strict=True)
    ]
    return [np.stack(column) for column in zip(*rows, strict=True)]
