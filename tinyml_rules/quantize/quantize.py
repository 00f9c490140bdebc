"""The whole quantizer, top to bottom: bytes -> Graph -> Plan -> Recording -> Scheme -> bytes."""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph
from tinyml_rules.model_file.graph_writer import write_graph
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.check import check
from tinyml_rules.quantize import known
from tinyml_rules.quantize.calibrate import Show, record
from tinyml_rules.quantize.choose import choose
from tinyml_rules.quantize.core import float_core
from tinyml_rules.quantize.integers import integer_graph
from tinyml_rules.quantize.join_conversions import join_conversions
from tinyml_rules.quantize.report import describe, of_chosen
from tinyml_rules.quantize.request import Quantized, QuantizeRequest
from tinyml_rules.quantize.rewrite import rewrite
from tinyml_rules.quantize.samples import notes_of, samples_of
from tinyml_rules.quantize.stay_float import Wish, plan_core
from tinyml_rules.system.ours import QUANTIZED


def quantize(request: QuantizeRequest, show: Show = lambda _line: None) -> Quantized:
    """The integer model of a float32 one; raises the errors of `errors.py`.  `show` gets a line
    for each stage."""
    operators = request.operators
    core = float_core(read_model(request.model, name=request.name, operators=operators), operators)
    graph = rewrite(core.graph, operators)
    wish = Wish(request.activations, request.int16)
    plan, left = plan_core(graph, operators, is_full_integer=request.is_full_integer, wish=wish)
    plan = known.with_known(plan, core.ranges)
    if request.calibration is None:
        known.check_all_known(plan)
    samples = samples_of(graph, request.calibration, request.validation, core.raw)
    recording = record(graph, operators, samples, show)
    chosen = choose(plan, recording, request.scales, show)
    found = join_conversions(integer_graph(plan, chosen.scheme), operators)
    check(found, operators, needs_kernels=request.is_full_integer)
    show("report: the tensors one by one")
    report = describe((plan.graph, found), operators, recording.chosen, request.name)
    notes = (*core.notes, *left, *known.notes_of(plan), *notes_of(graph, samples), *chosen.notes)
    report = of_chosen(report, chosen, samples, len(recording.aside))
    return Quantized(write(found, operators), report, notes)


def write(graph: Graph, operators: Operators) -> bytes:
    """The graph's file."""
    types = {name: op.options_type for name, op in operators.items()}
    return write_graph(graph, types, description=QUANTIZED)
