"""Reference values of every tensor of a model: from TFLM itself, or from the meanings in numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from tinyml_rules.errors import ToolError, UnsupportedError, UsageError
from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.interpreter import EndedEarlyError, Interpreter, first_values
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.add_state import add_state
from tinyml_rules.passes.check import check
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.passes.resolve_variables import resolve_variables

TFLM, NUMPY = "tflm", "numpy"
CHOICES = {TFLM: "TFLM", NUMPY: "numpy"}
"""The references, and how a sentence calls them."""

Sample = Sequence[Array]
"""The values of all inputs of the file, in order, as the file takes them."""
Known = Callable[[int, int], Array | None]
"""The values of a tensor by the number of its graph and its own; None where they are not known."""

_PACKAGE = "tflite_micro"
_MOST_ARENA_BYTES = 1 << 30


def chosen_reference(asked: str | None, graph: Graph) -> str:
    """The one that is asked for, else TFLM where its package is installed and its results are what
    the model is compiled for.  Raises ToolError where TFLM is asked for and is not there."""
    is_there = find_spec(_PACKAGE) is not None
    if asked == TFLM and not is_there:
        what = "TFLM is not installed (the Python package tflite-micro)"
        hint = "pip install 'tinyml_rules[reference]', or compare with --reference numpy"
        raise ToolError.at("compare", what, hint=hint)
    rounding = graph.reference
    is_refused = graph.widens_weights or graph.is_of_uint8
    if asked == TFLM and is_refused:
        layers = "float32 layers with int8 weights" if graph.widens_weights else "uint8"
        what = f"--reference tflm with a model of {layers}, which TFLM refuses"
        raise UsageError.at("compare", what, hint="expected --reference numpy")
    if asked == TFLM and rounding is not RoundingReference.TFLM:
        what = f"--reference tflm with --rounding {rounding.value}, whose results differ"
        raise UsageError.at("compare", what, hint="expected --reference numpy")
    if asked:
        return asked
    is_same = rounding is RoundingReference.TFLM and not is_refused
    return TFLM if is_there and is_same else NUMPY


def known_tensors(
    reference: str, model: bytes, graph: Graph, operators: Operators, samples: Sequence[Sample]
) -> list[Known]:
    """For each sample what the tensors hold once it has run; variables keep their values from one
    to the next.  `graph`: as the file has it.  Raises UnsupportedError where TFLM refuses it."""
    run = _by_tflm if reference == TFLM else _by_numpy
    return run(model, graph, operators, samples)


def _by_tflm(
    model: bytes, graph: Graph, operators: Operators, samples: Sequence[Sample]
) -> list[Known]:
    del operators  # it has its own
    runtime = import_module(f"{_PACKAGE}.python.{_PACKAGE}.runtime")  # need not be installed
    graphs = {0: graph, **dict(enumerate(graph.others, start=1))}
    found = []
    try:
        interpreter = runtime.Interpreter.from_bytes(
            model,
            arena_size=_arena_bytes(model, graphs.values()),
            intrepreter_config=runtime.InterpreterConfig.kPreserveAllTensors,
        )
        for sample in samples:
            for index, values in enumerate(sample):
                interpreter.set_input(np.array(values, order="C"), index)
            interpreter.invoke()
            found.append(_kept(interpreter.GetTensor, graphs))
    except (RuntimeError, ValueError) as error:
        what = f"TFLM refuses the model: {str(error).strip() or 'it says why above'}"
        hint = "compare with --reference numpy"
        raise UnsupportedError.at(graph.name, what, hint=hint) from error
    return found


def _arena_bytes(model: bytes, graphs: Iterable[Graph]) -> int:
    """Every tensor has memory of its own."""
    tensors = sum(t.size_bytes + 512 for each in graphs for t in each.tensors if not t.is_constant)
    return min(2 * tensors + 4 * len(model) + (1 << 22), _MOST_ARENA_BYTES)


def _kept(read: Callable[[int, int], dict[str, Array]], graphs: Mapping[int, Graph]) -> Known:
    """A copy of what a node has computed: the next sample writes over it."""
    values = {
        (number, index): np.array(read(index, number)["tensor_data"])
        for number, graph in graphs.items()
        for node in graph.nodes
        for index in (*node.outputs, *_variables(graph))
        if graph.tensors[index].dtype.numpy is not None
    }
    return lambda number, index: values.get((number, index))


def _variables(graph: Graph) -> list[int]:
    return [each.index for each in graph.tensors if each.is_variable]


def _by_numpy(
    model: bytes, graph: Graph, operators: Operators, samples: Sequence[Sample]
) -> list[Known]:
    del model
    inputs = graph.inputs
    others = tuple(_simple(each, operators) for each in graph.others)
    graph = resolve_variables(_simple(replace(graph, others=others), operators), operators)
    graph = add_state(check(graph, operators, needs_kernels=False), operators)
    variables, found = first_values(graph), []
    interpreter = Interpreter(graph, operators)
    for sample in samples:
        values = {**variables, **dict(zip(inputs, sample, strict=True))}
        with np.errstate(all="ignore"), suppress(EndedEarlyError):
            interpreter.run(values)
        variables = {index: values[index] for index in variables}
        found.append(_of_model(dict(values)))
    return found


def _of_model(values: Mapping[int, Array]) -> Known:
    """The meanings keep nothing of graphs that nodes run."""
    return lambda number, index: None if number else values.get(index)


def _simple(graph: Graph, operators: Operators) -> Graph:
    return remove_dead_nodes(fold_constants(graph, operators), operators)
