"""A compiled model -> its report: the figures that are known without building it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from tinyml_rules import __version__
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.packable import packable
from tinyml_rules.plan.memory_plan import KEPT, MAIN, MemoryPlan
from tinyml_rules.plan.slices import most_macs
from tinyml_rules.plan.slide import macs_of_pushes
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.reporting.advice import Advice, advice
from tinyml_rules.reporting.cautions import warnings_of
from tinyml_rules.reporting.parts import (
    CurvePoint,
    MicrophoneFigures,
    NodeFigures,
    PackedWeights,
    PortFigures,
    Pushes,
    RawInput,
    Remedy,
)
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.timeline import Timeline, peak_figures, timeline_figures, timeline_of
from tinyml_rules.reporting.trimming import sums_of, tabulated_layers, trimmed_nodes
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.put_raw import PutRaw
from tinyml_rules.surroundings.microphone import Microphone
from tinyml_rules.surroundings.surroundings import Surroundings
from tinyml_rules.system.ours import first_line


@dataclass(frozen=True)
class Described:
    """What can be reported of a compiled model, worked out where it is asked for: the alternatives
    that advice is made of are plans of their own."""

    request: Request
    steps: Schedule
    plan: MemoryPlan
    interface: Interface
    around: Surroundings

    @cached_property
    def timeline(self) -> Timeline:
        """What is in the arena and when."""
        return timeline_of(self.steps, self.plan)

    @cached_property
    def report(self) -> Report:
        """All of a report that needs no build."""
        return _report(self)


def _report(described: Described) -> Report:
    request, steps, plan = described.request, described.steps, described.plan
    timeline, around = described.timeline, described.around
    program, graph = steps.program, steps.program.graph
    # on a part that has some kind of flash weights can be packed
    could_pack = packable(program, request.operators) if request.target.memory else ()
    found = advice(steps, plan, mode=request.schedule, packable=could_pack)
    streamed = (task.steps for task in steps.tasks if task.is_streamed)
    of_interface = _of_interface(described.interface, plan)
    return of_interface(
        variable_bytes=_variable_bytes(program, plan),
        version=__version__,
        model_sha256=graph.sha256,
        target=request.target.name,
        options=request.chosen,
        peak=peak_figures(timeline.peak),
        timeline=timeline_figures(timeline),
        advice=tuple(each.sentence for each in found),
        remedies=tuple(_remedies(found)),
        warnings=tuple(warnings_of(program, request.target)),
        constant_bytes=program.constant_bytes,
        slice_macs=most_macs(steps) if steps.is_sliced else None,
        packed=tuple(_packed(program)),
        streams=tuple(tuple(step.node.index for step in each) for each in streamed),
        raw_inputs=tuple(map(_raw_input, around.raw_inputs)),
        microphone=around.microphone and _microphone(around.microphone, program),
        tabulated=tuple(tabulated_layers(graph)),
        trimmed=tuple(trimmed_nodes(graph)),
        too_large_to_follow=tuple(graph.known.too_large),
        macs=sum(step.macs for step in program.steps),
        nodes=tuple(_node(step, after, graph) for step, after in _order(program)),
        pushes=_pushes(steps),
    )


def _of_interface(interface: Interface, plan: MemoryPlan) -> partial[Report]:
    """What the C offers, and what it brings into RAM."""
    return partial(
        Report,
        comment=first_line(interface.name),
        model=interface.name,
        arena=interface.arena,
        model_ram_bytes=plan.ram_bytes,
        arena_bytes=plan.arena_bytes,
        arena_lower_bound_bytes=plan.lower_bound_bytes,
        arena_is_optimal=plan.is_optimal,
        state_bytes=plan.state_bytes,
        region_bytes=dict(plan.region_bytes),
        curve=tuple(CurvePoint(each.ram_bytes, each.products) for each in plan.curve),
        external_bytes=interface.weights_bytes,
        page_bytes=interface.page_bytes,
        pushed_rows=interface.pushed_rows,
        has_variables=interface.has_variables,
        ends_early=interface.ends_early,
        event_bytes=interface.event_bytes,
        events=interface.events,
        arena_alignment=interface.alignment,
        inputs=tuple(map(_port, interface.inputs)),
        outputs=tuple(map(_port, interface.outputs)),
    )


def _variable_bytes(program: Program, plan: MemoryPlan) -> int:
    """Those in the main RAM."""
    kept = (each for each in plan.lifetimes if each.tensor in program.variables)
    return sum(each.size_bytes for each in kept if plan.region(each.tensor) in (MAIN, KEPT))


def _pushes(steps: Schedule) -> Pushes | None:
    if steps.slide is None:
        return None
    macs = macs_of_pushes(steps)
    return Pushes(steps.slide.hop, steps.slide.in_flight, sum(macs), max(macs))


def _packed(program: Program) -> Iterator[PackedWeights]:
    """The tensors of packed weights, with their bytes of flash and what they would be as plain
    ones."""
    for each in (program, *program.called):
        for step in each.steps:
            if step.packing is not None:
                packed = step.packing
                name = each.graph.tensors[packed.tensor].name
                sizes = packed.plain_bytes, packed.packed_bytes
                yield PackedWeights(step.node.index, packed.tensor, name, *sizes)


def _remedies(found: tuple[Advice, ...]) -> Iterator[Remedy]:
    for each in found:
        if each.saved_bytes:
            yield Remedy(each.memory, each.saved_bytes, each.option or None, each.text)


def _order(program: Program) -> Iterator[tuple[Step, list[str]]]:
    """Each step with the names of those whose outputs it reads, or what is in their place."""
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


def _node(step: Step, after: list[str], graph: Graph) -> NodeFigures:
    return NodeFigures(
        node=step.node.index,
        label=step.name,
        op=step.node.op,
        kernel=step.kernel.name,
        macs=step.macs,
        sums=sums_of(step, graph),
        constant_bytes=step.constant_bytes,
        external_bytes=len(step.external),
        values=sum(graph.tensors[each].count for each in step.outputs),
        output_shapes=tuple(tuple(graph.tensors[each].shape) for each in step.outputs),
        after=tuple(after),
    )


def _port(port: Port) -> PortFigures:
    return PortFigures(
        tensor=port.tensor,
        accessor=port.accessor,
        shape=tuple(port.shape),
        dtype=DType.FLOAT32 if port.is_float_in_model else port.dtype,
        element=port.dtype,
        scale=port.scale if port.is_quantized else None,
        zero_point=port.zero_point if port.is_quantized else None,
    )


def _microphone(found: Microphone, program: Program) -> MicrophoneFigures:
    return MicrophoneFigures(
        tensor=found.put.port.tensor,
        function=found.function,
        sample_rate=found.front.sample_rate,
        window_samples=found.front.window,
        step_samples=found.front.step,
        channels=found.front.channels,
        rows=found.rows,
        state_bytes=program.buffers[found.state].size_bytes,
        spectrum_bytes=program.buffers[found.spectrum].size_bytes,
        constant_bytes=found.constant_bytes,
    )


def _raw_input(put: PutRaw) -> RawInput:
    return RawInput(
        tensor=put.port.tensor,
        function=put.port.function,
        raw_bytes=put.port.size_bytes,
        form=put.form.kind,
        shift=put.form.shift,
        constant_bytes=put.constant_bytes,
    )
