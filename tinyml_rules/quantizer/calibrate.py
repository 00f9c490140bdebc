"""The float32 model run on samples by the operators' meanings in numpy: what its tensors hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.interpreter import first_values, run_graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.quantizer.folds import LEAST_OF_FOLD, runs_of
from tinyml_rules.quantizer.samples import Sample, Samples

MOST_KEPT_BYTES = 2**28
"""Most bytes kept of the values of all tensors; of more samples some are left out."""
MOST_KEPT = 144
"""Samples by which choices are made and judged; all count for least and greatest values."""

LEAST_REAL = float(np.finfo(np.float32).min)
"""The lowest float32, which means "no value": converters pad with it before a maximum."""

Show = Callable[[str], None]
Values = Mapping[int, Array]
Ends = Mapping[int, tuple[float, float]]
"""The least and the greatest value of tensors."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """A sample: its run and its fold, the least and the greatest value of each float32 tensor that
    is computed or given, its class if that is known, and the values of tensors, all or those that
    judge; None where they were not kept."""

    run: int
    fold: int
    ends: Ends
    values: Values | None
    label: int | None


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples for the calibration, and others that only judge; `judged` has each output and the
    tensor by which choices are judged for it."""

    judged: tuple[tuple[int, int], ...]
    samples: tuple[Recorded, ...]
    validation: tuple[Recorded, ...] = ()

    @property
    def ranges(self) -> Ends:
        """From the least to the greatest value of each tensor, 0 included."""
        return union(each.ends for each in self.samples)

    @property
    def chosen(self) -> tuple[Values, ...]:
        """The values of the samples that were kept."""
        return tuple(each.values for each in self.samples if each.values is not None)

    @property
    def folds(self) -> tuple[int, ...]:
        """The numbers of the folds that can judge, none where there is but one."""
        counts = Counter(each.fold for each in self.samples if each.values is not None)
        found = sorted(fold for fold, count in counts.items() if count >= LEAST_OF_FOLD)
        return tuple(found) if len(found) > 1 else ()

    def without(self, fold: int) -> Recording:
        """The same without the samples of a fold."""
        kept = tuple(each for each in self.samples if each.fold != fold)
        return Recording(self.judged, kept)

    def of(self, fold: int) -> tuple[Recorded, ...]:
        """The samples of a fold that were kept."""
        return tuple(x for x in self.samples if x.fold == fold and x.values is not None)


def union(found: Iterable[Ends]) -> Ends:
    """From the least to the greatest of several ends, 0 included."""
    ranges: dict[int, tuple[float, float]] = {}
    for ends in found:
        for index, (low, high) in ends.items():
            least, most = ranges.get(index, (0.0, 0.0))
            ranges[index] = min(least, low), max(most, high)
    return ranges


def record(graph: Graph, operators: Operators, samples: Samples, show: Show) -> Recording:
    """Runs every sample; raises UnsupportedError where a value is no finite number."""
    given, others = samples.calibration, samples.validation
    count, kept = len(given.samples), _kept(len(given.samples), _most_samples(graph))
    runs, found = runs_of(count), []
    for place, sample in enumerate(given.samples):
        show(f"calibrate: sample {place + 1} of {count}")
        values = run(graph, operators, sample, place)
        ends = {
            index: ends_of(each)
            for index, each in values.items()
            if graph.tensors[index].dtype is DType.FLOAT32
        }
        label = None if given.labels is None else given.labels[place]
        own = values if place in kept else None
        found.append(Recorded(runs[place], samples.folds[place], ends, own, label))
    judging = [
        Recorded(
            0,
            0,
            {},
            _ends(graph, operators, others.samples[place]),
            None if others.labels is None else others.labels[place],
        )
        for place in _kept(len(others.samples), MOST_KEPT)
    ]
    judged = zip(graph.outputs, judged_tensors(graph, operators), strict=True)
    return Recording(tuple(judged), tuple(found), tuple(judging))


def ends_of(values: Array) -> tuple[float, float]:
    """The least and the greatest value, without those that mean "no value"; 0 if there is none."""
    real = values[values.astype(np.float64) > LEAST_REAL]
    return (float(real.min()), float(real.max())) if real.size else (0.0, 0.0)


def run(graph: Graph, operators: Operators, sample: Sample, place: int) -> dict[int, Array]:
    """The values of all tensors for one sample, before which variables have their first values; of
    a cell all that it has on the way."""
    values = {**first_values(graph), **sample}
    with np.errstate(all="ignore"):
        run_graph(graph, operators, values)
    values |= _cells(graph, operators, values)
    for node in graph.nodes:
        for index in node.outputs:
            if not is_finite(graph.tensors[index], values[index]):
                what = f"tensor {graph.tensors[index]} has a value that is not a finite number"
                raise UnsupportedError.at(graph.where(node), f"{what} in sample {place}")
    return values


def _cells(graph: Graph, operators: Operators, values: Values) -> Values:
    """Of every cell of a node that keeps values, all that it has on the way."""
    constants = {each.index: each.data for each in graph.tensors if each.data is not None}
    known, found = {**constants, **values, **first_values(graph)}, {}
    for node in graph.nodes:
        rule = operators[node.op].quantization
        if rule is not None and rule.memory is not None:
            view = NodeView(graph, node)
            found[view.input(rule.memory.cell).index] = rule.memory.cells(view, known)
    return found


def is_finite(tensor: Tensor, values: Array) -> bool:
    """Whether a float32 tensor has neither infinity nor NaN, nor the highest float32, to which
    operators clamp infinity."""
    if tensor.dtype is not DType.FLOAT32 or not values.size:
        return True
    return bool(np.isfinite(values).all()) and float(values.max()) < -LEAST_REAL


def _ends(graph: Graph, operators: Operators, sample: Sample) -> Values:
    values = run(graph, operators, sample, 0)
    judged = judged_tensors(graph, operators)
    return {index: values[index] for index in (*sample, *graph.outputs, *judged) if index in values}


def judged_tensors(graph: Graph, operators: Operators) -> tuple[int, ...]:
    """For each output the tensor by which choices are judged: of an output with a range that the
    specification fixes, as of SOFTMAX, it is what this is computed of.  There every sample counts,
    while few that are near a border make most of such an output's error."""
    made = {index: node for node in graph.nodes for index in node.outputs}
    return tuple(_judged(graph, operators, made, index) for index in graph.outputs)


def _judged(graph: Graph, operators: Operators, made: Mapping[int, Node], index: int) -> int:
    rule = operators[made[index].op].quantization if index in made else None
    if rule is None or rule.output is None:
        return index
    source = made[index].inputs[0]
    if source is None or source not in made:
        return index
    return source if graph.tensors[source].dtype is DType.FLOAT32 else index


def _most_samples(graph: Graph) -> int:
    computed = {index for node in graph.nodes for index in node.outputs} | set(graph.inputs)
    size = sum(graph.tensors[index].size_bytes for index in computed)
    return min(max(MOST_KEPT_BYTES // max(size, 1), 1), MOST_KEPT)


def _kept(count: int, most: int) -> Sequence[int]:
    """The places of at most so many samples, at equal distances."""
    return range(count) if count <= most else [place * count // most for place in range(most)]
