"""Request -> Graph: the file as the compiler reads it."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.passes.uint8_as_int8 import uint8_as_int8
from tinyml_rules.passes.widen_weights import widen_weights
from tinyml_rules.request.request import Request


def graph_of(request: Request) -> Graph:
    """With the reference that is asked for, int8 in the place of uint8, and weights of float32
    layers in the types that these take.  Tensors and nodes of the file keep their numbers."""
    graph = read_model(request.model, name=request.name, operators=request.operators)
    graph = graph.of_reference(request.rounding)
    others = tuple(_changed(each, request) for each in graph.others)
    return replace(_changed(graph, request), others=others)


def _changed(graph: Graph, request: Request) -> Graph:
    graph = widen_weights(graph, request.operators) if request.dequantize else graph
    return uint8_as_int8(graph, request.operators)
