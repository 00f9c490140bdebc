"""The quality of an integer model's outputs on some samples: plain and centred SQNR, decisions,
accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.ops._shared.interpreter import Interpreter
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.quantizer.calibrate import Recorded, Values
from tinyml_rules.quantizer.judge import quantized_values, real, sqnr
from tinyml_rules.quantizer.scheme import Numbers

_Columns = tuple[list[Numbers], list[Numbers]]

MOST_CLASSES = 100
"""Values of an output without a range of the specification that may be the scores of classes."""
HALF = 0.5
"""The border between the two classes of a single score."""


@dataclass(frozen=True, eq=False)
class OfTensor:
    """Sums of squares of a tensor: the signal, its noise, and both with each value's mean over the
    samples taken out; of the last the share of each sample."""

    signal: float
    noise: float
    centred_signal: float
    centred_noise: Numbers

    @property
    def sqnr(self) -> float:
        """In dB."""
        return sqnr(self.signal, self.noise)

    @property
    def centred(self) -> float:
        """Centred SQNR in dB."""
        return sqnr(self.centred_signal, float(self.centred_noise.sum()))

    def centred_of_samples(self) -> float:
        """The mean of what each sample has alone, in dB: no sample of large noise outweighs all
        others."""
        count = len(self.centred_noise)
        return sum(
            sqnr(self.centred_signal, count * float(each)) for each in self.centred_noise
        ) / max(count, 1)

    def __add__(self, other: OfTensor) -> OfTensor:
        """That of the samples of both, each around the means of its own."""
        return OfTensor(
            self.signal + other.signal,
            self.noise + other.noise,
            self.centred_signal + other.centred_signal,
            np.concatenate([self.centred_noise, other.centred_noise]),
        )


@dataclass(frozen=True)
class Decisions:
    """Over so many `samples`: how many of the decisions are `same` as the float32 model's, and how
    many of either are right; the latter are 0 without labels."""

    samples: int
    same: int
    labelled: int
    right: int
    right_in_float: int

    def __add__(self, other: Decisions) -> Decisions:
        pairs = zip(_numbers(self), _numbers(other), strict=True)
        return Decisions(*(one + two for one, two in pairs))


def _numbers(each: Decisions) -> tuple[int, ...]:
    return each.samples, each.same, each.labelled, each.right, each.right_in_float


@dataclass(frozen=True, eq=False)
class Quality:
    """`outputs` in their order; `judged` are the tensors by which choices are judged, which may be
    the same; `decisions` of all outputs that are scores of classes."""

    samples: int
    outputs: tuple[OfTensor, ...]
    judged: tuple[OfTensor, ...]
    decisions: Decisions

    @property
    def sqnr(self) -> float:
        """In dB, the mean of several outputs'."""
        return _mean([each.sqnr for each in self.outputs])

    @property
    def centred(self) -> float:
        """The same with each value's mean taken from signal and noise."""
        return _mean([each.centred for each in self.outputs])

    @property
    def score(self) -> float:
        """Centred SQNR in dB of what choices are judged by."""
        return _mean([each.centred for each in self.judged])

    @property
    def score_of_samples(self) -> float:
        """The mean of the samples' in dB."""
        return _mean([each.centred_of_samples() for each in self.judged])

    def __add__(self, other: Quality) -> Quality:
        """That of the samples of both."""
        return Quality(
            self.samples + other.samples,
            tuple(one + two for one, two in zip(self.outputs, other.outputs, strict=True)),
            tuple(one + two for one, two in zip(self.judged, other.judged, strict=True)),
            self.decisions + other.decisions,
        )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def quality(
    graph: Graph,
    operators: Operators,
    samples: Sequence[Recorded],
    tensors: Sequence[tuple[int, int]],
) -> Quality:
    """Of an integer graph; `tensors` has of the float32 model each output and the tensor by which
    choices are judged for it, and `samples` the values of all of these."""
    ends = [(output, end) for (output, _), end in zip(tensors, graph.outputs, strict=True)]
    inner = [(judged, judged) for output, judged in tensors if judged != output]
    columns: dict[tuple[int, int], _Columns] = {each: ([], []) for each in (*ends, *inner)}
    interpreter = Interpreter(graph, operators)
    for sample in samples:
        _add(interpreter, sample.values or {}, columns)
    found = {key: _of_tensor(*each) for key, each in columns.items() if each[0]}
    of_choice = (
        found.get((judged, judged), found[end])
        for (_, judged), end in zip(tensors, ends, strict=True)
    )
    scores = [
        columns[end]
        for (output, judged), end in zip(tensors, ends, strict=True)
        if _has_classes(graph, end[1], is_bounded=judged != output)
    ]
    labels = [each.label if len(scores) == 1 else None for each in samples]
    decisions = (_decisions(*each, labels) for each in scores)
    return Quality(
        len(samples),
        tuple(found[each] for each in ends),
        tuple(of_choice),
        sum(decisions, Decisions(0, 0, 0, 0, 0)),
    )


def _add(
    interpreter: Interpreter,
    sample: Values,
    columns: Mapping[tuple[int, int], _Columns],
) -> None:
    """The real numbers of one sample: the float32 model's, and the integers'."""
    graph = interpreter.graph
    values = quantized_values(graph, sample)
    interpreter.run(values)
    for (wanted, index), (expected, found) in columns.items():
        integers = values.get(index, graph.tensors[index].data)
        if integers is not None:  # None inside of a loop
            expected.append(_reals(graph, index, sample[wanted]))
            found.append(_reals(graph, index, integers))


def _reals(graph: Graph, index: int, values: Array) -> Numbers:
    """A row of real numbers; the float32 model's may be integers, of a layer that was some."""
    found = values if values.dtype.kind == "f" else real(graph.tensors[index], values)
    return found.astype(np.float64).reshape(-1)


def _of_tensor(expected: Sequence[Numbers], found: Sequence[Numbers]) -> OfTensor:
    wanted, got = np.stack(expected), np.stack(found)
    error = got - wanted
    with np.errstate(invalid="ignore"):  # the end of a range may be beyond float32
        around = np.square(error - error.mean(axis=0)).sum(axis=1)
    return OfTensor(
        float(np.square(wanted).sum()),
        float(np.square(error).sum()),
        float(np.square(wanted - wanted.mean(axis=0)).sum()),
        np.where(np.isfinite(around), around, np.inf),
    )


def _has_classes(graph: Graph, index: int, *, is_bounded: bool) -> bool:
    """Whether an output may be the scores of classes, or one score: a row of them."""
    shape = graph.tensors[index].shape
    count = int(np.prod(shape))
    is_row = bool(shape) and count == shape[-1]
    return is_row and (is_bounded or 1 < count <= MOST_CLASSES)


def _decisions(
    expected: Sequence[Numbers], found: Sequence[Numbers], labels: Sequence[int | None]
) -> Decisions:
    """Of equal scores the first one decides, as with ARG_MAX."""
    wanted, got = ([_decided(row) for row in rows] for rows in (expected, found))
    known = [place for place, label in enumerate(labels) if label is not None]
    return Decisions(
        samples=len(labels),
        same=sum(one == two for one, two in zip(wanted, got, strict=True)),
        labelled=len(known),
        right=sum(got[place] == labels[place] for place in known),
        right_in_float=sum(wanted[place] == labels[place] for place in known),
    )


def _decided(row: Numbers) -> int:
    return int(row[0] >= HALF) if len(row) == 1 else int(np.argmax(row))
