"""Which function of a file is quantized: the first sub-graph, or that of a signature."""

from __future__ import annotations

from tinyml_rules.errors import Note, Problem, UsageError, did_you_mean
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.entries import entries_of, entry
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.quantizer.request import QuantizeRequest


def read_signature(request: QuantizeRequest) -> tuple[Graph, tuple[Problem, ...]]:
    """The graph, and a note where the file has others that nobody asked for; raises ModelError, and
    UsageError for a signature that the file has not."""
    graph = read_model(request.model, name=request.name, operators=request.operators)
    entries = entries_of(request.model, name=request.name)
    wanted = request.signature
    listed = ", ".join(f"'{each}'" for each in entries)
    if wanted and wanted not in entries:
        what = f"no signature '{wanted}', expected {f'one of {listed}' if entries else 'none'}"
        raise UsageError.at(request.name, what, hint=did_you_mean(wanted, entries))
    if wanted:
        return entry(graph, entries[wanted]), ()
    if len(set(entries.values())) < 2:
        return graph, ()
    taken = next((f"'{key}'" for key, number in entries.items() if number == 0), "the first graph")
    what = f"the file has signatures {listed}: {taken} is quantized alone"
    return graph, (Note(graph.name, what, hint="--signature NAME takes another"),)
