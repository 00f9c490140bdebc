"""The whole quantizer, top to bottom: bytes -> Graph -> Plan -> Recording -> Scheme -> bytes."""

from __future__ import annotations

from functools import partial

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.graph_writer import write_graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.check import check
from tinyml_rules.quantizer import known
from tinyml_rules.quantizer.against_int8 import Figures, comparison, figures
from tinyml_rules.quantizer.calibrate import Recording, Show, record
from tinyml_rules.quantizer.choose import choose
from tinyml_rules.quantizer.core import Core, float_core
from tinyml_rules.quantizer.flash import check_flash, within_flash
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.join_constants import join_constants
from tinyml_rules.quantizer.join_conversions import join_conversions
from tinyml_rules.quantizer.report import describe, of_chosen, sqnr_of
from tinyml_rules.quantizer.request import Activations, Quantized, QuantizeRequest
from tinyml_rules.quantizer.rewrite import rewrite
from tinyml_rules.quantizer.roll import roll
from tinyml_rules.quantizer.samples import notes_of, samples_of
from tinyml_rules.quantizer.signatures import read_signature
from tinyml_rules.quantizer.stay_float import Wish, plan_core
from tinyml_rules.system.ours import QUANTIZED


def quantize(request: QuantizeRequest, show: Show = lambda _line: None) -> Quantized:
    """The integer model of a float32 one; raises the errors of `errors.py`.  `show` gets a line
    for each stage."""
    operators, wish = request.operators, _wish(request)
    check_flash(request)
    source, signatures = read_signature(request)
    core = float_core(source, operators)
    graph = rewrite(core.graph, operators)
    plan, left = plan_core(graph, operators, is_full_integer=request.is_full_integer, wish=wish)
    plan = known.with_known(plan, core.ranges)
    if request.calibration is None:
        known.check_all_known(plan)
    samples = samples_of(graph, request.calibration, request.validation, core.raw)
    recording = record(graph, operators, samples, show)
    finish = partial(_finished, core, operators)
    chosen = choose(plan, recording, request, show, finish)
    chosen = within_flash(request, chosen, finish, partial(write, operators=operators), show)
    fitted = chosen.fitted
    unrolled = join_conversions(integer_graph(fitted.plan, fitted.scheme), operators)
    found = finish(unrolled)
    check(found, operators, needs_kernels=request.is_full_integer)
    show("report: the tensors one by one")
    graphs, kept = (fitted.plan.graph, unrolled), fitted.recording.chosen
    report = describe(graphs, operators, kept, request.name)
    notes = (
        *signatures,
        *core.notes,
        *left,
        *known.notes_of(plan),
        *notes_of(graph, samples),
        *chosen.notes,
    )
    report = of_chosen(report, chosen, samples)
    model = write(found, operators)
    if plan.in_int16:
        of_int8 = _of_int8(graph, core, recording, request, show)
        mine = figures(model, sqnr_of(chosen), request.target)
        report |= {"figures": comparison(mine, of_int8, request.target)}
    return Quantized(model, report, notes)


def _finished(core: Core, operators: Operators, graph: Graph) -> Graph:
    """The graph that is written: with the loops that the file has, if it can have them."""
    joined = join_conversions(graph, operators)
    return roll(core.loops, joined, operators) or joined


def _of_int8(
    graph: Graph, core: Core, recording: Recording, request: QuantizeRequest, show: Show
) -> Figures:
    """The figures of the same model with int8 alone."""
    operators = request.operators
    plan, _ = plan_core(graph, operators, is_full_integer=False)
    plan = known.with_known(plan, core.ranges)
    show("for comparison: the same model with int8 alone")
    finish = partial(_finished, core, operators)
    chosen = choose(plan, recording, request, show, finish)
    found = finish(integer_graph(chosen.fitted.plan, chosen.fitted.scheme))
    return figures(write(found, operators), sqnr_of(chosen), request.target)


def _wish(request: QuantizeRequest) -> Wish:
    """What shall be int16; raises UsageError."""
    if request.int16 and request.activations is Activations.INT16:
        what = "tensors by name and activations=16, which is all of them; expected one of the two"
        raise UsageError.at("int16", what)
    return Wish(request.activations, request.int16)


def write(graph: Graph, operators: Operators) -> bytes:
    """The graph's file, with each constant once."""
    types = {name: op.options_type for name, op in operators.items()}
    return write_graph(join_constants(graph), types, description=QUANTIZED)
