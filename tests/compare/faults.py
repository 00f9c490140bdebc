"""Models compared on a runner, whole or with a fault put into their C."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tests.support.hand_written import CACHE, target_or_skip
from tinyml_rules.compare.reference import TFLM
from tinyml_rules.compare.tensors import Comparison, compare_tensors
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.graph import Array
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.request.request import Request
from tinyml_rules.runners.pattern import pattern_inputs


def compared(
    request: Request,
    inputs: Mapping[str, Array] | None = None,
    *,
    reference: str = TFLM,
    fault: tuple[str, int] | None = None,
    samples: int = 2,
) -> Comparison:
    """`fault`: the C name of a table, and the number of the bit of its first element to be flipped.

    Skips where a tool is missing."""
    target_or_skip(request.target.name)
    watched = compile_model(replace(request, watched=True))
    if fault is not None:
        watched = with_fault(watched, *fault)
    graph = read_model(request.model, name=request.name, operators=request.operators)
    return compare_tensors(
        watched,
        request.target,
        inputs or pattern_inputs(watched.interface, samples=samples),
        model=request.model,
        file_graph=graph,
        operators=request.operators,
        reference=reference,
        where="test",
        cache=CACHE,
    )


def with_fault(compiled: Compiled, table: str, bit: int) -> Compiled:
    """The same with one bit of the first element of a table flipped."""
    name = f"{compiled.interface.name}.c"
    pattern = re.compile(rf"({table}\[\w*\][^=]*= \{{\s*)(-?\w+)")
    text, count = pattern.subn(
        lambda found: f"{found[1]}{int(found[2], 0) ^ 1 << bit}", compiled.files[name], count=1
    )
    assert count == 1 and text != compiled.files[name], f"no table {table}"
    return replace(compiled, files={**compiled.files, name: text})
