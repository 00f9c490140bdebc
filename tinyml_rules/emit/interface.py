"""Schedule -> Interface: the C names of a model's inputs and outputs."""

from __future__ import annotations

from tinyml_rules.emit.c_functions import c_functions
from tinyml_rules.ir.c_names import unique_identifiers
from tinyml_rules.ir.graph import Graph, Tensor
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.plan.tasks import Schedule


def describe(schedule: Schedule, arena: ArenaMode, *, page_bytes: int = 0) -> Interface:
    """The interface of a model."""
    graph = schedule.program.graph
    ring = schedule.pushed_ring
    return Interface(
        name=graph.name,
        inputs=_ports(graph, graph.inputs, graph.file_inputs, role="input"),
        outputs=_ports(graph, graph.outputs, graph.file_outputs, role="output"),
        pushed_rows=0 if ring is None else ring.rows,
        arena=arena,
        slide=0 if schedule.slide is None else schedule.slide.hop,
        has_variables=bool(schedule.program.variables) or schedule.slide is not None,
        ends_early=schedule.program.may_end or schedule.slide is not None,
        alignment=max(4, schedule.program.alignment),
        weights_bytes=len(schedule.program.external),
        page_bytes=page_bytes,
        functions=tuple(c_functions(schedule.program)),
    )


def _ports(
    graph: Graph, tensors: tuple[int, ...], in_file: tuple[int, ...], *, role: str
) -> tuple[Port, ...]:
    """A single port is called by its role, several also by their tensors' names in the file; one
    that the compiler added always is."""
    named = [graph.tensors[index].name for index in in_file]
    suffixes = [f"_{name}" for name in unique_identifiers(named)]
    if (role == "output" and len(tensors) - graph.added_outputs == 1) or len(tensors) == 1:
        suffixes[0] = ""
    return tuple(
        _port(
            graph.tensors[index],
            name=name,
            accessor=f"{graph.name}_{role}{suffix}",
            is_float_in_model=graph.tensors[real].dtype.is_real
            and not graph.tensors[index].dtype.is_real,
        )
        for index, real, name, suffix in zip(tensors, in_file, named, suffixes, strict=True)
    )


def _port(tensor: Tensor, *, name: str, accessor: str, is_float_in_model: bool) -> Port:
    found = tensor.quantization
    is_quantized = found is not None and not found.is_per_axis and not tensor.dtype.is_real
    return Port(
        tensor=name,
        accessor=accessor,
        shape=tensor.shape,
        scale=tensor.scale if is_quantized else 0.0,
        zero_point=tensor.zero_point if is_quantized else 0,
        is_float_in_model=is_float_in_model,
        dtype=tensor.dtype,
    )
