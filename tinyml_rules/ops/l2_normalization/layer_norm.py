"""Layer normalization as L2_NORMALIZATION, for integers.

As a graph it is MEAN, SQUARED_DIFFERENCE, MEAN, ADD, RSQRT and products; a variance of int8 has
steps as large as small variances are, of which RSQRT makes anything.  L2_NORMALIZATION keeps its
sum of squares in int32.  With n values x and their mean m,

    (x - m) / sqrt(variance + e)  =  sqrt(n) * (x - m) / sqrt(sum((x - m)^2) + n * e)

is sqrt(n) times what it makes of the row of all x - m and one more value, sqrt(n * e).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Node, Tensor
from tinyml_rules.ir.options import NoOptions
from tinyml_rules.ops._shared.activated import ActivationAttrs
from tinyml_rules.ops._shared.operator import Operators

MOST_RANK = 4


@dataclass(frozen=True)
class _Deviation:
    """1 / sqrt(variance + epsilon) of rows, from what they are and from their means."""

    source: int
    mean: int
    epsilon: float


@dataclass(frozen=True)
class _Found:
    """A whole layer normalization: its rows, its factors and terms."""

    deviation: _Deviation
    factor: Array | None = None
    term: Array | None = None


def layer_norm(graph: Graph, node: Node, operators: Operators) -> Graph | None:
    """The graph with the new nodes before the last one, which changes; None where the node is not
    the last one of a layer normalization."""
    shape = graph.tensors[node.outputs[0]].shape
    if node.op not in ("add", "mul") or len(shape) > MOST_RANK:
        return None
    makers = _Makers(graph)
    found = makers.with_factors(node) if node.op == "add" else makers.plain(node)
    if found is None or graph.tensors[found.deviation.source].shape != shape:
        return None
    return _rewritten(graph, node, found, operators)


class _Makers:
    """What makes the tensors of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._makers = {index: node for node in graph.nodes for index in node.outputs}

    def with_factors(self, node: Node) -> _Found | None:
        """x * k + (term - m * k), where k is the deviation times factors: Keras's."""
        for x_k, rest in self._pairs(node, "mul", "sub"):
            term, m_k = self._constant(rest.inputs[0]), self._made(rest.inputs[1], "mul")
            shared = set(x_k.inputs) & set(m_k.inputs) if m_k else set()
            if m_k is None or term is None or len(shared) != 1:
                continue
            (k,) = shared
            found = self._deviation_times_factor(k)
            if found and {x_k.inputs, m_k.inputs} <= _both(k, found[0].source) | _both(
                k, found[0].mean
            ):
                return _Found(*found, term)
        return None

    def plain(self, node: Node) -> _Found | None:
        """(x - m) times the deviation."""
        for centred, root in permutations(node.inputs, 2):
            found, difference = self._deviation(root), self._made(centred, "sub")
            if found and difference and difference.inputs == (found.source, found.mean):
                return _Found(found)
        return None

    def _deviation_times_factor(self, k: int | None) -> tuple[_Deviation, Array | None] | None:
        plain, product = self._deviation(k), self._made(k, "mul")
        if plain is not None:
            return plain, None
        for root, factor in permutations(product.inputs, 2) if product else ():
            found, values = self._deviation(root), self._constant(factor)
            if found is not None and values is not None:
                return found, values
        return None

    def _deviation(self, root: int | None) -> _Deviation | None:
        """1 / sqrt(mean((x - m)^2) + epsilon)."""
        node = self._made(root, "rsqrt")
        variance, epsilon = (node.inputs[0], 0.0) if node else (None, 0.0)
        total = self._made(variance, "add")
        for place, term in permutations(total.inputs, 2) if total else ():
            values = self._constant(term)
            if values is not None and values.size == 1:
                variance, epsilon = place, float(values.reshape(-1)[0])
        mean = self._mean_of_rows(variance)
        if mean is None or epsilon < 0:
            return None
        for x, m in self._differences(mean.inputs[0]):
            of_rows = self._mean_of_rows(m)
            if of_rows is not None and of_rows.inputs[0] == x:
                return _Deviation(x, m, epsilon)
        return None

    def _differences(self, squares: int | None) -> Iterator[tuple[int, int]]:
        """Tensors of whose differences these are the squares."""
        node, product = self._made(squares, "squared_difference"), self._made(squares, "mul")
        pairs = list(permutations(node.inputs, 2)) if node else []
        if product and product.inputs[0] == product.inputs[1]:
            difference = self._made(product.inputs[0], "sub")
            pairs += [(difference.inputs[0], difference.inputs[1])] if difference else []
        for x, m in pairs:
            if x is not None and m is not None:
                yield x, m

    def _mean_of_rows(self, tensor: int | None) -> Node | None:
        """The node that makes it of the last dimension alone, which stays as 1."""
        node = self._made(tensor, "mean")
        axes = self._constant(node.inputs[1]) if node else None
        if node is None or axes is None:
            return None
        rows = self._graph.tensors[node.inputs[0] or 0].shape
        keeps = self._graph.tensors[node.outputs[0]].shape == (*rows[:-1], 1)
        is_last = axes.size == 1 and int(axes.reshape(-1)[0]) % len(rows) == len(rows) - 1
        return node if keeps and is_last else None

    def _pairs(self, node: Node, first: str, second: str) -> Iterator[tuple[Node, Node]]:
        for one, two in permutations(node.inputs, 2):
            makers = self._made(one, first), self._made(two, second)
            if makers[0] is not None and makers[1] is not None:
                yield makers[0], makers[1]

    def _made(self, tensor: int | None, op: str) -> Node | None:
        """What makes it, if that is such an operator, without a clamp, of float32."""
        node = None if tensor is None else self._makers.get(tensor)
        if node is None or node.op != op:
            return None
        is_real = self._graph.tensors[node.outputs[0]].dtype is DType.FLOAT32
        activation = getattr(node.attrs, "activation", Activation.NONE)
        return node if is_real and activation == Activation.NONE else None

    def _constant(self, tensor: int | None) -> Array | None:
        return None if tensor is None else self._graph.tensors[tensor].data


def _both(one: int | None, two: int) -> set[tuple[int | None, ...]]:
    """Operands in either order."""
    return {(one, two), (two, one)}


class _Adding:
    """Tensors and nodes that are added to a graph, in front of a node."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.tensors, self._name = list(graph.tensors), name
        self.nodes: list[Node] = []
        self._first = max(node.index for node in graph.nodes) + 1

    def constant(self, what: str, values: Any) -> int:
        array = np.asarray(values)
        dtype = DType.INT32 if array.dtype.kind == "i" else DType.FLOAT32
        array = array.astype(dtype.numpy)
        return self._tensor(what, array.shape, dtype, array)

    def made(self, what: str, op: str, attrs: object, shape: tuple[int, ...], *inputs: int) -> int:
        """What a new node makes."""
        place = self._tensor(what, shape, DType.FLOAT32, None)
        number = self._first + len(self.nodes)
        self.nodes.append(Node(number, op, 1, inputs, (place,), attrs))
        return place

    def _tensor(self, what: str, shape: tuple[int, ...], dtype: DType, data: Array | None) -> int:
        place = len(self.tensors)
        self.tensors.append(Tensor(place, f"{self._name}/{what}", shape, dtype, data=data))
        return place


def _rewritten(graph: Graph, node: Node, found: _Found, operators: Operators) -> Graph:
    """The graph with another way to the node's output; what made it before may have no reader."""
    result, rows = graph.tensors[node.outputs[0]], found.deviation
    adding, plain = _Adding(graph, result.name), ActivationAttrs()
    unit_attrs = operators["l2_normalization"].attrs()
    shape, count = graph.tensors[rows.source].shape, graph.tensors[rows.source].shape[-1]
    centred = adding.made("centred", "sub", plain, shape, rows.source, rows.mean)
    if rows.epsilon:
        join = operators["concatenation"].attrs(axis=len(shape) - 1)
        wide, last = (*shape[:-1], count + 1), (*shape[:-1], 1)
        more = adding.constant("epsilon", np.full(last, math.sqrt(count * rows.epsilon)))
        joined = adding.made("joined", "concatenation", join, wide, centred, more)
        unit = adding.made("unit", "l2_normalization", unit_attrs, wide, joined)
        ends = adding.constant("begin", [0] * len(shape)), adding.constant("size", list(shape))
        unit = adding.made("row", "slice", NoOptions(), shape, unit, *ends)
    else:
        unit = adding.made("unit", "l2_normalization", unit_attrs, shape, centred)
    factor = np.ones(1) if found.factor is None else found.factor.astype(np.float64)
    factors = math.sqrt(count) * factor
    operands = unit, adding.constant("factors", factors)
    if found.term is None:
        last_node = replace(node, inputs=operands)
    else:
        product = adding.made("product", "mul", plain, shape, *operands)
        terms = product, adding.constant("terms", found.term)
        last_node = replace(node, inputs=terms)
    before = graph.nodes.index(node)
    nodes = (*graph.nodes[:before], *adding.nodes, last_node, *graph.nodes[before + 1 :])
    return replace(graph, tensors=tuple(adding.tensors), nodes=nodes)
