"""Why a node has the kernel that it has: what is against each of the others of its operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Kernel, Program, Step, Work
from tinyml_rules.lower.choice import (
    Choice,
    Optimize,
    candidates,
    scratch_bytes,
)
from tinyml_rules.ops._shared.operator import Operators

_WEIGHTS: Mapping[Feature, str] = {
    Feature.EXTERNAL_WEIGHTS: "weights=external",
    Feature.PACKED_WEIGHTS: "weights=packed",
    Feature.PARTITION_WEIGHTS: "weights=partition",
}
"""The setting that each feature of weights is of."""


@dataclass(frozen=True)
class Verdict:
    """A kernel, and the first reason against it; empty for the one that is chosen."""

    kernel: str
    against: str

    @property
    def is_chosen(self) -> bool:
        """Whether the node has it."""
        return not self.against


@dataclass(frozen=True)
class NodeVerdicts:
    """All kernels that a node's operator has for such operands, in the order asked; `label` is what
    a profile calls the node."""

    label: str
    operator: str
    verdicts: tuple[Verdict, ...]


def verdicts(
    program: Program, operators: Operators, choice: Choice, prefix: str = ""
) -> Iterator[NodeVerdicts]:
    """Of each node of the graph that has a kernel chosen; labels begin with the prefix."""
    for step in program.steps:
        if step.candidates:
            rows = tuple(_of_step(program, step, operators, choice))
            yield NodeVerdicts(f"{prefix}{step.name}", step.node.op, rows)


def _of_step(
    program: Program, step: Step, operators: Operators, choice: Choice
) -> Iterator[Verdict]:
    view = NodeView(program.graph, step.node)
    meaning = operators[step.node.op].meaning(view)
    assert meaning.prepare is not None
    work, features = meaning.prepare(view), program.features
    able = candidates(meaning, work, features)
    chosen = step.candidates[0]
    first = next(kernel for kernel in able if kernel.name == chosen)
    for kernel in meaning.kernels:
        against = "" if kernel is first else _against(kernel, work, features)
        if not against and kernel not in able:
            against = f"excluded by {_weights_of(able[0].requires)}"
        is_before = kernel in able[: able.index(first)]
        needed = scratch_bytes(kernel, work) if is_before else 0
        is_by_speed = choice.goal is not Optimize.SIZE and step.name not in choice.named
        takes_more = kernel.is_large or (kernel.is_for_speed and choice.goal is Optimize.SPEED)
        if not against and kernel not in choice.of_order(able):
            against = f"makes {kernel.rows_at_once} rows at a time, from the first to the last"
        elif is_before and is_by_speed and (takes_more or not kernel.is_for_speed):
            against = against or _no_room(needed, takes_more=takes_more)
        if not against and kernel is not first:
            against = _passed_over(kernel, chosen, choice.goal, is_named=step.name in choice.named)
        yield Verdict(kernel.name, against)


def _no_room(scratch_bytes: int, *, takes_more: bool) -> str:
    """What a kernel has no room for that would come before the one that is chosen."""
    missing = [
        *([f"for {scratch_bytes:,} bytes of scratch memory"] * (scratch_bytes > 0)),
        *(["in flash for its constants"] * takes_more),
    ]
    return f"no room {' or '.join(missing)}" if missing else ""


def _against(kernel: Kernel, work: Work, features: frozenset[Feature]) -> str:
    """Why a kernel cannot be had; empty where it can."""
    missing, unwanted = kernel.requires - features, kernel.excludes & features
    if missing & _WEIGHTS.keys():
        return f"for {_weights_of(missing)} alone"
    if missing:
        return f"the target lacks {', '.join(sorted(missing))}"
    if unwanted & _WEIGHTS.keys():
        return f"excluded by {_weights_of(unwanted)}"
    if unwanted:
        return f"not for targets with {', '.join(sorted(unwanted))}"
    for words, conditions in (("cannot", kernel.can), ("does not pay", kernel.pays)):
        for each in conditions:
            if not each.holds(work.facts):
                return f"{words}: {each.otherwise}"
    return ""


def _weights_of(features: frozenset[Feature]) -> str:
    return " ".join(setting for feature, setting in _WEIGHTS.items() if feature in features)


def _passed_over(kernel: Kernel, chosen: str, goal: Optimize, *, is_named: bool) -> str:
    """Why a kernel was not chosen that could do the work."""
    if is_named:
        return f"could: the options name {chosen}"
    if goal is Optimize.SIZE:
        return f"could: {chosen} comes first among those for all such nodes, for size"
    if kernel.is_for_speed and goal is not Optimize.SPEED:
        return "for speed only"
    return f"could: {chosen} comes first"
