"""Which tensors share a scale and a zero point, node after node: what each operator's rule says of
its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Quantization
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops._shared.quantization import Memory, QuantizationRule, Relation
from tinyml_rules.quantizer.plan import NO_INT16, Int16Part, Plan, constant_weights, is_float
from tinyml_rules.quantizer.share_weights import with_shared_weights


def plan_of(
    graph: Graph, operators: Operators, in_float: frozenset[int], int16: Int16Part = NO_INT16
) -> Plan:
    """The plan in which these nodes stay float32, and those of `int16` compute with int16."""
    builder = _Groups(graph, operators, in_float, int16)
    nodes = tuple(builder.add(node) for node in graph.nodes)
    builder.tie_rounds()
    found = replace(
        graph,
        tensors=tuple(builder.tensors),
        nodes=tuple(each for pair in nodes for each in pair),
    )
    numbers = {index: builder.root(index) for index in builder.parents}
    wide = frozenset(number for index, number in numbers.items() if builder.is_int16(index))
    plan = Plan(
        graph=found,
        group=numbers,
        fixed={builder.root(index): each for index, each in builder.fixed.items()},
        symmetric=frozenset(builder.root(index) for index in builder.symmetric) | wide,
        int16=wide,
        powers=frozenset(map(builder.root, builder.powers)),
        stands_for=builder.stands_for,
        in_float=in_float,
        in_int16=int16.nodes,
        operators=operators,
    )
    return with_shared_weights(plan)


class _Groups:
    """Union-find over the tensors, node after node."""

    def __init__(
        self, graph: Graph, operators: Operators, in_float: frozenset[int], int16: Int16Part
    ) -> None:
        self.tensors = list(graph.tensors)
        self.operators = operators
        self.in_float = in_float
        self.int16 = int16
        self.types = {index: index in int16.ends for index in graph.inputs}
        """Whether a tensor is int16."""
        self.copies: dict[int, int] = {}
        """The tensor of the same values in the other type."""
        self.parents: dict[int, int] = {}
        self.fixed: dict[int, Quantization] = {}
        self.symmetric: set[int] = set()
        self.powers: set[int] = set()
        self.stands_for: dict[int, int] = {}
        self.conversions = len(graph.nodes) + max((n.index for n in graph.nodes), default=0)
        self.graph = graph
        for index in (*graph.inputs, *graph.outputs):
            if is_float(self.tensors[index]):
                self._enter(index)

    def _enter(self, index: int) -> None:
        self.parents.setdefault(index, index)

    def root(self, index: int) -> int:
        while self.parents[index] != index:
            index = self.parents[index]
        return index

    def add(self, node: Node) -> tuple[Node, ...]:
        """The node, before it the QUANTIZE of operands of the other type, or that are fixed
        otherwise, and after it that to outputs of the graph that are int8."""
        rule = self.operators[node.op].quantization
        if node.index in self.in_float or rule is None:
            return (node,)
        weights = constant_weights(NodeView(self.graph, node), rule)
        left_out = set() if weights is None else {weights.weights, weights.bias}
        memory = rule.memory
        if memory is not None:
            left_out |= {*memory.constants, memory.cell}
        places = [
            place
            for place, index in enumerate(node.inputs)
            if index is not None and place not in left_out and is_float(self.tensors[index])
        ]
        node, after = self._with_int8_ends(node, rule)
        floats = [index for index in node.outputs if is_float(self.tensors[index])]
        node, conversions = self._in_one_type(node, places, floats)
        for index in (*(node.inputs[place] for place in places), *floats):
            if index is not None:
                self._enter(index)
        is_int16 = node.index in self.int16.nodes
        relation = (rule.int16_relation if is_int16 else None) or rule.relation
        if relation is Relation.SAME:
            node, more = self._set_apart(node, places)
            conversions += more
            self._unite(node, places)
        if memory is not None:
            self._keep(node, memory)
        output = rule.int16_output if is_int16 else rule.output
        if output is not None:
            self.fixed.update(dict.fromkeys(floats, output))
        if rule.is_symmetric:
            self.symmetric.update(self.root(index) for index in floats)
        return (*conversions, node, *after)

    def _keep(self, node: Node, memory: Memory) -> None:
        """The hidden state has the output's quantization; the cell is int16."""
        cell = node.inputs[memory.cell]
        assert cell is not None
        self._enter(cell)
        self.types[cell] = True
        self.powers.add(cell)
        self._unite(node, (memory.hidden,))

    def tie_rounds(self) -> None:
        """What is one tensor of a loop's body has one quantization in all rounds of the loop, but
        where the specification fixes another."""
        fixed = {self.root(index): each for index, each in self.fixed.items()}
        first: dict[tuple[str, bool], int] = {}
        for index in self.parents:
            origin = self.tensors[index].origin
            if origin:
                one = self.root(first.setdefault((origin, self.is_int16(index)), index))
                other = self.root(index)
                found = {each for root in (one, other) if (each := fixed.get(root)) is not None}
                if one != other and len(found) < 2:
                    self.parents[other] = one
                    fixed.update((one, each) for each in found)

    def _unite(self, node: Node, places: Iterable[int]) -> None:
        members = [node.inputs[place] for place in places]
        members += [index for index in node.outputs if is_float(self.tensors[index])]
        roots = [self.root(index) for index in members if index is not None]
        for root in roots[1:]:
            self.parents[self.root(root)] = self.root(roots[0])

    def _set_apart(self, node: Node, places: list[int]) -> tuple[Node, list[Node]]:
        """Of several operands that shall have one quantization, those in which it is fixed
        otherwise get a tensor of their own in front."""
        fixed = {self.root(index): each for index, each in self.fixed.items()}
        found = [self._fixed_at(node, place, fixed) for place in places]
        if len(set(found)) < 2:
            return node, []
        inputs, conversions = list(node.inputs), []
        for place, quantization in zip(places, found, strict=True):
            index = inputs[place]
            if quantization is None or index is None:
                continue
            conversions.append(self._conversion(index, f"{node.index}_{place}"))
            (inputs[place],) = conversions[-1].outputs
            self.types[conversions[-1].outputs[0]] = self.is_int16(index)
        return replace(node, inputs=tuple(inputs)), conversions

    def _in_one_type(
        self, node: Node, places: list[int], floats: list[int]
    ) -> tuple[Node, list[Node]]:
        """Operands that are of the other type than the node are read after a QUANTIZE, one for all
        readers of a tensor."""
        is_int16 = node.index in self.int16.nodes
        self.types.update(dict.fromkeys(floats, is_int16))
        inputs, conversions = list(node.inputs), []
        for place in places:
            index = inputs[place]
            if index is None or self.types.setdefault(index, is_int16) is is_int16:
                continue
            if index not in self.copies:
                name = DType.INT16 if is_int16 else DType.INT8
                conversions.append(self._conversion(index, name))
                (self.copies[index],) = conversions[-1].outputs
                self.types[self.copies[index]] = is_int16
            inputs[place] = self.copies[index]
        return replace(node, inputs=tuple(inputs)), conversions

    def _with_int8_ends(self, node: Node, rule: QuantizationRule) -> tuple[Node, list[Node]]:
        """An int16 node makes a tensor of its own in the place of an output that is int8."""
        outputs, conversions = list(node.outputs), []
        for place, index in enumerate(outputs):
            is_end = index in self.graph.outputs and is_float(self.tensors[index])
            is_int16 = self.int16.is_default or index in self.int16.ends
            if node.index in self.int16.nodes and is_end and not is_int16:
                outputs[place] = self.copies[index] = self._copy(index, DType.INT16)
                self.types[index] = False
                if rule.output is not None:
                    self.fixed[index] = rule.output
                conversions.append(self._quantize(outputs[place], index))
        return replace(node, outputs=tuple(outputs)), conversions

    def _conversion(self, index: int, name: str) -> Node:
        """QUANTIZE from a tensor to another of the same values."""
        return self._quantize(index, self._copy(index, name))

    def _copy(self, index: int, name: str) -> int:
        """Another tensor of the same values."""
        tensor = self.tensors[index]
        origin = f"{tensor.origin} {name}" if tensor.origin else ""
        name = f"{tensor.name}_{name}"
        copy = replace(tensor, index=len(self.tensors), name=name, origin=origin)
        self.tensors.append(copy)
        self.stands_for[copy.index] = self.stands_for.get(index, index)
        self._enter(copy.index)
        return copy.index

    def _quantize(self, source: int, result: int) -> Node:
        self.conversions += 1
        return Node(self.conversions, "quantize", 2, (source,), (result,), None)

    def is_int16(self, index: int) -> bool:
        """Whether a tensor is int16."""
        return self.types.get(index, self.int16.is_default)

    def _fixed_at(
        self, node: Node, place: int, fixed: Mapping[int, Quantization]
    ) -> Quantization | None:
        index = node.inputs[place]
        return None if index is None else fixed.get(self.root(index))
