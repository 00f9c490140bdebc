"""Graph -> Graph: the float32 core, simplified; what cannot be quantized is refused, by node.

Quantized constants of a float32 model (a hybrid model's weights) become real numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tinyml_rules.errors import Note, Problem, UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Quantization, Tensor
from tinyml_rules.ir.text import node_numbers, operator_name
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.passes.check import problems_of
from tinyml_rules.passes.finite import TRAINING, endless_constants, endless_text
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.quantizer.given_ranges import given_ranges
from tinyml_rules.quantizer.real_constants import QUANTIZED, as_float32, is_quantized_constant
from tinyml_rules.quantizer.unroll import not_unrolled, unroll, with_constants


@dataclass(frozen=True, eq=False)
class Core:
    """The graph, and what there is to say of it.

    `ranges` has what the file says of float32 tensors, as int8; `raw` are inputs that are integers
    in the file and float32 in the graph, as they are there; `loops` is the graph before its
    loops were unrolled."""

    graph: Graph
    loops: Graph
    ranges: Mapping[int, Quantization]
    raw: Mapping[int, Tensor]
    notes: tuple[Problem, ...] = ()


def float_core(graph: Graph, operators: Operators) -> Core:
    """The model, in which float32 nodes have float32 operands throughout and are not parted by
    conversions; raises UnsupportedError."""
    loops = with_constants(graph, operators)
    graph = unroll(loops, operators)
    problems = list(_not_handled(graph, operators))
    if problems:
        raise UnsupportedError(problems)
    given = given_ranges(remove_dead_nodes(graph, operators), operators)
    found, notes = _dequantized(remove_dead_nodes(given.graph, operators), operators)
    _check_finite(found)
    simple = remove_dead_nodes(fold_constants(found, operators), operators)
    _check_finite(simple)
    if not any(_computes_in_float32(simple, node, operators) for node in simple.nodes):
        raise UnsupportedError([_nothing_to_do(graph)])
    wrong = problems_of(simple, operators, needs_kernels=False)
    if wrong:
        raise UnsupportedError(replace(each, hint="") for each in wrong)
    return Core(replace(simple, others=()), loops, given.ranges, given.raw, notes)


def _check_finite(graph: Graph) -> None:
    """Refuse constants that are not finite: they would make every sample an error, or a scale
    infinite."""
    found = endless_constants(graph)
    if found:
        raise UnsupportedError.at(graph.where(found[0][0]), endless_text(found), hint=TRAINING)


def _tensors(graph: Graph, node: Node) -> list[Tensor]:
    return [graph.tensors[index] for index in (*node.inputs, *node.outputs) if index is not None]


def _is_float(tensor: Tensor) -> bool:
    return tensor.dtype is DType.FLOAT32


def _not_handled(graph: Graph, operators: Operators) -> Iterator[Problem]:
    """Unknown operators, nodes that still run graphs, and those that keep values without a rule."""
    for node in graph.nodes:
        where, op = graph.where(node), operators.get(node.op)
        if op is None or op.custom_name:
            name = operator_name(node.op)
            yield Problem(
                where,
                f"operator {name} has no float32 meaning here, so that it cannot be calibrated",
            )
        elif op.quantization is not None and op.quantization.memory is not None:
            continue
        elif op.role is Role.CALL:
            yield Problem(where, not_unrolled())
        elif op.role is Role.EFFECT or op.handling is not None:
            yield Problem(where, "keeps values, which the quantizer does not support")
        elif any(tensor.is_variable for tensor in _tensors(graph, node)):
            yield Problem(where, "has a variable, which the quantizer does not support")


def _nothing_to_do(graph: Graph) -> Problem:
    """Names the first tensor of activations that is quantized."""
    for index in (*graph.inputs, *(index for node in graph.nodes for index in node.outputs)):
        tensor = graph.tensors[index]
        if tensor.dtype in QUANTIZED and tensor.quantization is not None:
            what = f"tensor {tensor} is {tensor.dtype} with a scale: the model is quantized already"
            is_int8 = tensor.dtype is DType.INT8
            hint = "compile it as it is" if is_int8 else "take the float model that it was made of"
            return Problem(graph.name, f"{what}, expected a float32 model", hint)
    return Problem(graph.name, "no operator computes in float32, nothing to do")


def _dequantized(graph: Graph, operators: Operators) -> tuple[Graph, tuple[Problem, ...]]:
    """The graph without quantized constants in nodes that compute in float32, and a note of
    these."""
    tensors = list(graph.tensors)
    found = []
    for node in graph.nodes:
        if not _computes_in_float32(graph, node, operators):
            continue
        for tensor in NodeView(graph, node).inputs:
            if tensor is not None and is_quantized_constant(tensor):
                tensors[tensor.index] = as_float32(tensor)
                found.append(node.index)
    if not found:
        return graph, ()
    nodes = node_numbers(sorted(set(found)))
    what = f"hybrid model: integer weights of {nodes} are converted back to float"
    return replace(graph, tensors=tuple(tensors)), (Note(graph.name, what),)


def _computes_in_float32(graph: Graph, node: Node, operators: Operators) -> bool:
    is_conversion = operators[node.op].role is Role.CONVERSION
    return not is_conversion and any(_is_float(each) for each in _tensors(graph, node))
