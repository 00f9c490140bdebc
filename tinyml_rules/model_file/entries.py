"""The signatures of a file: which of its sub-graphs are called from outside, and by what name."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.errors import ModelError
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.flatbuffer import BrokenBufferError, root
from tinyml_rules.model_file.reader import FILE_IDENTIFIER


def entries_of(data: bytes, *, name: str) -> dict[str, int]:
    """The number of each signature's sub-graph, by its key; raises ModelError for a broken file."""
    try:
        tables = list(root(data, FILE_IDENTIFIER).tables(7))
        return {each.string(2): each.uint32(4) for each in tables}
    except BrokenBufferError as error:
        raise ModelError.at(name, f"broken model file: {error}") from error


def entry(graph: Graph, number: int) -> Graph:
    """The model that begins at this sub-graph of a file, of which `graph` is all; raises ModelError
    for one that is not there or that takes or gives nothing."""
    if number == 0:
        return graph
    if number > len(graph.others):
        what = f"a signature names sub-graph {number} of {len(graph.others) + 1}"
        raise ModelError.at(graph.name, what)
    found = graph.other(number)
    for role, ports in (("input", found.inputs), ("output", found.outputs)):
        if not ports:
            raise ModelError.at(found.name, f"no {role}")
    return replace(found, name=graph.name, sha256=graph.sha256)
