"""Where an integer model is off from a float32 one, tensor by tensor, by the exact arithmetic of
either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Node, Tensor
from tinyml_rules.ops._shared.interpreter import Interpreter
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.quantizer.calibrate import LEAST_REAL, Values
from tinyml_rules.quantizer.judge import BEST_DB, INTEGERS, Sums, quantized, quantized_values, real
from tinyml_rules.quantizer.scheme import Numbers

BETWEEN_NAMES = ";"
"""The separator in the names of nodes that a converter joined."""


@dataclass(frozen=True)
class Layer:
    """A tensor that both models have.  `node` makes it in the integer model, -1 for an input.

    SQNRs are in dB: `alone` with nothing quantized but this tensor, `through` with all before it
    too, and `own_loss` what is lost of the worst of those that it is made of.  `low` and `high` are
    the ends of the float32 values; `clipped` is the share of them that the integers do not hold,
    `used` that of the integers of the type between the ends of those that came up.  `worst_channel`
    has the most noise for its signal, with its SQNR; -1 where there is one channel."""

    tensor: str
    dtype: str
    node: int
    op: str
    low: float
    high: float
    scale: float
    zero_point: int
    alone: float
    through: float
    own_loss: float
    clipped: float
    used: float
    worst_channel: int
    worst_channel_sqnr: float


def differences(
    real_graph: Graph, graph: Graph, operators: Operators, samples: Sequence[Values]
) -> tuple[Layer, ...]:
    """Those of all integer tensors of `graph` that the float32 graph has too, in their order;
    `samples` have all float32 values of each sample."""
    pairs = matched(real_graph, graph)
    found = {index: _Seen(graph.tensors[index]) for index in pairs}
    interpreter = Interpreter(graph, operators)
    for sample in samples:
        given = zip(graph.inputs, real_graph.inputs, strict=False)
        inputs = {index: sample[other] for index, other in given if other in sample}
        values: dict[int, Array] = dict(inputs) | quantized_values(graph, inputs)
        interpreter.run(values)
        for index, seen in found.items():
            if index in values and pairs[index] in sample:
                seen.add(sample[pairs[index]], values[index])
    made = {index: node for node in graph.nodes for index in node.outputs}
    compared = {index: seen.through.sqnr for index, seen in found.items() if seen.count}
    before = _before(graph, compared)
    return tuple(
        seen.layer(made.get(index), before.get(index))
        for index, seen in found.items()
        if seen.count
    )


def matched(real_graph: Graph, graph: Graph) -> dict[int, int]:
    """Of the integer tensors of a graph, the float32 ones of the other: inputs and outputs by their
    place, all others by name, or by one of the names that were joined."""
    ends = [*zip(graph.inputs, real_graph.inputs, strict=False)]
    ends += zip(graph.outputs, real_graph.outputs, strict=False)
    names: dict[str, int] = {}
    for tensor in _computed(real_graph):
        for name in (tensor.name, *tensor.name.split(BETWEEN_NAMES)):
            names.setdefault(name, tensor.index)
    pairs = {}
    for tensor in _computed(graph):
        words = (tensor.name, *tensor.name.split(BETWEEN_NAMES))
        other = next((names[word] for word in words if word in names), None)
        if other is not None:
            pairs[tensor.index] = other
    pairs |= dict(ends)
    return {
        index: other
        for index, other in sorted(pairs.items())
        if _is_pair(graph.tensors[index], real_graph.tensors[other])
    }


def _is_pair(tensor: Tensor, other: Tensor) -> bool:
    is_integer = tensor.dtype in INTEGERS and tensor.quantization is not None
    return is_integer and other.dtype is DType.FLOAT32 and tensor.shape == other.shape


def _computed(graph: Graph) -> Iterator[Tensor]:
    for index in (*graph.inputs, *(each for node in graph.nodes for each in node.outputs)):
        yield graph.tensors[index]


def _before(graph: Graph, through: Mapping[int, float]) -> dict[int, float]:
    """The worst SQNR of what each tensor is made of, past tensors that have none."""
    worst: dict[int, float] = {index: through.get(index, BEST_DB) for index in graph.inputs}
    before = {}
    for node in graph.nodes:
        known = [worst[index] for index in node.inputs if index is not None and index in worst]
        for index in node.outputs:
            before[index] = min(known, default=BEST_DB)
            worst[index] = through.get(index, before[index])
    return before


class _Seen:
    """The statistics of one tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.alone, self.through = Sums(), Sums()
        self.low, self.high = float("inf"), float("-inf")
        self.limits = tensor.dtype.limits
        self.most, self.least = self.limits
        self.clipped = self.count = 0
        channels = tensor.shape[-1] if tensor.shape else 1
        self.signal, self.noise = np.zeros(channels), np.zeros(channels)

    def add(self, expected: Array, integers: Array) -> None:
        """The values of one sample: float32, and the integer model's."""
        wanted, got = expected.astype(np.float64), real(self.tensor, integers)
        held = wanted[wanted > LEAST_REAL]
        if held.size == 0 or held.size < wanted.size:
            got, wanted = got[wanted > LEAST_REAL], held
        else:
            self._add_channels(wanted, got)
        self.through.add(wanted, got)
        self.alone.add(held, real(self.tensor, quantized(self.tensor, held)))
        self.count += held.size
        if held.size:
            ends = real(self.tensor, np.array(self.limits, self.tensor.dtype.numpy))
            step = 1.01 * self.tensor.scale  # what the specification fixes ends a step below 1
            self.clipped += int(((held < ends[0] - step) | (held > ends[1] + step)).sum())
            self.low, self.high = min(self.low, held.min()), max(self.high, held.max())
            self.least = min(self.least, int(integers.min()))
            self.most = max(self.most, int(integers.max()))

    def _add_channels(self, wanted: Numbers, got: Numbers) -> None:
        rows = (-1, len(self.signal))
        self.signal += np.square(wanted.reshape(rows)).sum(axis=0)
        self.noise += np.square((wanted - got).reshape(rows)).sum(axis=0)

    def layer(self, node: Node | None, before: float | None) -> Layer:
        """All of it."""
        through = self.through.sqnr
        channel, of_channel = self._worst_channel()
        return Layer(
            tensor=self.tensor.name,
            dtype=str(self.tensor.dtype),
            node=-1 if node is None else node.index,
            op="" if node is None else node.op,
            low=float(self.low),
            high=float(self.high),
            scale=self.tensor.scale,
            zero_point=self.tensor.zero_point,
            alone=self.alone.sqnr,
            through=through,
            own_loss=0.0 if before is None else before - through,
            clipped=self.clipped / max(self.count, 1),
            used=(self.most - self.least + 1) / (self.limits[1] - self.limits[0] + 1),
            worst_channel=channel,
            worst_channel_sqnr=of_channel,
        )

    def _worst_channel(self) -> tuple[int, float]:
        is_known = (self.signal > 0) & (self.noise > 0)
        if len(self.signal) < 2 or not is_known.any():
            return -1, 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(is_known, self.signal / self.noise, np.inf)
        channel = int(found.argmin())
        return channel, sqnr_db(float(self.signal[channel]), float(self.noise[channel]))
