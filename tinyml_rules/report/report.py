"""The figures of a model that are known without building it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tinyml_rules import __version__
from tinyml_rules.errors import Caution, Note, Problem
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.interface import ArenaMode, Interface, Port, RawPort
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.packable import PACKED
from tinyml_rules.passes.schemes import FLOAT32
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.report.advice import Advice
from tinyml_rules.report.timeline import Timeline, describe_timeline
from tinyml_rules.report.trimming import describe_sums, describe_tabulated, describe_trimmed
from tinyml_rules.system.ours import first_line
from tinyml_rules.target.target import Target, part_notes

Report = dict[str, Any]
"""What a `<name>.report.json` holds."""


def describe_model(
    schedule: Schedule,
    plan: MemoryPlan,
    timeline: Timeline,
    interface: Interface,
    *,
    target: Target,
    options: Mapping[str, Any] | None = None,
    advice: Sequence[Advice] = (),
    raw_inputs: Sequence[Mapping[str, Any]] = (),
) -> Report:
    """The figures that are known without building: sizes in bytes."""
    program = schedule.program
    return {
        "comment": first_line(interface.name),
        "version": __version__,
        "model": interface.name,
        "model_sha256": program.graph.sha256,
        "target": target.name,
        "options": dict(options or {}),
        "arena": interface.arena.value,
        **_describe_plan(plan),
        **describe_timeline(timeline),
        **_describe_advice(advice),
        "warnings": [str(each) for each in (*part_notes(target), *_warnings(program))],
        "constant_bytes": program.constant_bytes,
        "packed": list(_describe_packed(program)),
        "external_bytes": interface.weights_bytes,
        "page_bytes": interface.page_bytes,
        "pushed_rows": interface.pushed_rows,
        "has_variables": interface.has_variables,
        "ends_early": interface.ends_early,
        "arena_alignment": interface.alignment,
        "streams": _streams(schedule),
        **_describe_ports(interface, raw_inputs),
        **_describe_left_out(program.graph),
        "macs": sum(step.macs for step in program.steps),
        "nodes": [_describe_step(step, after, program.graph) for step, after in _order(program)],
    }


def _describe_left_out(graph: Graph) -> dict[str, Any]:
    return {
        "tabulated": describe_tabulated(graph),
        "trimmed": describe_trimmed(graph),
        "too_large_to_follow": list(graph.known.too_large),
    }


def _describe_plan(plan: MemoryPlan) -> dict[str, Any]:
    """What the model brings into RAM."""
    return {
        "model_ram_bytes": plan.ram_bytes,
        "arena_bytes": plan.arena_bytes,
        "arena_lower_bound_bytes": plan.lower_bound_bytes,
        "arena_is_optimal": plan.is_optimal,
        "state_bytes": plan.state_bytes,
        "region_bytes": dict(plan.region_bytes),
    }


def _streams(schedule: Schedule) -> list[list[int]]:
    """The nodes of each stream."""
    streamed = (task for task in schedule.tasks if task.is_streamed)
    return [[step.node.index for step in task.steps] for task in streamed]


def _warnings(program: Program) -> list[Problem]:
    """What a person should hear of, although nothing is refused, by node."""
    hint = "so it does in TFLM; look at the scales of bias and weights"
    where = program.graph.where
    cautions = [
        Caution(where(step.node), step.overflow, hint) for step in program.steps if step.overflow
    ]
    return [*cautions, *_of_reals(program), *_notes(program)]


def _of_reals(program: Program) -> Iterator[Problem]:
    """That a model, or a part of it, was left in float32."""
    tensors = program.graph.tensors
    working = [step for step in program.steps if step.macs]
    products = sum(step.macs for step in working if tensors[step.outputs[0]].dtype.is_real)
    if products:
        share = f"{products:,} of {sum(step.macs for step in working):,}"
        what = f"{share} multiply-accumulates are float32, slow where there is no float unit"
        yield Caution(program.graph.name, what, FLOAT32.hint)


def _notes(program: Program) -> Iterator[Problem]:
    """What was asked for and makes no difference."""
    if PACKED in program.features and not any(_describe_packed(program)):
        yield Note(program.graph.name, "no weights are packed: that would save hardly any flash")


def _describe_packed(program: Program) -> Iterator[dict[str, Any]]:
    """The tensors of packed weights, with their bytes of flash and what they would be as plain
    ones."""
    for each in (program, *program.called):
        for step in each.steps:
            if step.packing is not None:
                packed = step.packing
                yield {
                    "node": step.node.index,
                    "tensor": packed.tensor,
                    "name": each.graph.tensors[packed.tensor].name,
                    "plain_bytes": packed.plain_bytes,
                    "packed_bytes": packed.packed_bytes,
                }


def _describe_advice(advice: Sequence[Advice]) -> dict[str, Any]:
    return {
        "advice": [each.sentence for each in advice],
        "remedies": [
            {
                "memory": each.memory,
                "saved_bytes": each.saved_bytes,
                "option": each.option or None,
                "text": each.text,
            }
            for each in advice
            if each.saved_bytes
        ],
    }


def _order(program: Program) -> Iterator[tuple[Step, list[str]]]:
    """Each step with the names of those whose outputs it reads, or what lies in their place."""
    writers: dict[int, str] = {}
    in_buffer: dict[int, list[str]] = {}
    for step in program.steps:
        before: list[str] = []
        for each in step.inputs:
            found = [writers[each]] if each in writers else in_buffer.get(_buffer(program, each))
            before += found or []
        yield step, list(dict.fromkeys(before))
        for each in step.outputs:
            writers[each] = step.name
            in_buffer.setdefault(_buffer(program, each), []).append(step.name)


def _buffer(program: Program, tensor: int) -> int:
    """Its number; of a tensor that is never stored its own."""
    return program.buffer_of(tensor) if tensor in program.layouts else tensor


def _describe_step(step: Step, after: list[str], graph: Graph) -> dict[str, Any]:
    return {
        "node": step.node.index,
        "label": step.name,
        "op": step.node.op,
        "kernel": step.kernel.name,
        "macs": step.macs,
        "sums": describe_sums(step, graph),
        "constant_bytes": step.constant_bytes,
        "external_bytes": len(step.external),
        "values": sum(graph.tensors[each].count for each in step.outputs),
        "output_shapes": [list(graph.tensors[each].shape) for each in step.outputs],
        "after": after,
    }


def _describe_ports(
    interface: Interface, raw_inputs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "inputs": [_describe_port(port) for port in interface.inputs],
        "outputs": [_describe_port(port) for port in interface.outputs],
        "raw_inputs": [dict(each) for each in raw_inputs],
    }


def _describe_port(port: Port) -> dict[str, Any]:
    return {
        "tensor": port.tensor,
        "accessor": port.accessor,
        "shape": list(port.shape),
        "dtype": "float32" if port.is_float_in_model else port.dtype.value,
        "element": port.dtype.value,
        "scale": port.scale if port.is_quantized else None,
        "zero_point": port.zero_point if port.is_quantized else None,
    }


def interface_of(report: Report) -> Interface:
    """The C interface that a report describes; the opposite of `describe_model`."""
    return Interface(
        name=report["model"],
        inputs=tuple(_port_of(port) for port in report["inputs"]),
        outputs=tuple(_port_of(port) for port in report["outputs"]),
        pushed_rows=report["pushed_rows"],
        arena=ArenaMode(report["arena"]),
        weights_bytes=report["external_bytes"],
        has_variables=report["has_variables"],
        ends_early=report["ends_early"],
        alignment=report["arena_alignment"],
        page_bytes=report["page_bytes"],
        raw_inputs=tuple(
            RawPort(each["function"], each["tensor"], each["raw_bytes"])
            for each in report["raw_inputs"]
        ),
    )


def _port_of(port: dict[str, Any]) -> Port:
    return Port(
        tensor=port["tensor"],
        accessor=port["accessor"],
        shape=tuple(port["shape"]),
        scale=port["scale"] or 0.0,
        zero_point=port["zero_point"] or 0,
        is_float_in_model=port["dtype"] != port["element"],
        dtype=DType(port["element"]),
    )
