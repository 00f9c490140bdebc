"""Schedule -> Interface: the C names of a model's inputs and outputs."""

from __future__ import annotations

from tinyml_rules.ir.c_names import unique_identifiers
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.plan.tasks import Schedule


def describe(schedule: Schedule, arena: ArenaMode, *, page_bytes: int = 0) -> Interface:
    """The interface of a model; after all passes every port is int8."""
    graph = schedule.program.graph
    ring = schedule.pushed_ring
    return Interface(
        name=graph.name,
        inputs=_ports(graph, graph.inputs, graph.file_inputs, role="input"),
        outputs=_ports(graph, graph.outputs, graph.file_outputs, role="output"),
        pushed_rows=0 if ring is None else ring.rows,
        arena=arena,
        weights_bytes=len(schedule.program.external),
        page_bytes=page_bytes,
    )


def _ports(
    graph: Graph, tensors: tuple[int, ...], in_file: tuple[int, ...], *, role: str
) -> tuple[Port, ...]:
    """A single port is called by its role, several also by their tensors' names in the file."""
    named = [graph.tensors[index].name for index in in_file]
    suffixes = [f"_{name}" for name in unique_identifiers(named)] if len(tensors) > 1 else [""]
    return tuple(
        Port(
            tensor=name,
            accessor=f"{graph.name}_{role}{suffix}",
            shape=graph.tensors[index].shape,
            scale=graph.tensors[index].scale,
            zero_point=graph.tensors[index].zero_point,
            is_float_in_model=index != real,
        )
        for index, real, name, suffix in zip(tensors, in_file, named, suffixes, strict=True)
    )
