"""The report of a quantized model: which tensor loses most, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.text import operator_name
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.quantizer.against_int8 import comparison_lines
from tinyml_rules.quantizer.budget_text import budget_lines
from tinyml_rules.quantizer.calibrate import Values
from tinyml_rules.quantizer.choose import ChosenScheme
from tinyml_rules.quantizer.differences import Layer, differences
from tinyml_rules.quantizer.samples import Samples
from tinyml_rules.reporting.rows import plain

MOST_SAMPLES = 16
"""By which tensors are judged one by one."""
MOST_ROWS = 20
"""Most rows of the table; the JSON has all."""
GOOD_DB = 30.0
MUCH_CLIPPED = 0.01
LITTLE_USED = {"int8": 0.5, "int16": 0.25}
"""By type; int16, whose zero point is 0, has half of its range for values that are all positive."""


def describe(
    graphs: tuple[Graph, Graph], operators: Operators, samples: Sequence[Values], name: str
) -> dict[str, Any]:
    """The report of a float32 and an integer graph; `samples` have all float32 values."""
    real_graph, graph = graphs
    found = differences(real_graph, graph, operators, samples[:MOST_SAMPLES])
    layers = sorted(found, key=lambda layer: -layer.own_loss)
    in_float = in_float32(graph, operators)
    through = [layer.through for layer in found]
    return {
        "model": name,
        "advice": advice(layers, in_float),
        "samples": min(len(samples), MOST_SAMPLES),
        "least_sqnr_db": min(through, default=None),
        "float32": in_float,
        "tensors": [asdict(layer) for layer in layers],
    }


def of_chosen(report: dict[str, Any], chosen: ChosenScheme, samples: Samples) -> dict[str, Any]:
    """The same with what was chosen, how good that is, and by which samples."""
    found = chosen.judgement
    is_held_out = not samples.validation.samples
    data = "calibration" if is_held_out else "validation"
    measured = {"data": data, "samples": 0 if found is None else found.found.samples}
    return {
        "model": report["model"],
        "advice": report["advice"],
        "sqnr_db": sqnr_of(chosen),
        "plain_sqnr_db": None if found is None else found.plain.sqnr,
        "centred_sqnr_db": None if found is None else found.found.centred,
        "plain_centred_sqnr_db": None if found is None else found.plain.centred,
        "gain_db": None if found is None else found.gain,
        "gain_spread_db": None if found is None else found.spread,
        "judges": 0 if found is None else found.judges,
        "decisions": None if found is None else asdict(found.found.decisions),
        "steps": list(chosen.steps),
        **({"int4": chosen.int4} if chosen.int4 else {}),
        "measured_on": measured | ({"of": len(samples.calibration.samples)} if is_held_out else {}),
        **report,
    }


def sqnr_of(chosen: ChosenScheme) -> float | None:
    """Of the outputs in dB, if it was measured."""
    return None if chosen.judgement is None else chosen.judgement.found.sqnr


def in_float32(graph: Graph, operators: Operators) -> list[str]:
    """The nodes that compute in float32."""
    return [
        f"node {node.index} ({node.op})"
        for node in graph.nodes
        if any(graph.tensors[index].dtype.is_real for index in node.outputs)
        and operators[node.op].role is not Role.CONVERSION
    ]


def advice(layers: Sequence[Layer], in_float: Sequence[str]) -> str:
    """One line: the tensor that loses most, and what would help."""
    computed = [layer for layer in layers if layer.node >= 0]
    if not computed:
        return "no tensor to compare"
    worst = max(computed, key=lambda layer: layer.own_loss)
    text = (
        f"node {worst.node} ({operator_name(worst.op)}) loses most, {worst.own_loss:.1f} dB in "
        f"tensor '{worst.tensor}': {_reason(worst)}"
    )
    more = f"; float32 are {', '.join(in_float)}" if in_float else ""
    return text + more


def _reason(layer: Layer) -> str:
    if layer.clipped > MUCH_CLIPPED:
        return (
            f"{layer.clipped:.1%} of its values lie outside the range, which the calibration "
            "samples did not reach or which was cut"
        )
    if layer.used < LITTLE_USED[layer.dtype]:
        return (
            f"only {layer.used:.0%} of the values of {layer.dtype} come up: its range is shared "
            "with other tensors, or set by rare samples"
        )
    if layer.through >= GOOD_DB:
        return f"{layer.through:.1f} dB are left, which is good"
    if layer.worst_channel >= 0 and layer.worst_channel_sqnr < layer.through - 10:
        return (
            f"channel {layer.worst_channel} has {layer.worst_channel_sqnr:.1f} dB: its values are "
            "small beside those of the others"
        )
    more = "a narrower one needs other training"
    if layer.dtype == DType.INT8:
        more += ", int16 (quantize --int16) more RAM and time"
    return f"{layer.alone:.1f} dB by its own range; {more}"


def report_text(report: Mapping[str, Any]) -> str:
    """The advice, then the tensors, those that lose most first; nothing without samples."""
    if not report["samples"]:
        return ""
    rows = [tensor_row(layer) for layer in report["tensors"][:MOST_ROWS]]
    lines = [f"advice: {report['advice']}"]
    if report.get("sqnr_db") is not None:
        lines += [*_of_outputs(report), *comparison_lines(report.get("figures", {}))]
    lines += budget_lines(report.get("int4", {}))
    if rows:
        lines.append(f"tensor by tensor, over {report['samples']} of the samples:")
    left_out = len(report["tensors"]) - len(rows)
    more = [f"and {left_out} tensors that lose less"] if left_out > 0 else []
    return "\n".join([*lines, plain(rows) if rows else "", *more])


def _of_outputs(report: Mapping[str, Any]) -> list[str]:
    """The SQNRs, and whose they are."""
    steps, found = ", ".join(report["steps"]), report["measured_on"]
    count = f"{found['samples']} sample{'' if found['samples'] == 1 else 's'}"
    where = f"on the {count} of --validate; they also made the choice"
    if found["data"] == "calibration":
        where = (
            f"on {found['samples']} of the {found['of']} calibration samples, each by a model made "
            f"without its fold; they also made the choice"
        )
    lines = [
        f"SQNR of the outputs: {report['sqnr_db']:.1f} dB, {report['centred_sqnr_db']:.1f} dB with "
        f"means taken out; by {steps or 'plain min/max calibration'}",
        f"  {where}, so this is no figure of unseen data",
    ]
    if report["gain_db"]:
        lines.append(
            f"  plain min/max calibration: {report['plain_sqnr_db']:.1f} dB, "
            f"{report['plain_centred_sqnr_db']:.1f} dB; gain {report['gain_db']:.2f} +- "
            f"{report['gain_spread_db']:.2f} dB over {report['judges']} judges"
        )
    return [*lines, *_of_decisions(report["decisions"])]


def _of_decisions(found: Mapping[str, int]) -> list[str]:
    """How many are the float32 model's, and right."""
    if not found["samples"]:
        return []
    line = f"  decisions: {found['same']} of {found['samples']} are the float32 model's"
    if found["labelled"]:
        line += (
            f"; {found['right']} of {found['labelled']} are right, "
            f"of the float32 model's {found['right_in_float']}"
        )
    return [line]


def tensor_row(layer: Mapping[str, Any]) -> dict[str, object]:
    """The row of a tensor in a table."""
    is_input = layer["node"] < 0
    return {
        "node": "input" if is_input else layer["node"],
        "operator": "" if is_input else operator_name(layer["op"]),
        "tensor": _short(layer["tensor"]),
        "loss dB": "" if is_input else f"{layer['own_loss']:.1f}",
        "all dB": f"{layer['through']:.1f}",
        "alone dB": f"{layer['alone']:.1f}",
        "low": f"{layer['low']:.3g}",
        "high": f"{layer['high']:.3g}",
        "clipped": f"{layer['clipped']:.2%}",
        "used": f"{layer['used']:.0%}",
    }


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:11]}..{name[-11:]}"
