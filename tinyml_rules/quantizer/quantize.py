"""The whole quantizer, top to bottom: bytes -> Graph -> Plan -> Recording -> Scheme -> bytes."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.graph_writer import write_graph
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.check import check
from tinyml_rules.quantizer import known
from tinyml_rules.quantizer.against_int8 import Figures, comparison, figures
from tinyml_rules.quantizer.calibrate import Recording, Show, record
from tinyml_rules.quantizer.choose import choose
from tinyml_rules.quantizer.core import Core, float_core
from tinyml_rules.quantizer.flash import check_flash, within_flash
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.join_conversions import join_conversions
from tinyml_rules.quantizer.judge import sqnr
from tinyml_rules.quantizer.report import describe, of_chosen
from tinyml_rules.quantizer.request import Activations, Quantized, QuantizeRequest
from tinyml_rules.quantizer.rewrite import rewrite
from tinyml_rules.quantizer.roll import roll
from tinyml_rules.quantizer.samples import notes_of, samples_of
from tinyml_rules.quantizer.stay_float import Wish, plan_core
from tinyml_rules.system.ours import QUANTIZED


def quantize(request: QuantizeRequest, show: Show = lambda _line: None) -> Quantized:
    """The integer model of a float32 one; raises the errors of `errors.py`.  `show` gets a line
    for each stage."""
    operators, wish = request.operators, _wish(request)
    check_flash(request)
    core = float_core(read_model(request.model, name=request.name, operators=operators), operators)
    graph = rewrite(core.graph, operators)
    plan, left = plan_core(graph, operators, is_full_integer=request.is_full_integer, wish=wish)
    plan = known.with_known(plan, core.ranges)
    if request.calibration is None:
        known.check_all_known(plan)
    samples = samples_of(graph, request.calibration, request.validation, core.raw)
    recording = record(graph, operators, samples, show)
    chosen = choose(plan, recording, request.scales, show)

    def file_of(integers: Graph) -> bytes:
        joined = join_conversions(integers, operators)
        return write(roll(core.loops, joined, operators) or joined, operators)

    chosen, int4 = within_flash(request, plan, recording, chosen, file_of=file_of, show=show)
    found = join_conversions(integer_graph(plan, chosen.scheme), operators)
    looping = roll(core.loops, found, operators)
    if looping is not None and recording.aside:
        chosen = replace(chosen, sqnr=sqnr(looping, operators, recording.aside))
    check(looping or found, operators, needs_kernels=request.is_full_integer)
    show("report: the tensors one by one")
    report = describe((plan.graph, found), operators, recording.chosen, request.name)
    notes = (*core.notes, *left, *known.notes_of(plan), *notes_of(graph, samples), *chosen.notes)
    report = of_chosen(report, chosen, samples, len(recording.aside))
    report |= {"int4": int4} if int4 else {}
    model = write(looping or found, operators)
    if plan.in_int16:
        of_int8 = _of_int8(graph, core, recording, request, show)
        mine = figures(model, chosen.sqnr, request.target)
        report |= {"figures": comparison(mine, of_int8, request.target)}
    return Quantized(model, report, notes)


def _of_int8(
    graph: Graph, core: Core, recording: Recording, request: QuantizeRequest, show: Show
) -> Figures:
    """The figures of the same model with int8 alone."""
    operators = request.operators
    plan, _ = plan_core(graph, operators, is_full_integer=False)
    plan = known.with_known(plan, core.ranges)
    show("for comparison: the same model with int8 alone")
    chosen = choose(plan, recording, request.scales, show)
    found = join_conversions(integer_graph(plan, chosen.scheme), operators)
    looping = roll(core.loops, found, operators)
    return figures(write(looping or found, operators), chosen.sqnr, request.target)


def _wish(request: QuantizeRequest) -> Wish:
    """What shall be int16; raises UsageError."""
    if request.int16 and request.activations is Activations.INT16:
        what = "tensors by name and activations=16, which is all of them; expected one of the two"
        raise UsageError.at("int16", what)
    return Wish(request.activations, request.int16)


def write(graph: Graph, operators: Operators) -> bytes:
    """The graph's file."""
    types = {name: op.options_type for name, op in operators.items()}
    return write_graph(graph, types, description=QUANTIZED)
