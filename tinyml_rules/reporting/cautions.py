"""What a person should hear of a compiled model, although nothing is refused."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.errors import Caution, Note, Problem
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.packable import PACKED
from tinyml_rules.passes.schemes import FLOAT32
from tinyml_rules.target.target import Target, part_notes


def warnings_of(program: Program, target: Target) -> list[str]:
    """Of the part that was named, by node, and once of the whole model; of float32 on a part
    without a float unit alone."""
    hint = "so it does in TFLM; look at the scales of bias and weights"
    where = program.graph.where
    cautions = [
        Caution(where(step.node), step.overflow, hint) for step in program.steps if step.overflow
    ]
    reals = () if target.toolchain.has_float_unit else _of_reals(program)
    of_numbers = program.graph.cautions
    found = (*part_notes(target), *of_numbers, *cautions, *reals, *_notes(program))
    return [str(each) for each in found]


def _of_reals(program: Program) -> Iterator[Problem]:
    """That a model, or a part of it, was left in float32."""
    tensors = program.graph.tensors
    working = [step for step in program.steps if step.macs]
    products = sum(step.macs for step in working if tensors[step.outputs[0]].dtype.is_real)
    if products:
        share = f"{products:,} of {sum(step.macs for step in working):,}"
        what = f"{share} multiply-accumulates are float32, slow where there is no float unit"
        yield Caution(program.graph.name, what, FLOAT32.hint)


def _notes(program: Program) -> Iterator[Problem]:
    """What was asked for and makes no difference."""
    steps = (step for each in (program, *program.called) for step in each.steps)
    if PACKED in program.features and all(step.packing is None for step in steps):
        yield Note(program.graph.name, "no weights are packed: that would save hardly any flash")
