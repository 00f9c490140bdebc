"""Finds the nodes of TFLM's audio front end: a window, its spectrum, the energies of a filter bank,
their roots, noise that is subtracted, a gain, a logarithm, and what makes int8 of that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Operators

AFTER_LOG = ("add", "cast", "div", "maximum", "minimum", "mul", "reshape", "sub")
"""Operators of single values, with constants of one value."""
OF_BINS = ("cast", "concatenation", "reshape", "slice", "strided_slice")
"""Operators that move the energies of bins, or cut them off; they add constants of 0."""
_MOST_LOGARITHM = 32767


@dataclass(frozen=True, eq=False)
class Chain:
    """The nodes in their order, each named after its operator or its work."""

    graph: Graph
    operators: Operators
    window: Node
    reshaped: tuple[Node, ...]
    scale: Node
    spectrum: Node
    energy: Node
    moved: tuple[Node, ...]
    """From the energies to the filter bank."""
    bank: Node
    root: Node
    subtraction: Node
    gain: Node
    log: Node
    ends: tuple[Node, ...]
    """From the logarithms to int8."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All."""
        return (
            *(self.window, *self.reshaped, self.scale, self.spectrum, self.energy, *self.moved),
            *(self.bank, self.root, self.subtraction, self.gain, self.log, *self.ends),
        )

    def view(self, node: Node) -> NodeView:
        """A node with its tensors."""
        return NodeView(self.graph, node)

    def constant(self, node: Node, name: str) -> npt.NDArray[np.int64]:
        """The values of a constant operand."""
        data = self.view(node)[name].data
        assert data is not None
        return data.astype(np.int64)

    def run(self, nodes: Sequence[Node], values: dict[int, Array]) -> dict[int, Array]:
        """The values of tensors, with those that the nodes make."""
        for node in nodes:
            view = self.view(node)
            found = self.operators[node.op].evaluate(view, values)
            values |= dict(zip(node.outputs, found, strict=False))
        return values

    def bins(self) -> npt.NDArray[np.int64]:
        """Which bin's energy the filter bank reads at each place; -1 where that is always 0."""
        (energies,) = self.view(self.energy).outputs
        attrs = self.energy.attrs
        numbers = np.arange(1, energies.count + 1)
        inside = (numbers > attrs.start_index) & (numbers <= attrs.end_index)  # type: ignore[attr-defined]
        values = {energies.index: np.where(inside, numbers, 0).astype(np.uint32)}
        read = self.view(self.bank)["input"].index
        return self.run(self.moved, values)[read].astype(np.int64) - 1

    def features(self) -> npt.NDArray[np.int64]:
        """What each logarithm from 0 on becomes."""
        (logs,) = self.view(self.log).outputs
        count = -(-(_MOST_LOGARITHM + 1) // logs.count) * logs.count
        every = np.arange(count).clip(0, _MOST_LOGARITHM).astype(np.int16)
        (end,) = self.ends[-1].outputs
        parts = [
            self.run(self.ends, {logs.index: row.reshape(logs.shape)})[end].reshape(-1)
            for row in every.reshape(-1, logs.count)
        ]
        return np.concatenate(parts)[: _MOST_LOGARITHM + 1].astype(np.int64)


class _Makers:
    """Walks from nodes to those that make their inputs."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._makers = {index: node for node in graph.nodes for index in node.outputs}

    def of(self, node: Node | None, position: int = 0) -> Node | None:
        """The maker of an input; None if there is none."""
        index = node.inputs[position] if node is not None and position < len(node.inputs) else None
        return None if index is None else self._makers.get(index)

    def before(self, node: Node | None, names: Collection[str]) -> tuple[Node | None, list[Node]]:
        """The first maker that is another operator, and the nodes of these operators after it; each
        has one input that is computed."""
        found: list[Node] = []
        while node is not None and node.op in names:
            found.insert(0, node)
            made = [place for place in range(len(node.inputs)) if self.of(node, place) is not None]
            node = self.of(node, made[0]) if len(made) == 1 else None
        return node, found

    def constants(self, nodes: Sequence[Node]) -> list[Tensor]:
        """Inputs of nodes that nothing makes."""
        indices = (index for node in nodes for index in node.inputs if index not in self._makers)
        return [self._graph.tensors[index] for index in indices if index is not None]


def find(graph: Graph, last: Node, operators: Operators) -> Chain | None:
    """The chain that ends with the node; None if there is none."""
    if last.op not in AFTER_LOG:
        return None
    makers = _Makers(graph)
    log, ends = makers.before(last, AFTER_LOG)
    gain = makers.of(log)
    subtraction = makers.of(gain)
    root = makers.of(subtraction)
    bank = makers.of(root)
    energy, moved = makers.before(makers.of(bank), OF_BINS)
    spectrum = makers.of(energy)
    scale = makers.of(spectrum)
    window, reshaped = makers.before(makers.of(scale), ("reshape",))
    nodes = (log, gain, subtraction, root, bank, energy, spectrum, scale, window)
    names = (
        *("signal_filter_bank_log", "signal_pcan", "signal_filter_bank_spectral_subtraction"),
        *("signal_filter_bank_square_root", "signal_filter_bank", "signal_energy"),
        *("signal_rfft", "signal_fft_auto_scale", "signal_window"),
    )
    if any(node is None or node.op != name for node, name in zip(nodes, names, strict=True)):
        return None
    assert log and gain and subtraction and root and bank and energy and spectrum and scale
    assert window
    is_joined = makers.of(gain, 1) is subtraction and makers.of(root, 1) is scale
    if not is_joined or gain.inputs[0] != subtraction.outputs[0]:
        return None
    if gain.inputs[1] != subtraction.outputs[1] or spectrum.inputs[0] != scale.outputs[0]:
        return None
    if any(each.count != 1 for each in _numbers(graph, makers.constants(ends))):
        return None
    if any(_is_other(each) for each in _values_of(makers, moved)):
        return None
    return Chain(
        *(graph, operators, window, tuple(reshaped), scale, spectrum, energy, tuple(moved)),
        *(bank, root, subtraction, gain, log, tuple(ends)),
    )


def _numbers(graph: Graph, constants: Sequence[Tensor]) -> list[Tensor]:
    """Constants but the shapes of reshapes."""
    shapes = {node.inputs[1] for node in graph.nodes if node.op == "reshape" and node.inputs[1:]}
    return [each for each in constants if each.index not in shapes]


def _values_of(makers: _Makers, moved: Sequence[Node]) -> list[Tensor]:
    """What concatenations add."""
    return makers.constants([node for node in moved if node.op == "concatenation"])


def _is_other(tensor: Tensor) -> bool:
    """Whether it is not 0 throughout."""
    return tensor.data is None or bool(np.any(tensor.data))
