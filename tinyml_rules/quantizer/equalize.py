"""Channels of a tensor between two weighted sums, scaled so that all fill its range: the factor of
a channel goes into the weights and the bias that make it, its inverse into those that read it.

Cross-layer equalization (Nagel et al. 2019, "Data-Free Quantization Through Weight Equalization and
Bias Correction", section 4.1) by what the samples show.  Factors are powers of two, so that the
float32 model computes the same bits, each value of a scaled channel times its factor.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Array, Node, Tensor
from tinyml_rules.quantizer.calibrate import Recorded, Recording, Values, ends_of
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.scheme import Numbers

MOST_DOUBLED = 6
"""A channel is scaled by 2^6 at most: what is smaller adds next to nothing."""


@dataclass(frozen=True)
class _Pair:
    """A tensor that one node makes and one reads; `is_by_channel`: each channel has weights of its
    own in the latter."""

    tensor: int
    maker: Node
    reader: Node
    is_by_channel: bool


def equalized(plan: Plan, recording: Recording) -> tuple[Plan, Recording]:
    """The same plan and recording where there is nothing to scale."""
    tensors, factors = list(plan.graph.tensors), dict[int, Numbers]()
    for pair in _pairs(plan):
        found = _factors(pair, recording.chosen)
        if (found > 1).any():
            factors[pair.tensor] = found
            _scale(plan, pair, found, tensors)
    if not factors:
        return plan, recording
    graph = replace(plan.graph, tensors=tuple(tensors))
    samples = tuple(_scaled(each, factors) for each in recording.samples)
    return replace(plan, graph=graph), replace(recording, samples=samples)


def _pairs(plan: Plan) -> Iterator[_Pair]:
    """Those of int8 in which no other node has a part."""
    reads = Counter(index for node in plan.graph.nodes for index in node.inputs)
    reads.update(plan.graph.outputs)
    readers = {index: node for node in plan.weighted for index in node.inputs}
    for maker in plan.weighted:
        (index,) = maker.outputs
        reader, group = readers.get(index), plan.group[index]
        is_free = group not in plan.known and group not in plan.int16
        is_linear = getattr(maker.attrs, "activation", None) in (Activation.NONE, Activation.RELU)
        if reader is None or not is_free or not is_linear or plan.members(group) != (index,):
            continue
        constants = (*maker.inputs[1:], *reader.inputs[1:])
        own = all(reads[each] == 1 and not _tensor(plan, each).origin for each in constants if each)
        kind = _kind(plan, index, maker, reader)
        if own and reads[index] == 1 and kind is not None:
            yield _Pair(index, maker, reader, kind)


def _tensor(plan: Plan, index: int | None) -> Tensor:
    assert index is not None
    return plan.graph.tensors[index]


def _kind(plan: Plan, index: int, maker: Node, reader: Node) -> bool | None:
    """Whether the reader has weights for each channel alone; None where shapes do not show which
    weights a channel has."""
    mine, others = plan.weights(maker), plan.weights(reader)
    assert mine is not None and others is not None
    channels = plan.graph.tensors[index].shape[-1]
    made = _tensor(plan, maker.inputs[mine.weights]).shape[mine.axis]
    read = _tensor(plan, reader.inputs[others.weights]).shape
    if made != channels or reader.inputs[others.source] != index:
        return None
    if others.axis == len(read) - 1:
        return True if read[-1] % channels == 0 else None
    return False if read[-1] == channels else None


def _factors(pair: _Pair, samples: Sequence[Values]) -> Numbers:
    """A power of two for each channel: up to the largest channel's, or half of the way where
    weights of all channels share a scale."""
    most = np.max([_greatest(each[pair.tensor]) for each in samples], axis=0)
    top = float(most.max())
    return np.array([2.0 ** _doubled(top, float(each), pair) for each in most])


def _greatest(values: Array) -> Numbers:
    return np.asarray(np.abs(values).reshape(-1, values.shape[-1]).max(axis=0), np.float64)


def _doubled(top: float, most: float, pair: _Pair) -> int:
    if not most:
        return 0
    doubled = math.frexp(top / most)[1] - 1
    return min(doubled if pair.is_by_channel else doubled // 2, MOST_DOUBLED)


def _scale(plan: Plan, pair: _Pair, factors: Numbers, tensors: list[Tensor]) -> None:
    """Change, in place, the constants of both nodes."""
    mine, others = plan.weights(pair.maker), plan.weights(pair.reader)
    assert mine is not None and others is not None
    made, bias = pair.maker.inputs[mine.weights], pair.maker.inputs[mine.bias]
    read = pair.reader.inputs[others.weights]
    assert made is not None and bias is not None and read is not None
    shape = [1] * len(tensors[made].shape)
    shape[mine.axis] = len(factors)
    repeated = tensors[read].shape[-1] // len(factors)
    for index, by in (
        (made, factors.reshape(shape)),
        (bias, factors.reshape(tensors[bias].shape)),
        (read, np.repeat(1 / factors, repeated)),
    ):
        tensors[index] = _times(tensors[index], by)


def _times(tensor: Tensor, by: Numbers) -> Tensor:
    assert tensor.data is not None
    return replace(tensor, data=(tensor.data * by).astype(np.float32))


def _scaled(sample: Recorded, factors: Mapping[int, Numbers]) -> Recorded:
    """With the values of the scaled tensors; of a sample whose values were not kept, the ends stay:
    the largest channel has the factor 1."""
    if sample.values is None:
        return sample
    values = {
        index: (sample.values[index] * by).astype(np.float32) for index, by in factors.items()
    }
    ends = {index: ends_of(each) for index, each in values.items()}
    return replace(sample, values={**sample.values, **values}, ends={**sample.ends, **ends})
