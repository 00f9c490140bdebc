"""The outputs of a description found in a model: which of the model's each is of, and of which
input a difference is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.ir.graph import Graph
from tinyml_rules.sensor.description import ONLY
from tinyml_rules.sensor.output import Head, Output


@dataclass(frozen=True)
class Asked:
    """What is asked of the output at a `position`; `reference`: the position of the input that it
    is compared with, if it is.  Passes change which tensors stand there, and no position."""

    position: int
    output: Output
    reference: int | None = None


def asked(graph: Graph, outputs: Mapping[str, Output]) -> tuple[Asked, ...]:
    """In the order of the model's outputs, of a model as it was read.  Raises UsageError for a name
    that no tensor at the model's ends has, or that several have."""
    found = [_asked(graph, name, output) for name, output in outputs.items()]
    return tuple(sorted(found, key=lambda each: each.position))


def _asked(graph: Graph, name: str, output: Output) -> Asked:
    position = _position(graph, graph.outputs, name, "output", output.where)
    if Head.MEAN_SQUARED_DIFFERENCE not in output.heads:
        return Asked(position, output)
    where = output.where if output.reference else f"{output.where} reference"
    reference = _position(graph, graph.inputs, output.reference, "input", where)
    return Asked(position, output, reference)


def _position(graph: Graph, tensors: Sequence[int], name: str, role: str, where: str) -> int:
    names = [graph.tensors[index].name for index in tensors]
    if name == ONLY:
        if len(names) == 1:
            return 0
        listed = ", ".join(map(repr, names))
        what = f"the model has {len(names)} {role}s, expected the name of one: {listed}"
        raise UsageError.at(where, what)
    if names.count(name) > 1:
        raise UsageError.at(where, f"{names.count(name)} {role}s of the model are called {name!r}")
    if name not in names:
        what = f"no {role} of the model is called {name!r}, expected one of "
        hint = did_you_mean(name, names)
        raise UsageError.at(where, what + ", ".join(map(repr, names)), hint=hint)
    return names.index(name)
