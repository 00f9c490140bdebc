"""bytes -> Graph: the only module that knows the TFLite schema.

A model file is untrusted: every offset, size, index and count is checked, and what does not hold
ends in a ModelError that names file, node and tensor.  Slots are those of the schema, version 3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tinyml_rules.errors import ModelError
from tinyml_rules.ir.graph import Graph, Node
from tinyml_rules.ir.options import WrongOptionsError, decode, decode_map
from tinyml_rules.ir.text import CUSTOM_WORD
from tinyml_rules.model_file.decoders import Decoder, Decoders
from tinyml_rules.model_file.flatbuffer import BrokenBufferError, Table, root
from tinyml_rules.model_file.flexbuffer import BrokenOptionsError, read_options
from tinyml_rules.model_file.tensors import TensorReader, with_empty_constants

FILE_IDENTIFIER = b"TFL3"
MAX_SUBGRAPHS = 256
SCHEMA_VERSION = 3
CUSTOM_CODE = 32
LEFT_OUT = -1
"""An input of a node with this number is an optional operand that was left out."""


def read_model(data: bytes, *, name: str, operators: Decoders) -> Graph:
    """The graph of a .tflite file, its first sub-graph.  Raises ModelError for a broken file; what
    this compiler does not do is read all the same, for `check` to name."""
    try:
        return _Reader(data, name, operators).graph()
    except BrokenBufferError as error:
        raise ModelError.at(name, f"broken model file: {error}") from error


class _Reader:
    """One pass over one file; the fields are what later parts refer to by index."""

    def __init__(self, data: bytes, name: str, operators: Decoders) -> None:
        self._data = data
        self._operators = operators
        self._name = name
        self._model = root(data, FILE_IDENTIFIER)
        self._buffers = list(self._model.tables(4))
        self._codes = list(self._model.tables(1))

    def graph(self) -> Graph:
        version = self._model.uint32(0)
        if version != SCHEMA_VERSION:
            raise self._broken(f"schema version {version}, expected {SCHEMA_VERSION}")
        tables = list(self._model.tables(2))
        if not tables:
            raise self._broken("no sub-graph")
        if len(tables) > MAX_SUBGRAPHS:
            raise self._broken(f"{len(tables)} sub-graphs, expected at most {MAX_SUBGRAPHS}")
        first, *others = (self._subgraph(place, table) for place, table in enumerate(tables))
        return replace(
            first,
            sha256=hashlib.sha256(self._data).hexdigest(),
            others=tuple(others),
            title=tables[0].string(4),
        )

    def _subgraph(self, place: int, table: Table) -> Graph:
        """One of the file's graphs; the first is the model, others are called by nodes."""
        title = table.string(4)
        where = self._name if place == 0 else f"{self._name}: sub-graph {place} {title!r}"
        reader = TensorReader(self._data, where, self._buffers)
        tensors = tuple(reader.tensor(index, each) for index, each in enumerate(table.tables(0)))
        nodes = tuple(
            self._node(where, index, each, len(tensors))
            for index, each in enumerate(table.tables(3))
        )
        inputs = self._ports(where, table, 1, "input", len(tensors), is_called=place > 0)
        graph = Graph(
            name=where,
            tensors=with_empty_constants(tensors, given=_given(nodes, inputs)),
            nodes=nodes,
            inputs=inputs,
            outputs=self._ports(where, table, 2, "output", len(tensors), is_called=place > 0),
            sha256="",
            title=title,
            signatures=self._operators.signatures,
        )
        self._check_order(graph)
        return graph

    def _broken(self, text: str) -> ModelError:
        return ModelError([*ModelError.at(self._name, text).problems])

    # --- nodes ---

    def _node(self, graph: str, place: int, table: Table, tensor_count: int) -> Node:
        where = f"node {place}"
        code_index, count = table.uint32(0), len(self._codes)
        if code_index >= count:
            raise ModelError.at(graph, f"{where} names operator code {code_index} of {count}")
        code = self._codes[code_index]
        # files older than schema 3a have only the first, an int8; newer ones repeat small codes
        builtin = max(code.int8(0), code.int32(3))
        operator = self._operators.of_code(builtin, code.string(1))
        name = operator.name if operator else _operator_name(builtin, code.string(1))
        where = f"{where} ({name})"

        def index(role: str, number: int) -> int:
            return self._index(graph, where, role, number, tensor_count)

        attrs = None if operator is None else _attrs(graph, where, operator, table)
        return Node(
            index=place,
            op=name,
            version=code.int32(2, default=1),
            inputs=tuple(
                None if number == LEFT_OUT else index("input", number)
                for number in table.integers(1) or ()
            ),
            outputs=tuple(index("output", number) for number in table.integers(2) or ()),
            attrs=attrs,
        )

    def _index(self, graph: str, where: str, role: str, index: int, tensor_count: int) -> int:
        if not 0 <= index < tensor_count:
            raise ModelError.at(graph, f"{where} has {role} tensor #{index} of {tensor_count}")
        return index

    def _ports(
        self, where: str, table: Table, slot: int, role: str, tensors: int, *, is_called: bool
    ) -> tuple[int, ...]:
        """A graph that is called may have none; one tensor may be given twice."""
        indices = table.integers(slot) or ()
        if not indices and not is_called:
            raise self._broken(f"no {role}")
        if len(set(indices)) != len(indices) and role == "input":
            raise ModelError.at(where, "the same tensor is an input twice")
        return tuple(self._index(where, "the model", role, index, tensors) for index in indices)

    def _check_order(self, graph: Graph) -> None:
        """Every tensor is written once, and before it is read; unknown operators are exempt from
        the order of reads."""
        written = {t.index for t in graph.tensors if t.is_constant}
        written.update(graph.inputs)
        readable = written | {t.index for t in graph.tensors if t.is_variable}
        for node in graph.nodes:
            is_known = node.op in self._operators
            for source in node.inputs:
                if is_known and source is not None and source not in readable:
                    tensor = graph.tensors[source]
                    raise ModelError.at(
                        graph.where(node), f"reads tensor {tensor} before any node writes it"
                    )
            for result in node.outputs:
                if result in written:
                    tensor = graph.tensors[result]
                    raise ModelError.at(
                        graph.where(node), f"writes tensor {tensor}, which already has a value"
                    )
                written.add(result)
                readable.add(result)
        for result in graph.outputs:
            if result not in readable:
                text = f"output tensor {graph.tensors[result]} is never written"
                raise ModelError.at(graph.name, text)


def _given(nodes: Iterable[Node], inputs: Iterable[int]) -> frozenset[int]:
    """The tensors that the caller or a node gives their values."""
    return frozenset((*inputs, *(index for node in nodes for index in node.outputs)))


def _attrs(graph: str, where: str, operator: Decoder, table: Table) -> object:
    """The options of a node: a table of the schema, or those that a custom operator names."""
    kind = table.uint8(3)
    if kind not in (0, operator.options_type):
        raise ModelError.at(graph, f"{where} has options of another operator (type {kind})")
    if not operator.custom_name:
        return decode(operator.attrs, table.table(4) if kind else None)
    data = table.values(5, np.uint8)
    try:
        return decode_map(operator.attrs, read_options(b"" if data is None else data.tobytes()))
    except BrokenOptionsError as error:
        text = f"{where} has custom options that cannot be read: {error}"
        raise ModelError.at(graph, text) from error
    except WrongOptionsError as error:
        raise ModelError.at(graph, f"{where} has {error}") from error


def _operator_name(code: int, custom_name: str) -> str:
    """The name of an operator that this compiler does not have, for an error."""
    from tflite.BuiltinOperator import BuiltinOperator  # noqa: PLC0415 - slow, and seldom needed

    if code == CUSTOM_CODE:
        return f"{CUSTOM_WORD}{custom_name!r}"
    names = {value: key for key, value in vars(BuiltinOperator).items() if key.isupper()}
    return str(names.get(code, f"unknown {code}")).lower()
