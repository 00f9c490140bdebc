"""What C decides from each output: classes, thresholds, fixed point and scores, all integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from tinyml_rules.arithmetic.exact_scale import ExactScale
from tinyml_rules.arithmetic.squared_difference import SquaredDifference, difference_of
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import unique_identifiers
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, NodeView, Tensor
from tinyml_rules.sensor.event import EventKeys
from tinyml_rules.sensor.output import Head, Output
from tinyml_rules.surroundings.decide.arithmetic import FixedPoint, fixed_point, least_reaching
from tinyml_rules.surroundings.decide.events import Event, event_of
from tinyml_rules.surroundings.decide.requests import Asked, check_scaled

_MOST_CLASSES = 2**15 - 1


@dataclass(frozen=True)
class Threshold:
    """A threshold on q: `least` is the least q with real >= `real`."""

    real: Fraction
    least: int


@dataclass(frozen=True)
class Decision:
    """The decisions of the output at a `position`; `name` in the file, with `count` values.

    `thresholds`: one for all values, or one each; of a score, one for it.  `score` is the position
    of the output with the mean squared difference, `squared` its arithmetic.
    """

    position: int
    name: str
    heads: tuple[Head, ...]
    count: int
    labels: tuple[str, ...] = ()
    k: int = 0
    thresholds: tuple[Threshold, ...] = ()
    fixed_point: FixedPoint | None = None
    score: int | None = None
    reference: str = ""
    """The tensor that a score compares the output with."""
    squared: SquaredDifference | None = None
    event: Event | None = None

    @property
    def classes(self) -> tuple[tuple[str, str], ...]:
        """(label, its name in C) of each class."""
        return tuple(zip(self.labels, unique_identifiers(self.labels), strict=True))

    @property
    def label_bytes(self) -> int:
        """Length of the longest label in UTF-8, including its terminating zero byte."""
        return max((len(label.encode()) + 1 for label in self.labels), default=0)

    def has(self, *heads: str) -> bool:
        """Whether it has one of the heads."""
        return any(head in heads for head in self.heads)

    def threshold(self, index: int) -> Threshold:
        """Of one value."""
        return self.thresholds[index if len(self.thresholds) > 1 else 0]


def decisions(graph: Graph, found: Sequence[Asked]) -> tuple[Decision, ...]:
    """From the graph after all passes.  Raises UsageError for what its outputs cannot give."""
    scores = iter(range(len(graph.outputs) - graph.added_outputs, len(graph.outputs)))
    return tuple(
        _decision(graph, each, None if each.reference is None else next(scores)) for each in found
    )


def _decision(graph: Graph, found: Asked, score: int | None) -> Decision:
    tensor, asked = graph.tensors[graph.outputs[found.position]], found.output
    check_scaled(tensor, "output", asked.where, dtypes=(DType.INT8, DType.UINT8))
    count = tensor.count if score is None else 1
    if asked.labels and len(asked.labels) != count:
        what = f"{len(asked.labels)} labels, but {_shown(tensor)}"
        _refuse(asked, what if score is None else f"{len(asked.labels)} labels for one score")
    if score is None:
        return _of_values(tensor, found)
    assert found.reference is not None
    squared = _squared(graph, graph.outputs[score])
    thresholds = tuple(_score_threshold(each, squared, asked) for each in asked.thresholds)
    return Decision(
        position=found.position,
        name=found.name,
        heads=asked.heads,
        count=count,
        labels=asked.labels,
        thresholds=thresholds,
        score=score,
        reference=graph.tensors[graph.inputs[found.reference]].name,
        squared=squared,
    )


def _squared(graph: Graph, score: int) -> SquaredDifference:
    """The arithmetic of the node that makes a score."""
    (node,) = (node for node in graph.nodes if score in node.outputs)
    view = NodeView(graph, node)
    return difference_of(view.input(0), view.input(1), view.output)


def _of_values(tensor: Tensor, found: Asked) -> Decision:
    asked = found.output
    scale = ExactScale.of(tensor)
    if any(head.needs_order_alone or head is Head.EVENT for head in asked.heads):
        _check_classes(tensor, asked)
    if len(asked.thresholds) not in (0, 1, tensor.count):
        _refuse(asked, f"{len(asked.thresholds)} thresholds, but {_shown(tensor)}")
    of_values = asked.thresholds if Head.THRESHOLD in asked.heads else ()
    return Decision(
        position=found.position,
        name=found.name,
        heads=asked.heads,
        count=tensor.count,
        labels=asked.labels,
        k=asked.k,
        thresholds=tuple(_value_threshold(each, scale, asked) for each in of_values),
        fixed_point=_fixed_point(scale, asked) if Head.FIXED_POINT in asked.heads else None,
        event=None if asked.event is None else _event(tensor, asked, asked.event),
    )


def _refuse(asked: Output, what: str, *, hint: str = "") -> NoReturn:
    raise UsageError.at(asked.where, what, hint=hint)


def _shown(tensor: Tensor) -> str:
    return f"output tensor {tensor} has {tensor.count} values, shape {list(tensor.shape)}"


def _check_classes(tensor: Tensor, asked: Output) -> None:
    """Check that the output is a vector with at least as many scores as are asked for."""
    if tensor.count != max(tensor.shape, default=1) or tensor.count > _MOST_CLASSES:
        _refuse(asked, f"{_shown(tensor)}, expected one dimension of 1 to {_MOST_CLASSES} classes")
    if asked.k > tensor.count:
        _refuse(asked, f"'k' is {asked.k}, but {_shown(tensor)}")


def _value_threshold(real: Fraction, scale: ExactScale, asked: Output) -> Threshold:
    least = least_reaching(scale, real)
    lowest, highest = scale.limits
    if not lowest < least <= highest:
        first, last = scale.reach
        _refuse_threshold(asked, real, first, last, is_always=least <= lowest)
    return Threshold(real, least)


def _score_threshold(real: Fraction, squared: SquaredDifference, asked: Output) -> Threshold:
    """The score reaches it where its fixed-point number does."""
    least = -(-real * 2**squared.fraction_bits // 1)
    if not 0 < least <= squared.most * 2**squared.fraction_bits:
        _refuse_threshold(asked, real, Fraction(0), squared.most, is_always=least <= 0)
    return Threshold(real, least)


def _refuse_threshold(
    asked: Output,
    real: Fraction,
    first: Fraction,
    last: Fraction,
    *,
    is_always: bool,
    key: str = "threshold",
) -> NoReturn:
    truth = "always" if is_always else "never"
    what = f"{key} {float(real):.9g} is {truth} reached: the values go from "
    _refuse(asked, f"{what}{float(first):.9g} to {float(last):.9g}")


def _event(tensor: Tensor, asked: Output, keys: EventKeys) -> Event:
    """Check that the thresholds are within the values, and those of the end not above."""
    scale, off = ExactScale.of(tensor), keys.off_thresholds
    first, last = scale.reach
    for key, reals in (("threshold", asked.thresholds), ("off_threshold", off)):
        for real in reals:
            if not first < real <= last:
                is_always = real <= first
                _refuse_threshold(asked, real, first, last, is_always=is_always, key=key)
    if len(off) not in (0, 1, tensor.count):
        _refuse(asked, f"{len(off)} numbers of 'off_threshold', but {_shown(tensor)}")
    on = asked.thresholds
    for place in range(tensor.count if off else 0):
        above, below = (each[place if len(each) > 1 else 0] for each in (on, off))
        if below > above:
            what = f"'off_threshold' is {float(below):.9g}, expected at most the threshold"
            _refuse(asked, f"{what}, {float(above):.9g}")
    return event_of(scale, keys, on, tensor.count, asked.labels)


def _fixed_point(scale: ExactScale, asked: Output) -> FixedPoint:
    found = fixed_point(scale, asked.fraction_bits)
    first, last = scale.reach
    reach = f"values from {float(first):.6g} to {float(last):.6g}"
    if found is None:
        what = f"{asked.fraction_bits} fraction bits leave int32 for {reach}"
        best = fixed_point(scale, None)
        hint = f"at most {best.fraction_bits} do" if best else ""
        _refuse(asked, what if asked.fraction_bits else f"int32 does not hold {reach}", hint=hint)
    if not any(map(found.of, scale.limits)):
        _refuse(asked, f"{found.fraction_bits} fraction bits make 0 of all {reach}")
    return found
