"""Adds a node at the end that computes the mean squared difference of an input and an output, and
its result as a further output.  The input stays in memory until then, because a node reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from tinyml_rules.arithmetic.exact_scale import ExactScale
from tinyml_rules.arithmetic.squared_difference import most_difference, most_fraction_bits
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, Quantization, Tensor
from tinyml_rules.sensor.output import Output
from tinyml_rules.surroundings.decide.requests import Asked, check_scaled

_SCORE = "mean_squared_difference"
NAME = "score"
"""The end of the output's name; the name of the compared tensor comes first if there are
several."""


def add_score(graph: Graph, asked: Asked) -> Graph:
    """The graph with the node; raises UsageError for tensors that cannot be compared."""
    assert asked.reference is not None
    reference = graph.tensors[graph.inputs[asked.reference]]
    compared = graph.tensors[graph.outputs[asked.position]]
    _check(reference, compared, asked.output)
    is_single = len(graph.outputs) - graph.added_outputs == 1
    score = Tensor(
        index=len(graph.tensors),
        name=NAME if is_single else f"{compared.name} {NAME}",
        shape=(1,),
        dtype=DType.INT32,
        quantization=Quantization(
            (2.0 ** -_fraction_bits(reference, compared, asked.output),), (0,)
        ),
    )
    node = Node(
        index=1 + max((node.index for node in graph.nodes), default=-1),
        op=_SCORE,
        version=1,
        inputs=(reference.index, compared.index),
        outputs=(score.index,),
        attrs=None,
        origin=f"{graph.name}: {score.name} of {compared}",
    )
    return replace(
        graph,
        tensors=(*graph.tensors, score),
        nodes=(*graph.nodes, node),
        outputs=(*graph.outputs, score.index),
        file_outputs=(*(graph.file_outputs or graph.outputs), score.index),
        added_outputs=graph.added_outputs + 1,
    )


def _refuse(output: Output, what: str) -> NoReturn:
    raise UsageError.at(output.where, what)


def _check(reference: Tensor, compared: Tensor, output: Output) -> None:
    for tensor, role in ((reference, "reference"), (compared, "output")):
        check_scaled(tensor, role, output.where)
    one, other = ([size for size in each.shape if size != 1] for each in (reference, compared))
    if one != other:
        what = f"reference tensor {reference} has shape {list(reference.shape)}, expected that of"
        _refuse(output, f"{what} output tensor {compared}, {list(compared.shape)}")


def _fraction_bits(reference: Tensor, compared: Tensor, output: Output) -> int:
    one, other = ExactScale.of(reference), ExactScale.of(compared)
    most, limit = most_difference(one, other), most_fraction_bits(one, other)
    reach = f"scores up to {float(most):.6g}"
    if limit is None:
        _refuse(output, f"int32 does not hold {reach}")
    bits = limit if output.fraction_bits is None else output.fraction_bits
    if bits > limit:
        _refuse(output, f"{bits} fraction bits leave int32 for {reach}, expected at most {limit}")
    if most * 2**bits < 1:
        _refuse(output, f"{bits} fraction bits make 0 of all {reach}")
    return bits
