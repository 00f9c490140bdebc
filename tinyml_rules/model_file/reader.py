"""bytes -> Graph: the only module that knows the TFLite schema.

A model file is untrusted: every offset, size, index and count is checked, and what does not hold
ends in a ModelError that names file, node and tensor.  Slots are those of the schema, version 3.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np

from tinyml_rules.errors import ModelError
from tinyml_rules.ir.dtype import DType, file_bytes
from tinyml_rules.ir.graph import Array, Graph, Node, Quantization, Subgraph, Tensor
from tinyml_rules.ir.options import decode
from tinyml_rules.model_file.decoders import Decoders
from tinyml_rules.model_file.flatbuffer import BrokenBufferError, Table, root

FILE_IDENTIFIER = b"TFL3"
SCHEMA_VERSION = 3
MAX_RANK = 8
MAX_ELEMENTS = 2**24
"""Of one tensor; no microcontroller has the memory for more."""
CUSTOM_CODE = 32
LEFT_OUT = -1
"""As an input of a node: an optional operand that is not there."""

_DTYPES = tuple(DType)


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

    def graph(self) -> Graph:
        version = self._model.uint32(0)
        if version != SCHEMA_VERSION:
            raise self._broken(f"schema version {version}, expected {SCHEMA_VERSION}")
        subgraphs = list(self._model.tables(2))
        if not subgraphs:
            raise self._broken("no sub-graph")
        subgraph = subgraphs[0]
        buffers = list(self._model.tables(4))
        codes = list(self._model.tables(1))
        tensors = tuple(
            self._tensor(index, table, buffers) for index, table in enumerate(subgraph.tables(0))
        )
        graph = Graph(
            name=self._name,
            tensors=tensors,
            nodes=tuple(
                self._node(index, table, codes, len(tensors))
                for index, table in enumerate(subgraph.tables(3))
            ),
            inputs=self._ports(subgraph, 1, "input", len(tensors)),
            outputs=self._ports(subgraph, 2, "output", len(tensors)),
            sha256=hashlib.sha256(self._data).hexdigest(),
            subgraphs=tuple(Subgraph(each.string(4), each.length(3)) for each in subgraphs),
        )
        self._check_order(graph)
        return graph

    def _broken(self, text: str) -> ModelError:
        return ModelError([*ModelError.at(self._name, text).problems])

    # --- tensors ---

    def _tensor(self, index: int, table: Table, buffers: list[Table]) -> Tensor:
        where = f"tensor #{index} {table.string(3)!r}"
        code = table.int8(1)
        if not 0 <= code < len(_DTYPES):
            raise self._broken(f"{where} has unknown type {code}")
        dtype = _DTYPES[code]
        shape = self._shape(where, table)
        unread = "sparse" if table.table(6) is not None else ""
        if dtype.numpy is None:
            unread = f"of type {dtype}"
        data = self._constant(where, table.uint32(2), buffers)
        return Tensor(
            index=index,
            name=table.string(3),
            shape=shape,
            dtype=dtype,
            quantization=self._quantization(where, table.table(4), shape, dtype),
            data=data if data is None or unread else self._values(where, data, shape, dtype),
            is_variable=table.boolean(5),
            unread="" if data is None else unread,
        )

    def _shape(self, where: str, table: Table) -> tuple[int, ...]:
        """The shape; a batch that shape_signature leaves open (-1) is 1 in the shape itself."""
        values = table.values(0, np.int32)
        if values is None:
            return ()
        if len(values) > MAX_RANK:
            raise self._broken(f"{where} has {len(values)} dimensions, expected at most {MAX_RANK}")
        shape = tuple(int(value) for value in values.tolist())
        if any(dimension < 0 for dimension in shape):
            raise self._broken(f"{where} has shape {list(shape)}, expected no negative dimension")
        if math.prod(shape) > MAX_ELEMENTS:
            raise self._broken(f"{where} has shape {list(shape)}, which is too large")
        return shape

    def _quantization(
        self, where: str, table: Table | None, shape: tuple[int, ...], dtype: DType
    ) -> Quantization | None:
        """Scales and zero points, None without scales (as in a tensor of floats)."""
        scales = None if table is None else table.values(2, np.float32)
        if table is None or scales is None or not len(scales):
            return None
        zero_points = table.values(3, np.int64)
        if zero_points is None or not len(zero_points):
            zero_points = np.zeros(len(scales), np.int64)
        if len(zero_points) not in (1, len(scales)):
            raise self._broken(
                f"{where} has {len(scales)} scales but {len(zero_points)} zero points"
            )
        if not (np.isfinite(scales).all() and (np.asarray(scales, np.float32) > 0).all()):
            raise self._broken(f"{where} has a scale that is not a positive number")
        zero_points = np.broadcast_to(zero_points, (len(scales),))
        self._check_zero_points(where, zero_points, dtype)
        axis = self._axis(where, table.int32(6), len(scales), shape)
        return Quantization(
            scales=tuple(float(scale) for scale in scales.tolist()),
            zero_points=tuple(int(zero_point) for zero_point in zero_points.tolist()),
            axis=axis,
        )

    def _check_zero_points(self, where: str, zero_points: Array, dtype: DType) -> None:
        """A zero point is a value of the tensor's own type."""
        numpy_type = dtype.numpy or np.dtype(np.int64)
        if numpy_type.kind not in "iu":
            return
        limits = np.iinfo(numpy_type.name)
        values = [int(value) for value in zero_points.tolist()]
        if min(values) < limits.min or max(values) > limits.max:
            raise self._broken(f"{where} has a zero point outside {dtype}")

    def _axis(self, where: str, axis: int, count: int, shape: tuple[int, ...]) -> int:
        """The quantized dimension.  A vector has only one, whatever the file says: person_detect's
        biases name dimension 3."""
        if count == 1:
            return 0
        if len(shape) == 1:
            axis = 0
        if not 0 <= axis < len(shape):
            raise self._broken(f"{where} is quantized along dimension {axis} of {len(shape)}")
        if shape[axis] != count:
            raise self._broken(
                f"{where} has {count} scales along dimension {axis}, which has {shape[axis]} slices"
            )
        return axis

    def _constant(self, where: str, index: int, buffers: list[Table]) -> Array | None:
        """A constant's bytes, as a view of the file; None for a tensor without a buffer."""
        if index >= len(buffers):
            raise self._broken(f"{where} names buffer {index} of {len(buffers)}")
        data = self._buffer(where, buffers[index])
        return np.frombuffer(data, np.uint8) if len(data) else None

    def _values(self, where: str, data: Array, shape: tuple[int, ...], dtype: DType) -> Array:
        """The bytes as numbers of the tensor's shape."""
        assert dtype.numpy is not None
        count = math.prod(shape)
        needed = file_bytes(dtype, count)
        if len(data) != needed:
            raise self._broken(f"{where} needs {needed} bytes, but its buffer has {len(data)}")
        if dtype is DType.INT4:
            return _nibbles(data)[:count].reshape(shape)
        return data.view(dtype.numpy.newbyteorder("<")).reshape(shape)

    def _buffer(self, where: str, table: Table) -> memoryview:
        """A buffer's bytes, inside the flatbuffer or, in very large files, behind it."""
        inside = table.values(0, np.uint8)
        if inside is not None:
            return inside.data
        offset, size = table.uint64(1), table.uint64(2)
        if offset <= 1:
            return memoryview(b"")
        if offset + size > len(self._data):
            raise self._broken(f"{where} has its bytes at offset {offset}, outside the file")
        return memoryview(self._data)[offset : offset + size]

    # --- nodes ---

    def _node(self, index: int, table: Table, codes: list[Table], tensor_count: int) -> Node:
        where = f"node {index}"
        code_index = table.uint32(0)
        if code_index >= len(codes):
            raise self._broken(f"{where} names operator code {code_index} of {len(codes)}")
        code = codes[code_index]
        # files older than schema 3a have only the first, an int8; newer ones repeat small codes
        builtin = max(code.int8(0), code.int32(3))
        operator = self._operators.of_code(builtin, code.string(1))
        name = operator.name if operator else _operator_name(builtin, code.string(1))
        where = f"node {index} ({name})"
        attrs: object = None
        if operator is not None:
            kind = table.uint8(3)
            if kind not in (0, operator.options_type):
                raise self._broken(f"{where} has options of another operator (type {kind})")
            attrs = decode(operator.attrs, table.table(4) if kind else None)
        return Node(
            index=index,
            op=name,
            version=code.int32(2, default=1),
            inputs=tuple(
                None if number == LEFT_OUT else self._index(where, "input", number, tensor_count)
                for number in table.integers(1) or ()
            ),
            outputs=tuple(
                self._index(where, "output", number, tensor_count)
                for number in table.integers(2) or ()
            ),
            attrs=attrs,
        )

    def _index(self, where: str, role: str, index: int, tensor_count: int) -> int:
        if not 0 <= index < tensor_count:
            raise self._broken(f"{where} has {role} tensor #{index} of {tensor_count}")
        return index

    def _ports(self, subgraph: Table, slot: int, role: str, tensor_count: int) -> tuple[int, ...]:
        indices = subgraph.integers(slot) or ()
        if not indices:
            raise self._broken(f"no {role}")
        if len(set(indices)) != len(indices):
            raise self._broken(f"the same tensor is an {role} twice")
        return tuple(self._index("the model", role, index, tensor_count) for index in indices)

    def _check_order(self, graph: Graph) -> None:
        """Every tensor is written once, and before it is read; operators that nobody knows may read
        what is there in another way."""
        written = {t.index for t in graph.tensors if t.is_constant or t.is_variable}
        written.update(graph.inputs)
        for node in graph.nodes:
            is_known = self._operators.is_known(node.op)
            for source in node.inputs:
                if is_known and source is not None and source not in written:
                    tensor = graph.tensors[source]
                    raise ModelError.at(
                        graph.where(node), f"reads tensor {tensor} before any node writes it"
                    )
            for result in node.outputs:
                if result in written:
                    tensor = graph.tensors[result]
                    raise ModelError.at(
                        graph.where(node), f"writes tensor {tensor}, which has its value already"
                    )
                written.add(result)
        for result in graph.outputs:
            if result not in written:
                raise self._broken(f"output tensor {graph.tensors[result]} is never written")


def _operator_name(code: int, custom_name: str) -> str:
    """The name of an operator that this compiler does not have, for an error."""
    from tflite.BuiltinOperator import BuiltinOperator  # noqa: PLC0415 - slow, and seldom needed

    if code == CUSTOM_CODE:
        return f"custom {custom_name!r}"
    names = {value: key for key, value in vars(BuiltinOperator).items() if key.isupper()}
    return str(names.get(code, f"unknown {code}")).lower()


def _nibbles(data: Array) -> Array:
    """Two int4 a byte, the first in the low bits, sign-extended."""
    packed = data.view(np.int8)
    low = np.left_shift(packed, 4).view(np.int8) >> 4
    return np.stack([low, packed >> 4], axis=1).reshape(-1)
