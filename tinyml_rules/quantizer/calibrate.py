"""The float32 model run on samples by the operators' meanings in numpy: what its tensors hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, NodeView, Tensor
from tinyml_rules.ops._shared.interpreter import first_values, run_graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.quantizer.samples import Sample, Samples

MOST_KEPT_BYTES = 2**28
"""Most bytes kept of the values of all tensors; of more samples some are left out."""
MOST_KEPT = 96
"""Samples by which ranges are chosen, and as many that judge; all count for least and greatest."""

LEAST_REAL = float(np.finfo(np.float32).min)
"""The lowest float32, which means "no value": converters pad with it before a maximum."""

Show = Callable[[str], None]
Values = Mapping[int, Array]


@dataclass(frozen=True, eq=False)
class Recording:
    """`ranges` has the least and the greatest value of each float32 tensor that is computed or
    given; `chosen` the values of all of them for some samples, `aside` the inputs and the outputs
    of the samples that judge."""

    ranges: Mapping[int, tuple[float, float]]
    chosen: tuple[Values, ...]
    aside: tuple[Values, ...]


def record(graph: Graph, operators: Operators, samples: Samples, show: Show) -> Recording:
    """Runs every sample; raises UnsupportedError where a value is no finite number."""
    ranges: dict[int, tuple[float, float]] = {}
    for place, sample in enumerate(samples.ranges):
        show(f"calibrate: sample {place + 1} of {len(samples.ranges)}")
        for index, values in run(graph, operators, sample, place).items():
            if graph.tensors[index].dtype is DType.FLOAT32:
                least, most = ranges.get(index, (0.0, 0.0))
                low, high = ends_of(values)
                ranges[index] = min(least, low), max(most, high)
    kept = _spread(samples.chosen, _most_samples(graph))
    return Recording(
        ranges,
        tuple(run(graph, operators, sample, place) for place, sample in enumerate(kept)),
        tuple(_ends(graph, operators, sample) for sample in _spread(samples.aside, MOST_KEPT)),
    )


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
    return {index: values[index] for index in (*sample, *graph.outputs)}


def _most_samples(graph: Graph) -> int:
    computed = {index for node in graph.nodes for index in node.outputs} | set(graph.inputs)
    size = sum(graph.tensors[index].size_bytes for index in computed)
    return min(max(MOST_KEPT_BYTES // max(size, 1), 1), MOST_KEPT)


def _spread(samples: Sequence[Sample], most: int) -> Iterable[Sample]:
    """At most so many of them, at equal distances."""
    if len(samples) <= most:
        return samples
    return [samples[place * len(samples) // most] for place in range(most)]
