"""What a budget of flash counts, and the int4 weights that keep a model within it.

With `--flash` it is the constants of the compiled model, as reports have them; for a target without
`--flash` the whole flash of the part, where code counts as much as its estimate may be at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.compiler import select_program
from tinyml_rules.errors import Note, TinymlError, UsageError
from tinyml_rules.fitting.estimate import estimate
from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.ir.program import Program
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.quantizer.budget import Flash, InBudget, within_budget
from tinyml_rules.quantizer.calibrate import Recording, Show
from tinyml_rules.quantizer.choose import ChosenScheme
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.judge import BEST_DB, quantized_values, real, sqnr
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.request import QuantizeRequest, Scales
from tinyml_rules.quantizer.scheme import Numbers
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import HOST, Target, default_search, load_target

FileOf = Callable[[Graph], bytes]
"""The model's file of an integer graph."""


def check_flash(request: QuantizeRequest) -> None:
    """Raise UsageError for a budget that no choice can be made for."""
    if request.flash is None:
        return
    if request.calibration is None:
        what = "a budget without calibration samples, expected some: they tell what a layer loses"
        raise UsageError.at("flash", what)
    if request.scales is not Scales.FREE:
        what = f"a budget with scales = {request.scales}, expected scales = {Scales.FREE}"
        raise UsageError.at("flash", what)


def within_flash(
    request: QuantizeRequest,
    plan: Plan,
    recording: Recording,
    chosen: ChosenScheme,
    *,
    file_of: FileOf,
    show: Show,
) -> tuple[ChosenScheme, dict[str, Any]]:
    """The scheme with as many layers of int4 as the budget takes, or the part, and what the report
    has of them, nothing where int8 fits.  Raises UsageError for a budget below what int4 gives."""
    flash = _flash(request, file_of)
    if flash is None or not recording.chosen:
        return chosen, {}
    judged = recording.aside or recording.chosen

    def judge(graph: Graph) -> float:
        return centred_sqnr(graph, plan.operators, judged)

    try:
        found = within_budget(plan, chosen.scheme, recording.chosen, flash, judge=judge, show=show)
    except UsageError as error:
        if request.flash is not None:
            raise
        what = f"it does not fit {flash.of}: {error.problems[0].what}"
        return replace(chosen, notes=(*chosen.notes, Note(plan.graph.name, what))), {}
    except TinymlError:
        if request.flash is not None:
            raise
        return chosen, {}  # the compiler says why when the model is compiled
    is_asked = request.flash is not None or found.report["layers"]
    return _chosen(plan, recording, chosen, found), found.report if is_asked else {}


def _chosen(
    plan: Plan, recording: Recording, chosen: ChosenScheme, found: InBudget
) -> ChosenScheme:
    count = sum(each["is_int4"] for each in found.report["layers"])
    if not count:
        return chosen
    scheme = found.scheme
    graph = integer_graph(plan, scheme)
    db = sqnr(graph, plan.operators, recording.aside) if recording.aside else None
    steps = (*chosen.steps, f"int4 weights in {count} layer{'s' * (count > 1)}")
    return replace(chosen, scheme=scheme, sqnr=db, steps=steps)


def _flash(request: QuantizeRequest, file_of: FileOf) -> Flash | None:
    """The budget; None for a model without one, or that the target has room for or cannot have."""
    target = request.target or load_target(HOST, search=default_search())

    def program(graph: Graph) -> Program:
        return select_program(Request(file_of(graph), request.name, target))

    if request.flash is not None:
        return Flash(
            request.flash,
            lambda graph: program(graph).constant_bytes,
            "constants",
            target.name,
        )
    if target.memory is None or request.scales is not Scales.FREE:
        return None
    return Flash(
        target.memory.flash.bytes,
        lambda graph: _with_code(program(graph), target),
        "flash with the estimated code",
        target.name,
    )


def _with_code(program: Program, target: Target) -> int:
    return program.constant_bytes + estimate(program, target).most_code_bytes


def centred_sqnr(
    graph: Graph, operators: Operators, samples: Sequence[Mapping[int, Array]]
) -> float:
    """SQNR of the outputs in dB with each value's mean over the samples taken from signal and
    error; the mean of several outputs'.  Of one sample nothing would be left: its means stay."""
    rows: dict[int, list[tuple[Numbers, Numbers]]] = {index: [] for index in graph.outputs}
    for sample in samples:
        values = quantized_values(graph, sample)
        run_graph(graph, operators, values)
        for index, each in rows.items():
            tensor, expected = graph.tensors[index], sample[index]
            found = values.get(index, tensor.data)
            assert found is not None
            wanted = expected if expected.dtype.kind == "f" else real(tensor, expected)
            each.append((wanted.astype(np.float64).reshape(-1), real(tensor, found).reshape(-1)))
    return sum(_centred(each) for each in rows.values()) / len(rows)


def _centred(rows: Sequence[tuple[Numbers, Numbers]]) -> float:
    wanted = np.stack([each for each, _ in rows])
    error = np.stack([found for _, found in rows]) - wanted
    if len(rows) > 1:
        wanted, error = (each - each.mean(axis=0) for each in (wanted, error))
    db = sqnr_db(float(np.square(wanted).sum()), float(np.square(error).sum()))
    return min(max(db, -BEST_DB), BEST_DB)
