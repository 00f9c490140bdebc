"""Graph -> Program: prepare every node's constants and choose its kernel for the target's features.

Kernels are chosen before memory is planned, because what they may overlap depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.buffers import Buffer, Layout, Life, Place, Scratch
from tinyml_rules.ir.c_struct import with_members
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ir.program import Form, Kernel, Program, Step, Work
from tinyml_rules.ir.verify import verify_program
from tinyml_rules.lower.choice import TUNE_AGAIN, Choice, candidates
from tinyml_rules.lower.layouts import Layouts, buffer_of, lay_out
from tinyml_rules.ops._shared.copies import copy_work
from tinyml_rules.ops._shared.image_rows import row_copies
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.operator import Meaning, Operators
from tinyml_rules.ops._shared.units import of_units

DEFAULT = Choice()

_VARIABLE = "variable"
_CONSTANT = "constant"
"""What reports call a step that brings a constant into RAM."""


def select(
    graph: Graph,
    features: frozenset[Feature],
    operators: Operators,
    memory: Mapping[int, Scratch] | None = None,
    *,
    first_byte: int = 0,
    choice: Choice = DEFAULT,
) -> Program:
    """The program of a checked graph; `memory` is what the graphs need that its nodes run, and
    `first_byte` where in the weights file its own begin.  Raises UnsupportedError where the choice
    names a node or a kernel that is not there."""
    lowering = _Lowering(graph, features, operators, memory or {}, choice)
    steps = list(_with_places(list(lowering.steps()), first_byte))
    program = Program(
        graph,
        tuple(steps),
        lowering.layouts,
        lowering.buffers,
        features,
        resets=tuple(lowering.resets()),
        external=b"".join(step.external for step in steps),
    )
    verify_program(program)
    return program


_ChosenKernel = tuple[Kernel, tuple[str, ...]]
"""A kernel, and the names of all that there were, its own first."""


class _Lowering:
    """The steps of a graph, and the layouts and buffers that come with them."""

    def __init__(
        self,
        graph: Graph,
        features: frozenset[Feature],
        operators: Operators,
        memory: Mapping[int, Scratch],
        choice: Choice,
    ) -> None:
        self._graph = graph
        self._choice = choice
        self._memory = memory
        self._features = features
        self._operators = operators
        found: Layouts = lay_out(graph, operators, features)
        self._copies = found.copies
        self.layouts = dict(found.layouts)
        self.buffers = dict(found.buffers)

    def steps(self) -> Iterator[Step]:
        """In the order of the nodes; constants that have to be in RAM come there before their first
        reader, those that are outputs last."""
        works = {node.index: work for node, work in self._works()}
        choices = dict(self._choices(works))
        for node in self._graph.nodes:
            if node.index in self._copies:
                yield from self._moves(node)
                continue
            work = self._with_memory(works[node.index])
            yield from self._constants(node, work.inputs)
            kernel, names = choices[node.index]
            step = replace(step_of(node, kernel, work), candidates=names)
            self._align(step)
            yield self._with_scratch(step)
        end = Node(len(self._graph.nodes), _CONSTANT, 1, (), (), None)
        yield from self._constants(end, self._graph.outputs)

    def _works(self) -> Iterator[tuple[Node, Work]]:
        for node in self._graph.nodes:
            if node.index not in self._copies:
                prepare = self._meaning(node).prepare
                assert prepare is not None
                yield node, prepare(NodeView(self._graph, node))

    def _meaning(self, node: Node) -> Meaning:
        return self._operators[node.op].meaning(NodeView(self._graph, node))

    def _choices(self, works: Mapping[int, Work]) -> Iterator[tuple[int, _ChosenKernel]]:
        """Of every node that has a kernel, by its index."""
        self._check_named(works)
        able = {
            node: candidates(self._meaning(node), works[node.index], self._features)
            for node in self._graph.nodes
            if node.index in works
        }
        found = {node: self._choice.of_order(kernels) for node, kernels in able.items()}
        names = {node: tuple(dict.fromkeys(each.name for each in found[node])) for node in found}
        kinds = {node: (node.op, type(works[node.index].params)) for node in found}
        shared: dict[tuple[str, type], set[str]] = {}
        for node, kind in kinds.items():
            shared[kind] = shared.get(kind, set(names[node])) & set(names[node])
        for node, kernels in found.items():
            where = self._graph.where(node)
            kernel = self._choice.of(
                str(node.index), where, works[node.index], kernels, shared[kinds[node]]
            )
            rest = tuple(each for each in names[node] if each != kernel.name)
            yield node.index, (kernel, (kernel.name, *rest))

    def _check_named(self, works: Mapping[int, Work]) -> None:
        """Raise UnsupportedError for a node that has no kernel to be chosen."""
        for node in self._choice.named:
            if node not in map(str, works):
                what = f"no node '{node}' with a kernel, expected one of those that a profile shows"
                raise UnsupportedError.at(self._graph.name, what, hint=TUNE_AGAIN)

    def _with_memory(self, work: Work) -> Work:
        """The graphs that a node runs do so one after the other, in the same memory."""
        needs = [self._memory[number] for number in work.calls]
        if not needs:
            return work
        size_bytes = max(each.size_bytes for each in needs)
        alignment = max(each.alignment for each in needs)
        return replace(work, scratch=(*work.scratch, Scratch(size_bytes, alignment)))

    def _moves(self, node: Node) -> Iterator[Step]:
        """What is left to be copied, all at once row by row or unit by unit where that can be."""
        places = [self._with_values(place) for place in self._copies[node.index]]
        tensors = self._graph.tensors
        together = of_units(places, tensors) or self._by_rows(places)
        if together is not None:
            work, kernel = together
            yield Step(node=node, kernel=kernel, **vars(work))
            return
        for number, place in enumerate(places):
            work, kernel = of_units([place], tensors) or copy_work(
                place, tensors[place.target].dtype
            )
            label = f"{node.index}_{number}" if number else ""
            yield Step(node=node, kernel=kernel, label=label, **vars(work))

    def _with_values(self, place: Place) -> Place:
        """The place, with the values of a constant that it copies."""
        data = None if place.source is None else self._graph.tensors[place.source].data
        return place if data is None else replace(place, source=None, values=data)

    def _by_rows(self, places: list[Place]) -> tuple[Work, Kernel] | None:
        """One image made of another, if the places are no more than that."""
        tensors = self._graph.tensors
        sources = {place.source for place in places if place.source is not None}
        targets = {place.target for place in places}
        if len(sources) != 1 or len(targets) != 1:
            return None
        return row_copies(places, tensors[sources.pop()], tensors[targets.pop()])

    def _constants(self, node: Node, tensors: tuple[int, ...]) -> Iterator[Step]:
        """Those of the tensors that are constants and not in RAM yet."""
        for index in tensors:
            tensor = self._graph.tensors[index]
            if tensor.data is None or index in self.layouts:
                continue
            self.layouts[index] = Layout(index)
            self.buffers[index] = buffer_of(tensor, self._features)
            steps = dense_steps(tensor.shape)
            place = Place(index, tensor.shape, steps, steps, values=tensor.data)
            work, kernel = copy_work(place, tensor.dtype)
            of_constant = replace(node, op=_CONSTANT)
            yield Step(node=of_constant, kernel=kernel, label=f"constant_{index}", **vars(work))

    def resets(self) -> Iterator[Step]:
        """What gives each variable its initial value."""
        for index, buffer in self.buffers.items():
            if buffer.life is Life.MODEL:
                tensor = self._graph.tensors[index]
                dense, values = dense_steps(tensor.shape), tensor.initial
                if values is None:
                    values = np.full(1, tensor.first_value, tensor.dtype.numpy)
                steps = dense if tensor.initial is not None else (0,) * len(dense)
                place = Place(index, tensor.shape, steps, dense, values=values)
                work, kernel = copy_work(place, tensor.dtype)
                node = Node(len(self._graph.nodes), _VARIABLE, 1, (), (index,), None)
                yield Step(node=node, kernel=kernel, label=f"reset_{index}", **vars(work))

    def _align(self, step: Step) -> None:
        """The buffers of its outputs begin where its kernel takes them to; AVR has no words."""
        if Feature.AVR in self._features:
            return
        for index in (self.layouts[each].buffer for each in step.outputs):
            buffer = self.buffers[index]
            alignment = max(buffer.alignment, step.alignment)
            self.buffers[index] = replace(buffer, alignment=alignment)

    def _with_scratch(self, step: Step) -> Step:
        first = max(len(self._graph.tensors), *self.buffers, 0) + 1
        for number, scratch in enumerate(step.scratch, start=first):
            alignment = 1 if Feature.AVR in self._features else scratch.alignment
            self.buffers[number] = Buffer(scratch.size_bytes, alignment)
        return replace(step, workspace=tuple(range(first, first + len(step.scratch))))


def step_of(node: Node, kernel: Kernel, work: Work) -> Step:
    """The call of a kernel, with the window only where the kernel walks over rows."""
    if kernel.scratch is not None:
        work = replace(work, scratch=(*work.scratch, kernel.scratch(work)))
    if kernel.rows_at_once > 1:
        work = _of_rows_at_once(work, kernel.rows_at_once)
    if kernel.form is not Form.WINDOW:
        work = replace(work, window=None, columns=None)
    if kernel.pack is None:
        return Step(node=node, kernel=kernel, **vars(work))
    packed = kernel.pack(work)
    sums = work.sums and work.sums + packed.more_sums
    rounding = None if packed.has_own_rounding else packed.requantization or work.requantization
    patch = work.patch if packed.patch is None else packed.patch
    work = replace(work, params=packed.params, sums=sums, patch=patch, requantization=rounding)
    return Step(
        node=node,
        kernel=kernel,
        external=packed.data,
        packing=packed.packing,
        shifting=packed.shifting,
        **vars(work),
    )


def _of_rows_at_once(work: Work, rows: int) -> Work:
    """What sees all input rows of so many output rows, and keeps all of these but the first."""
    assert work.window is not None
    window, more = work.window, rows - 1
    assert window.stride == window.dilation == 1, "the rows that it sees follow one another"
    window = replace(window, height=window.height + more)
    kept = Scratch(more * window.output_row_bytes, is_kept=True)
    params = with_members(work.params, window=window)
    return replace(work, window=window, params=params, scratch=(*work.scratch, kept))


def _with_places(steps: list[Step], first_byte: int) -> Iterator[Step]:
    """The steps, each told where in the weights file its own part begins."""
    place = first_byte
    for step in steps:
        if not step.external:
            yield step
            continue
        yield replace(step, params=with_members(step.params, weights=place))
        place += len(step.external)
