"""A model on labelled vectors: its C, compiled for this computer, gives the bytes of any part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tinyml_rules.accuracy.judge import Judged, check_bounds, judge
from tinyml_rules.accuracy.labelled import Labelled, read_labelled, scored_port
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import unpack_samples
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.system.ours import first_line
from tinyml_rules.target.target import Target


def measure_accuracy(
    model: bytes, name: str, host: Target, options: Mapping[str, Any], bounds: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a model on the vectors of `bounds`, and return what its report is to have of that.

    `host`: this computer.  `options`: of the compilation, by name, of which those count that decide
    what a model computes; `bounds`: rows of ACCURACY by name.  Raises WrongOutputError for a model
    that is worse than they ask for, UsageError for vectors that do not match it, ToolError without
    a C compiler.
    """
    deciding = {key: value for key, value in options.items() if OPTIONS[key].decides_values}
    compiled = compile_model(Request.of(model, name, host, deciding))
    vectors: Path = bounds["vectors"]
    port = scored_port(compiled.interface, bounds.get("scores"), str(vectors))
    labelled = read_labelled(vectors, compiled.interface, port)
    outcome = run_on_arrays(compiled, host, labelled.inputs, where=labelled.where)
    outputs = unpack_samples(compiled.interface, outcome.output)
    judged = judge(outputs[port.tensor], labelled, port, bounds.get("threshold"))
    check_bounds(judged, labelled, bounds, name)
    return {"comment": first_line(name), "accuracy": _described(judged, labelled, bounds)}


def _described(judged: Judged, labelled: Labelled, bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Figures for a report: no path of this computer, and no number that JSON lacks."""
    ratio = judged.sqnr_db
    return {
        "vectors": Path(labelled.where).name,
        "samples": judged.samples,
        "accuracy": judged.accuracy,
        "sqnr_db": round(ratio, 6) if ratio is not None and math.isfinite(ratio) else None,
        "max_difference": judged.difference,
        "bounds": {key: value for key, value in bounds.items() if key != "vectors"},
        "classes": [
            {
                "class": labelled.names[each.number] if labelled.names else each.number,
                "samples": each.samples,
                "right": each.right,
                "taken_for": [
                    [labelled.names[other] if labelled.names else other, times]
                    for other, times in each.taken
                ],
            }
            for each in judged.classes
        ],
    }


def accuracy_figures(report: Mapping[str, Any]) -> str:
    """One line of what was measured, for a build."""
    found = report["accuracy"]
    texts = []
    if found["accuracy"] is not None:
        right = sum(each["right"] for each in found["classes"])
        texts.append(f"accuracy {found['accuracy']:.4f} ({right} of {found['samples']})")
    if found["max_difference"] is not None:
        ratio = "exact" if not found["max_difference"] else f"SQNR {found['sqnr_db']:.2f} dB"
        texts += [ratio, f"differs by at most {found['max_difference']:.4g}"]
    return ", ".join(texts)
