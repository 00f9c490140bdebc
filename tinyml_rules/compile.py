"""The whole compiler, top to bottom.  Read this file first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tinyml_rules.decide.decisions import Decision, decisions
from tinyml_rules.decide.requests import Asked, asked
from tinyml_rules.emit.emit import emit
from tinyml_rules.emit.extras import Extras
from tinyml_rules.emit.interface import describe
from tinyml_rules.emit.names import names_of
from tinyml_rules.emit.self_test import outputs_crc
from tinyml_rules.emit.watches import watches_of
from tinyml_rules.errors import UnsupportedError, UsageError
from tinyml_rules.ir.accounts import Account, accounts_of
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.features import Need
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.interface import ArenaMode, Interface
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.ir.text import counted_nodes
from tinyml_rules.ir.watch import Watch
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.lower.far_weights import move_weights_far, near_bytes_of
from tinyml_rules.lower.packable import packable
from tinyml_rules.lower.rounding import round_once
from tinyml_rules.lower.select import select
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.passes import run_passes
from tinyml_rules.passes.calls import called_graphs
from tinyml_rules.passes.integer_core import check_integer_core
from tinyml_rules.plan.budget import check_budget, check_ram_limit
from tinyml_rules.plan.int_range import check_int_range
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.packed_pieces import pack_for_pieces
from tinyml_rules.plan.place import place
from tinyml_rules.plan.planned import Planned, plan_called
from tinyml_rules.plan.regions import choose_regions
from tinyml_rules.plan.schedule import schedule
from tinyml_rules.plan.state import page_ram_bytes, state_bytes
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.report.advice import advice
from tinyml_rules.report.budgets import COMPILED, budgets_of, check_budgets
from tinyml_rules.report.cautions import warnings_of
from tinyml_rules.report.files import report_files
from tinyml_rules.report.report import Report, describe_model
from tinyml_rules.report.timeline import timeline_of
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.put_raw import PutRaw, put_raw_functions
from tinyml_rules.system.progress import Show, quietly


@dataclass(frozen=True)
class Compiled:
    """The generated files by name, the C interface, and the figures known without a build.

    `binaries` is empty, or holds the weights that the firmware is to read from outside flash.
    """

    files: Mapping[str, str]
    interface: Interface
    report: Report
    binaries: Mapping[str, bytes] = field(default_factory=dict)
    accounts: tuple[Account, ...] = ()
    """What the marks of a profile count for, from account 1 on."""
    decisions: tuple[Decision, ...] = ()
    """What the C decides from outputs."""
    watches: tuple[Watch, ...] = ()
    """Where a runner reads the tensors, of code that was made for that."""
    image: bytes = b""
    """What can be exchanged for that of another model; empty where nothing can."""
    needs: tuple[Need, ...] = ()
    """What the C asks of a processor, the one that says the most at the end."""
    request: Request | None = None
    """What asked for it."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should hear of, although nothing is refused: `where: warning: what`."""
        return tuple(self.report["warnings"])

    @property
    def outputs(self) -> dict[str, str | bytes]:
        """Everything that is to be written."""
        return {**self.files, **self.binaries}


def select_program(request: Request) -> Program:
    """bytes -> Graph -> Program: which kernels the model is made of."""
    return _select(request, quietly)[0]


def _select(
    request: Request, show: Show
) -> tuple[Program, Mapping[int, Planned], tuple[Asked, ...]]:
    """The program, the graphs that its nodes run, callees first, and what is asked of its
    outputs."""
    operators, features = request.operators, request.features
    show(f"{request.name}: reading {len(request.model):,} bytes")
    graph = read_model(request.model, name=request.name, operators=operators)
    show(f"{request.name}: passes over {counted_nodes(len(graph.nodes))}")
    graph = graph.of_reference(request.rounding)
    heads = asked(graph, request.sensor.outputs) if request.sensor else ()
    graph = _passed(graph, request, heads)
    called: dict[int, Planned] = {}
    memory: dict[int, Scratch] = {}
    external, near = b"", 0

    def selected(part: Graph, choice: Choice) -> Program:
        """With weights behind those of the graphs before, in both kinds of memory."""
        nonlocal external, near
        first = len(external)
        program = select(part, features, operators, memory, first_byte=first, choice=choice)
        program = round_once(
            program,
            is_shared=choice.goal is Optimize.SIZE,
            is_exchangeable=request.is_exchangeable,
        )
        if not request.is_exchangeable:
            program = move_weights_far(program, taken_bytes=near)
        external += program.external
        near += near_bytes_of(program)
        return program

    for number in called_graphs(graph, operators):
        called[number] = plan_called(selected(graph.other(number), request.choice.of_graph(number)))
        memory[number] = called[number].memory
    show(f"{request.name}: kernels for {counted_nodes(len(graph.nodes))}")
    program = selected(graph, request.choice.of_model(called))
    programs = tuple(planned.schedule.program for planned in called.values())
    return replace(program, called=programs, external=external), called, heads


def _passed(graph: Graph, request: Request, heads: tuple[Asked, ...]) -> Graph:
    return run_passes(
        graph,
        request.operators,
        request.features,
        keeps_layers=request.keeps_layers,
        keeps_channels=request.is_exchangeable,
        asked=heads,
    )


def plan_program(program: Program, request: Request) -> tuple[Schedule, MemoryPlan]:
    """Program -> MemoryPlan: the order of the steps, and where everything lies."""
    steps, plan = _plan(request, program, ram_bytes=request.ram_bytes)
    if request.ram_bytes is not None and plan.ram_bytes > request.ram_bytes:
        # what lies between and beside the tensors is known only now: try the least of all
        steps, plan = _plan(request, program, ram_bytes=None)
    return steps, plan


def compile_model(request: Request, show: Show = quietly) -> Compiled:
    """bytes -> Graph -> Program -> MemoryPlan -> text; `show` is given a line for each stage."""
    program, called, heads = _select(request, show)
    size = counted_nodes(len(program.graph.nodes))
    show(f"{request.name}: memory of {size}")
    decided = decisions(program.graph, heads)
    _check_settings(program, request)
    steps, plan = plan_program(program, request)
    _check_plan(request, steps, plan, called)
    interface, raw_inputs = _interface(request, steps)
    timeline = timeline_of(steps, plan)
    report = describe_model(
        steps,
        plan,
        timeline,
        interface,
        target=request.target,
        options=request.chosen,
        advice=advice(steps, plan, mode=request.schedule, packable=_packable(program, request)),
        raw_inputs=[each.figures for each in raw_inputs],
        warnings=warnings_of(steps.program, request.target),
    )
    check_budgets(COMPILED, report, budgets_of(report), where=request.name)
    show(f"{request.name}: C of {size}")
    files, image, needs = emit(
        steps,
        plan,
        interface,
        called,
        target=request.target,
        is_checked=request.checked,
        extras=_extras(request, program.graph, decided, raw_inputs),
    )
    files |= report_files(request.name, timeline, report)
    binaries = {f"{request.name}.weights.bin": program.external} if interface.page_bytes else {}
    accounts = accounts_of(steps.program, tuple(called))
    watches = watches_of(names_of(steps, plan, interface), called) if request.watched else ()
    made = (files, interface, report, binaries, accounts, decided, watches, image, needs)
    return Compiled(*made, request)


def _check_plan(
    request: Request, steps: Schedule, plan: MemoryPlan, called: Mapping[int, Planned]
) -> None:
    """The plan is right, and the part and its `int` have room for it."""
    verify_plan(steps, plan)
    check_ram_limit(request.name, plan, request.ram_bytes)
    check_budget(steps.program, plan, request.target)
    for each in (steps, *(planned.schedule for planned in called.values())):
        check_int_range(each, request.target)


def _interface(request: Request, steps: Schedule) -> tuple[Interface, tuple[PutRaw, ...]]:
    """The C functions of a model, and what takes the raw values of a sensor."""
    interface = describe(steps, request.arena, page_bytes=request.page_bytes_read)
    is_small = request.optimize is Optimize.SIZE
    inputs = request.sensor.inputs if request.sensor else {}
    raw = put_raw_functions(inputs, interface, is_small=is_small, int_max=request.target.int_max)
    return replace(interface, raw_inputs=tuple(each.port for each in raw)), raw


def _extras(
    request: Request,
    graph: Graph,
    decided: tuple[Decision, ...],
    raw_inputs: tuple[PutRaw, ...],
) -> Extras:
    """What the C has beside the inference."""
    return Extras(
        outputs_crc=outputs_crc(graph, request.operators) if request.selftest else None,
        is_marked=request.marked,
        is_watched=request.watched,
        has_hooks=request.hooks,
        is_small=request.optimize is Optimize.SIZE,
        has_partition=request.partition,
        has_dump=request.dump,
        version=request.model_version if request.is_exchangeable else None,
        decisions=decided,
        raw_inputs=raw_inputs,
    )


def _packable(program: Program, request: Request) -> tuple[Step, ...]:
    """The steps whose weights would take less flash, on a part that has some."""
    return packable(program, request.operators) if request.target.memory else ()


def _check_settings(program: Program, request: Request) -> None:
    """Raise UnsupportedError for a setting that this model cannot have."""
    _check_arena(program, request)
    _check_partition(program, request)
    _check_exchange(request)


def _check_exchange(request: Request) -> None:
    """What is expected of a model and what is decided from its outputs are those of one alone."""
    for asked_for, what in ((request.selftest, "selftest"), (request.sensor, "sensor")):
        if request.is_exchangeable and asked_for:
            text = f"{what} with weights=partition, which another model may take the place of"
            raise UsageError.at(request.name, text, hint="leave out one of them")


def _check_arena(program: Program, request: Request) -> None:
    """Variables are where no other model writes."""
    if program.variables and request.arena is ArenaMode.SHARED:
        tensor = program.graph.tensors[program.variables[0]]
        what = (
            f"variable tensor {tensor} has to keep its values, but other models overwrite a "
            "shared arena"
        )
        hint = "compile this model with an arena of its own, static or caller"
        raise UnsupportedError.at(request.name, what, hint=hint)


def _check_partition(program: Program, request: Request) -> None:
    """Its functions take whole tensors, and there is nothing but integers between them."""
    if not request.partition:
        return
    if request.push_rows:
        what = (
            "partition, which takes whole tensors, and push_rows exclude each other, expected one "
            "of them"
        )
        hint = "with push_rows, convert each row by the header's function for one value"
        raise UsageError.at(request.name, what, hint=hint)
    check_integer_core(each.graph for each in (program, *program.called))


def _plan(
    request: Request, program: Program, *, ram_bytes: int | None
) -> tuple[Schedule, MemoryPlan]:
    """The schedule for a limit, and where everything lies."""
    steps = schedule(
        program, mode=request.schedule, is_pushed=request.push_rows, ram_bytes=ram_bytes
    )
    steps = pack_for_pieces(steps)
    plan = place(
        steps,
        lifetimes(steps),
        regions=choose_regions(steps.program, request.places, request.target),
        state_bytes=state_bytes(steps),
    )
    return steps, replace(plan, page_bytes=page_ram_bytes(program, request.page_bytes))
