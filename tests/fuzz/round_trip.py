"""The writer and the reader: what one makes, the other reads as the same, and TFLM as well.

Bytes are the choices of hypothesis, which draws with them models that are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.operator_cases import (
    OPERATORS,
    file_of,
    graph_of,
    is_right,
    models_of,
    oracle_bytes,
    result_bytes,
)
from tests.support.stages import read
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.graph_writer import write_graph
from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case

_TYPES = {op.name: op.options_type for op in builtin_operators().in_files}


def one_input(data: bytes) -> None:
    """One model of one operator."""
    _fuzzed(data)


def check(case: Case) -> None:
    """Written, read, written again and read again: the same each time, with TFLM's results."""
    file = file_of(case)
    graph = read(file)
    check_read(case.model, graph)
    if not any(op.custom_name for op in (builtin_operators()[node.op] for node in graph.nodes)):
        again = read(write_graph(graph, _TYPES))
        assert is_same(said_by(graph), said_by(again)), f"{graph} became {again}"
    known = graph_of(case, name="model")
    assert is_right(case, result_bytes(case, known, oracle_bytes(case, known)))


def said_by(graph: Graph) -> tuple[object, ...]:
    """What a graph says, without tensors that no node has and with numbers of those that are left,
    which is how it is written."""
    ports = (*graph.inputs, *graph.outputs)
    held = (index for node in graph.nodes for index in (*node.inputs, *node.outputs))
    used = sorted({index for index in (*ports, *held) if index is not None})

    def renumbered(indices: Iterable[int | None]) -> tuple[int | None, ...]:
        return tuple(None if index is None else used.index(index) for index in indices)

    return (
        *(replace(graph.tensors[index], index=place) for place, index in enumerate(used)),
        *(
            (node.op, node.version, node.attrs, renumbered(node.inputs), renumbered(node.outputs))
            for node in graph.nodes
        ),
        *(renumbered(graph.inputs), renumbered(graph.outputs)),
        *map(said_by, graph.others),
    )


def check_read(model: ModelSpec, graph: Graph) -> None:
    """A graph has the tensors, nodes and ports of what was written."""
    for spec, tensor in zip(model.tensors, graph.tensors, strict=True):
        assert (spec.name, spec.shape, spec.dtype) == (tensor.name, tensor.shape, tensor.dtype)
        if isinstance(spec.data, np.ndarray) and tensor.data is not None and not spec.sparsity:
            assert is_same(spec.data.reshape(-1), tensor.data.reshape(-1))
    for wanted, node in zip(model.operators, graph.nodes, strict=True):
        inputs = tuple(OPTIONAL if each is None else each for each in node.inputs)
        assert (wanted.inputs, wanted.outputs) == (inputs, node.outputs)
    assert (model.inputs, model.outputs) == (graph.inputs, graph.outputs)


def is_same(one: object, other: object) -> bool:
    """Whether two records say the same, arrays by their bytes."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if is_dataclass(one):
        pairs = ((getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
        return all(is_same(*pair) for pair in pairs)
    return one == other or (one != one and other != other)  # noqa: PLR0124 - no number


@settings(database=None, deadline=None, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(OPERATORS).flatmap(models_of))
def _drawn(case: Case) -> None:
    check(case)


_fuzzed: Callable[[bytes], object] = vars(_drawn)["hypothesis"].fuzz_one_input
