"""What a budget of flash counts, and the int4 weights that keep a model within it.

With `--flash` it is the constants of the compiled model, as reports have them; for a target without
`--flash` the whole flash of the part, where code counts as much as its estimate may be at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tinyml_rules.compiler import select_program
from tinyml_rules.errors import Note, TinymlError, UsageError
from tinyml_rules.fitting.estimate import estimate
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.program import Program
from tinyml_rules.quantizer.budget import Flash, InBudget, within_budget
from tinyml_rules.quantizer.calibrate import Recorded, Recording, Show, Values
from tinyml_rules.quantizer.choose import ChosenScheme, Judgement
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.quality import Quality, quality
from tinyml_rules.quantizer.request import QuantizeRequest, Scales
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
    chosen: ChosenScheme,
    finish: Callable[[Graph], Graph],
    write: Callable[[Graph], bytes],
    show: Show,
) -> ChosenScheme:
    """The scheme with as many layers of int4 as the budget takes, or the part.  `finish` is what
    else becomes of an integer graph.  Weights are rounded without the samples that judge them.
    Raises UsageError for a budget below what int4 gives."""
    flash, fitted = _flash(request, lambda graph: write(finish(graph))), chosen.fitted
    if flash is None or not fitted.recording.chosen:
        return chosen
    samples, judging = _apart(fitted.recording)

    def judge(graph: Graph) -> Quality:
        return quality(finish(graph), request.operators, judging, fitted.recording.judged)

    try:
        if (
            request.flash is None
            and flash.bytes_of(integer_graph(fitted.plan, fitted.scheme)) <= flash.most
        ):
            return chosen
        found = within_budget(fitted.plan, fitted.scheme, samples, flash, judge=judge, show=show)
    except UsageError as error:
        if request.flash is not None:
            raise
        what = f"it does not fit {flash.of}: {error.problems[0].what}"
        return replace(chosen, notes=(*chosen.notes, Note(fitted.plan.graph.name, what)))
    except TinymlError:
        if request.flash is not None:
            raise
        return chosen  # the compiler says why when the model is compiled
    return replace(_chosen(chosen, found), int4=found.report)


def _apart(recording: Recording) -> tuple[Sequence[Values], Sequence[Recorded]]:
    """Samples to round by, and those that judge: of one fold, if there are several."""
    if recording.validation:
        return recording.chosen, recording.validation
    if not recording.folds:
        return recording.chosen, [each for each in recording.samples if each.values is not None]
    fold = recording.folds[-1]
    return recording.without(fold).chosen, recording.of(fold)


def _chosen(chosen: ChosenScheme, found: InBudget) -> ChosenScheme:
    """With the figures of int4 in place of those of int8."""
    count = sum(each["is_int4"] for each in found.report["layers"])
    if not count:
        return chosen
    steps = (*chosen.steps, f"int4 weights in {count} layer{'s' * (count > 1)}")
    judgement = chosen.judgement and Judgement(found.quality, found.of_int8, 0.0, 0.0, 1)
    fitted = replace(chosen.fitted, scheme=found.scheme)
    return replace(chosen, fitted=fitted, judgement=judgement, steps=steps)


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
