"""The whole compiler, top to bottom.  Read this file first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from tinyml_rules.budget import check_budget, check_ram_limit
from tinyml_rules.check import check
from tinyml_rules.emit.emit import emit
from tinyml_rules.emit.interface import describe
from tinyml_rules.far_weights import move_weights_far
from tinyml_rules.int_range import check_int_range
from tinyml_rules.ir.interface import Interface
from tinyml_rules.passes import run_passes
from tinyml_rules.plan.advice import advice
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.picture import memory_picture
from tinyml_rules.plan.place import place
from tinyml_rules.plan.regions import choose_regions
from tinyml_rules.plan.schedule import schedule
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.reader import read_model
from tinyml_rules.report import Report, describe_model
from tinyml_rules.request import Request, Weights
from tinyml_rules.select import select


@dataclass(frozen=True)
class Compiled:
    """The generated files by name, the C interface, and the figures known without a build.

    `binaries` is empty, or holds the weights that the firmware is to read from outside flash.
    """

    files: Mapping[str, str]
    interface: Interface
    report: Report
    binaries: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should hear of, although nothing is refused: `where: warning: what`."""
        return tuple(self.report["warnings"])

    @property
    def outputs(self) -> dict[str, str | bytes]:
        """Everything that is to be written."""
        return {**self.files, **self.binaries}


def compile_model(request: Request) -> Compiled:
    """bytes -> Graph -> Program -> MemoryPlan -> text; raises the errors of `errors.py`."""
    graph = read_model(request.model, name=request.name)
    graph = check(graph)
    graph = run_passes(graph)
    program = move_weights_far(select(graph, request.features))
    steps = schedule(
        program,
        mode=request.schedule,
        is_pushed=request.push_rows,
        ram_bytes=request.ram_bytes,
    )
    plan = place(
        steps,
        lifetimes(steps),
        regions=choose_regions(steps.program, request.places, request.target),
        state_bytes=state_bytes(steps, request.arena),
    )
    verify_plan(steps, plan)
    check_ram_limit(request.name, plan, request.ram_bytes)
    check_budget(steps.program, plan, request.target)
    check_int_range(steps, request.target)
    is_external = request.weights is Weights.EXTERNAL
    interface = describe(steps, request.arena, page_bytes=request.page_bytes if is_external else 0)
    report = describe_model(
        steps,
        plan,
        interface,
        target=request.target.name,
        advice=advice(steps, plan, mode=request.schedule),
    )
    files = emit(steps, plan, interface, target=request.target.name, is_checked=request.checked)
    files[f"{request.name}.memory.svg"] = memory_picture(steps, plan)
    files[f"{request.name}.report.json"] = json.dumps(report, indent=2) + "\n"
    binaries = {f"{request.name}.weights.bin": program.external} if is_external else {}
    return Compiled(files, interface, report, binaries)
