"""Decides which channels of which tensors can be removed.

It starts with all channels of tensors that a node makes channel by channel, and takes out those
that a reader needs, that are tied to one that stays, or that fill a group, until nothing changes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN
from tinyml_rules.ir.graph import Graph, Kept, Node, NodeView, Tensor, Trimmed
from tinyml_rules.ops._shared.channels import filled
from tinyml_rules.ops._shared.interval import Intervals
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.remove_channels.linked import Linked, linked

Mask = npt.NDArray[np.bool_]
Limits = Iterator[tuple[Mask, Kept]]
"""Channels that may be removed by one rule, and why the others stay."""


class DeadChannels:
    """The dead channels of one graph: `dead` by tensor, if it has any; `links` by output tensor;
    `distances` are each tensor's constant channels minus its zero point, 0 for other channels."""

    def __init__(
        self, graph: Graph, operators: Operators, intervals: Intervals, *, group: int
    ) -> None:
        self._graph = graph
        self._group = group
        self.links = {
            node.outputs[0]: found
            for node in graph.nodes
            if intervals.keys() >= {*node.inputs[:1], *node.outputs}
            and (found := linked(NodeView(graph, node), operators)) is not None
        }
        self._readers: dict[int | None, list[Node]] = defaultdict(list)
        for node in graph.nodes:
            for index in {*node.inputs}:
                self._readers[index].append(node)
        tensors = {index: graph.tensors[index] for index in self.links}
        self._why = {
            index: np.full(tensor.shape[-1], Kept.READER, object)
            for index, tensor in tensors.items()
        }
        self._is_constant: dict[int, Mask] = {}
        self.distances: dict[int, npt.NDArray[np.int64]] = {}
        for tensor in tensors.values():
            self._look_at(tensor, intervals)
        self._all = {
            index: np.ones(tensor.shape[-1], bool)
            for index, tensor in tensors.items()
            if index not in graph.outputs and self._readers[index]
        }
        self._settle()
        while self._fill_groups():
            self._settle()
        self.dead = {index: mask for index, mask in self._all.items() if mask.any()}

    def trimmed(self) -> Iterator[Trimmed]:
        """Entries of the report, for every node with weights that has dead channels."""
        for node in self._graph.nodes:
            link = self.links.get(node.outputs[0]) if node.outputs else None
            if link is None or not link.channels.operands:
                continue
            index = node.outputs[0]
            is_constant, why = self._is_constant[index], self._why[index]
            dead = self._all.get(index, np.zeros(len(why), bool))
            stays = ~dead & (is_constant | (why == Kept.GROUP))
            kept = Counter(map(Kept, why[stays].tolist()))
            constant, unused = int((dead & is_constant).sum()), int((dead & ~is_constant).sum())
            if dead.any() or kept:
                yield Trimmed(node.index, node.op, len(why), constant, unused, tuple(kept.items()))

    def _look_at(self, tensor: Tensor, intervals: Intervals) -> None:
        """Note which channels are constant."""
        found = intervals[tensor.index]
        low, high = (
            end.reshape(-1, tensor.shape[-1]).astype(np.int64) for end in (found.low, found.high)
        )
        is_constant = np.asarray(low.min(axis=0) == high.max(axis=0))
        zero_point = tensor.zero_point if tensor.quantization is not None else 0
        self._is_constant[tensor.index] = is_constant
        self.distances[tensor.index] = np.where(is_constant, low[0] - zero_point, 0)

    def _settle(self) -> None:
        """Take out channels that one of the rules keeps, until no rule does: from the last tensor
        on, because most depends on the readers, and again for tensors whose neighbour has
        changed."""
        waiting = dict.fromkeys(reversed(self._all))
        while waiting:
            index = next(iter(waiting))
            del waiting[index]
            if self._take_out(index):
                again = (each for each in self._neighbours(index) if each in self._all)
                waiting.update(dict.fromkeys(again))

    def _take_out(self, index: int) -> bool:
        """The same for one tensor, once; returns whether a channel was taken out."""
        mask, is_changed = self._all[index], False
        for may_go, reason in self._limits(index):
            stays = mask & ~may_go
            if stays.any():
                is_changed = True
                mask[stays] = False
                self._why[index][stays] = reason
        return is_changed

    def _neighbours(self, index: int) -> Iterator[int]:
        """The tensors whose dead channels depend on those of a tensor, itself included."""
        yield index
        yield self.links[index].source
        for reader in self._readers[index]:
            yield from reader.outputs[:1]

    def _limits(self, index: int) -> Limits:
        link = self.links[index]
        if link.channels.sources is not None:
            yield self._of(link.source)[link.channels.sources], Kept.TIED
        for reader in self._readers[index]:
            behind = self.links.get(reader.outputs[0]) if reader.outputs else None
            if behind is None or behind.source != index or reader.inputs.count(index) != 1:
                yield np.zeros(len(self._all[index]), bool), Kept.READER
            elif behind.channels.sources is not None:
                may_go = np.ones(len(self._all[index]), bool)
                np.logical_and.at(may_go, behind.channels.sources, self._of(reader.outputs[0]))
                yield may_go, Kept.TIED
            else:
                yield from self._limits_of_sums(index, reader, behind)

    def _of(self, index: int) -> Mask:
        """The channels of any tensor that may go."""
        count = self._graph.tensors[index].shape[-1]
        return self._all.get(index, np.zeros(count, bool))

    def _limits_of_sums(self, index: int, reader: Node, behind: Linked) -> Limits:
        """A channel read with weights other than 0 has to be a constant that fits in the bias."""
        rows = ~self._of(reader.outputs[0])
        is_unused = ~behind.is_used[rows].any(axis=0)
        yield is_unused | self._is_constant[index], Kept.USED
        distances = self.distances[index]
        if behind.channels.sees_outside:
            yield is_unused | (distances == 0), Kept.EDGE
        bias = behind.bias[rows] + behind.sums[rows] @ np.where(self._all[index], distances, 0)
        if bias.size and (bias.min() < INT32_MIN or bias.max() > INT32_MAX):
            yield is_unused | (distances == 0), Kept.BIAS

    def _fill_groups(self) -> bool:
        """Keep as many of a layer's channels as fill its kernels' group; returns whether any
        were."""
        is_filled = False
        for index, mask in self._all.items():
            if self.links[index].channels.sources is not None:
                continue  # as those of its source
            kept = int((~mask).sum())
            missing = filled(kept, of=len(mask), group=self._group) - kept
            if missing > 0 and mask.any():
                again = np.flatnonzero(mask)[-missing:]
                mask[again] = False
                self._why[index][again] = Kept.GROUP
                is_filled = True
        return is_filled
