"""The whole compiler, top to bottom.  Read this file first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from tinyml_rules.emit.decisions import event_functions
from tinyml_rules.emit.emit import emit
from tinyml_rules.emit.interface import describe
from tinyml_rules.ir.accounts import Account, accounts_of
from tinyml_rules.ir.features import Need
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.interface import ArenaMode, Interface
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.text import counted_nodes
from tinyml_rules.ir.watch import Watch
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.lower.groups import Grouping
from tinyml_rules.passes import run_passes
from tinyml_rules.plan.flash_room import with_flash_room
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.planned import Planned
from tinyml_rules.plan.programs import programs_of
from tinyml_rules.plan.room import Room
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.whole import check_plan
from tinyml_rules.plan.whole import plan_program as planned_program
from tinyml_rules.reporting.budgets import check_compiled
from tinyml_rules.reporting.describe import Described
from tinyml_rules.reporting.files import report_files
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.budgets import BUDGETS
from tinyml_rules.request.graph import graph_of
from tinyml_rules.request.request import Request
from tinyml_rules.surroundings.decide.decisions import Decision
from tinyml_rules.surroundings.decide.requests import Asked, asked
from tinyml_rules.surroundings.heads import add_heads
from tinyml_rules.surroundings.microphone import with_microphone
from tinyml_rules.surroundings.surroundings import surroundings_of, with_raw_inputs
from tinyml_rules.system.progress import Show, quietly


@dataclass(frozen=True)
class Compiled:
    """The generated C by name, its interface, and the figures known without a build.

    `binaries` is empty, or holds the weights that the firmware is to read from outside flash.
    """

    files: Mapping[str, str]
    interface: Interface
    described: Described
    """What is reported of it."""
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
    def report(self) -> Report:
        """All figures that are known without a build; made where they are asked for."""
        return self.described.report

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should hear of, although nothing is refused: `where: warning: what`."""
        return self.report.warnings

    @property
    def sources(self) -> dict[str, str | bytes]:
        """What a firmware is built from."""
        return {**self.files, **self.binaries}

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The picture of the memory and the report, by name; made where they are asked for."""
        return report_files(self.interface.name, self.described.timeline, self.report)

    @property
    def texts(self) -> dict[str, str]:
        """The generated C and the documents."""
        return {**self.files, **self.documents}

    @property
    def outputs(self) -> dict[str, str | bytes]:
        """Everything that is to be written."""
        return {**self.texts, **self.binaries}


def compile_model(request: Request, show: Show = quietly) -> Compiled:
    """bytes -> Graph -> Program -> MemoryPlan -> text; `show` is given a line for each stage."""
    graph, heads = _graph(request, show)
    program, called = _programs(request, graph, show)
    around = surroundings_of(request, program, heads)
    show(f"{request.name}: memory of {counted_nodes(len(program.graph.nodes))}")
    steps, plan = plan_program(program, request, kept_bytes=around.kept_bytes)
    check_plan(steps, plan, called.values(), request.target, ram_bytes=request.ram_bytes)
    interface = describe(steps, request.arena, page_bytes=request.page_bytes_read)
    interface = replace(interface, events=event_functions(interface, around.decisions))
    around, interface = with_raw_inputs(around, steps.program, interface, request)
    described = Described(request, steps, plan, interface, around)
    if not request.chosen.keys().isdisjoint(BUDGETS):
        check_compiled(described.report, where=request.name)
    show(f"{request.name}: C of {counted_nodes(len(program.graph.nodes))}")
    text = emit(
        steps,
        plan,
        interface,
        called,
        target=request.target,
        is_small=request.optimize is Optimize.SIZE,
        is_checked=request.checked,
        around=around,
    )
    return Compiled(
        text.files,
        interface,
        described,
        {f"{request.name}.weights.bin": program.external} if interface.page_bytes else {},
        accounts_of(steps.program, tuple(called)),
        around.decisions,
        text.watches,
        text.image,
        text.needs,
        request,
    )


def select_program(request: Request) -> Program:
    """bytes -> Graph -> Program: which kernels the model is made of."""
    graph, _ = _graph(request, quietly)
    return _programs(request, graph, quietly)[0]


def _graph(request: Request, show: Show) -> tuple[Graph, tuple[Asked, ...]]:
    """bytes -> Graph, after all passes; what is asked of its outputs."""
    operators = request.operators
    show(f"{request.name}: reading {len(request.model):,} bytes")
    graph = graph_of(request)
    show(f"{request.name}: passes over {counted_nodes(len(graph.nodes))}")
    heads = asked(graph, request.sensor.outputs) if request.sensor else ()
    graph = run_passes(
        graph,
        operators,
        request.features,
        keeps_layers=request.keeps_layers,
        keeps_channels=request.is_exchangeable,
        at_ends=(partial(add_heads, asked=heads),),
    )
    return graph, heads


def _programs(request: Request, graph: Graph, show: Show) -> tuple[Program, Mapping[int, Planned]]:
    """Graph -> Program; the graphs that its nodes run, callees first."""
    show(f"{request.name}: kernels for {counted_nodes(len(graph.nodes))}")

    def made(choice: Choice) -> tuple[Program, Mapping[int, Planned]]:
        program, called = programs_of(
            graph,
            request.features,
            request.operators,
            choice,
            is_exchangeable=request.is_exchangeable,
        )
        return with_microphone(program, request.sensor), called

    memory = request.target.memory
    room = Room(
        made,
        ram_of=lambda program: plan_program(program, request, may_group=False)[1].ram_bytes,
        part_bytes=None if memory is None else memory.ram.bytes,
        ram_bytes=request.ram_bytes,
    )
    flash_bytes = None if memory is None else memory.flash.bytes
    return room.fastest(*with_flash_room(made, request.choice, flash_bytes))


def plan_program(
    program: Program, request: Request, *, kept_bytes: int = 0, may_group: bool = True
) -> tuple[Schedule, MemoryPlan]:
    """Program -> MemoryPlan: the order of the steps, and the offset of every tensor; `kept_bytes`:
    what decisions over time keep; `may_group`: rows may be made in pieces, and steps be computed
    again."""
    may_group = may_group and not request.is_exchangeable
    return planned_program(
        program,
        request.target,
        mode=request.schedule,
        is_pushed=request.push_rows,
        hop=request.slide,
        is_sliced=request.slices,
        ram=request.ram,
        places=request.places,
        page_bytes=request.page_bytes,
        is_shared=request.arena is ArenaMode.SHARED,
        kept_bytes=kept_bytes,
        may_divide=may_group and not request.watched,
        grouping=Grouping(program, request.operators, request.choice) if may_group else None,
    )
