"""ModelSpec -> bytes: small .tflite files from tensors and operators written down in Python.

The mirror of the reader, for training scripts, the operators' cases and tests.  It writes
broken models too: whether a model is valid is not checked here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import tflite
from flatbuffers.builder import Builder

from tinyml_rules.arithmetic.nibbles import in_nibbles
from tinyml_rules.model_file.attrs import write_attrs
from tinyml_rules.model_file.signature_writer import signatures_of
from tinyml_rules.model_file.sparsity import Sparsity, write_sparsity

OPTIONAL = -1
"""An input of an operator with this number is left out."""

SCHEMA_VERSION = 3
FILE_IDENTIFIER = b"TFL3"
DATA_ALIGNMENT = 16  # `force_align` of Buffer.data in the schema
LAST_DEPRECATED_CODE = 127  # PLACEHOLDER_FOR_GREATER_OP_CODES

OptionValue = bool | int | float | str | Sequence[int] | Sequence[float]


@dataclass(frozen=True)
class Outside:
    """A constant's bytes are after the flatbuffer, as in very large files."""

    offset: int
    size: int


@dataclass(frozen=True, eq=False)
class TensorSpec:
    """A tensor; `dtype` is a name of the schema's TensorType in lower case.

    One scale and zero point are per-tensor, several are per-axis along `axis`, none is no
    quantization.  `data` makes it a constant: an array, of int8 for int4, or bytes to put anything
    into the file.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str = "int8"
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    axis: int = 0
    data: npt.NDArray[Any] | bytes | Outside | None = None
    shape_signature: tuple[int, ...] | None = None
    is_variable: bool = False
    sparsity: Sparsity | None = None
    """`data` has only the values that this names."""


@dataclass(frozen=True)
class OperatorSpec:
    """An operator by its builtin name, such as CONV_2D, with tensors by index.

    `options` maps the fields of its options table to values, as the schema's builders spell them:
    {"StrideW": 2, "Padding": tflite.Padding.SAME}.  `options_table` is found by the operator's
    name unless given; "" writes no options at all.  `custom_code` names a CUSTOM operator, whose
    options are the FlexBuffer `custom_options`.
    """

    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    options_table: str | None = None
    version: int = 1
    custom_code: str = ""
    custom_options: bytes = b""
    attrs: object = None
    """The options as the reader decodes them, a dataclass of `option` fields, instead."""

    @property
    def code(self) -> tuple[str, int, str]:
        """What operators have in common that share an operator code."""
        return self.name, self.version, self.custom_code


@dataclass(frozen=True)
class ModelSpec:
    """A model; inputs and outputs are tensors by index.  `others` are further sub-graphs, of which
    no description counts; operators call them, or `signatures`, keys with a sub-graph's number."""

    tensors: tuple[TensorSpec, ...]
    operators: tuple[OperatorSpec, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    description: str = ""
    version: int = SCHEMA_VERSION
    others: tuple[ModelSpec, ...] = ()
    signatures: tuple[tuple[str, int], ...] = ()


_OPTIONS_BY_OPERATOR = {
    **dict.fromkeys(("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"), "Pool2DOptions"),
    **dict.fromkeys(
        ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL"),
        "ReducerOptions",
    ),
    **dict.fromkeys(("MAXIMUM", "MINIMUM"), "MaximumMinimumOptions"),
    "L2_NORMALIZATION": "L2NormOptions",
    "RNN": "RNNOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    **dict.fromkeys(("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL", "MULTINOMIAL"), "RandomOptions"),
}
"""The operators whose options table is not called like the operator itself."""


def options_table(operator: str) -> str:
    """The name of the options table of a builtin operator, or "" when it has none."""
    if operator in _OPTIONS_BY_OPERATOR:
        return _OPTIONS_BY_OPERATOR[operator]
    wanted = operator.replace("_", "").lower() + "options"
    tables = [name for name in vars(tflite.BuiltinOptions) if name.lower() == wanted]
    return tables[0] if tables else ""


def build_model(spec: ModelSpec) -> bytes:
    """The .tflite file of the model."""
    builder = Builder(1024)
    graphs = (spec, *spec.others)
    tensors = [tensor for graph in graphs for tensor in graph.tensors if tensor.data is not None]
    buffers = [_buffer(builder, data) for data in (None, *map(_stored, tensors))]
    numbers = {id(tensor): number for number, tensor in enumerate(tensors, start=1)}  # 0: no data
    codes = sorted({operator.code for graph in graphs for operator in graph.operators})
    subgraphs = _offsets(builder, [_subgraph(builder, each, codes, numbers) for each in graphs])
    code_offsets = _offsets(builder, [_operator_code(builder, *code) for code in codes])
    buffer_offsets = _offsets(builder, buffers)
    signatures = signatures_of(builder, spec.signatures)
    description = builder.CreateString(spec.description)
    tflite.ModelStart(builder)
    tflite.ModelAddVersion(builder, spec.version)
    tflite.ModelAddOperatorCodes(builder, code_offsets)
    tflite.ModelAddSubgraphs(builder, subgraphs)
    tflite.ModelAddDescription(builder, description)
    tflite.ModelAddBuffers(builder, buffer_offsets)
    tflite.ModelAddSignatureDefs(builder, signatures)
    builder.Finish(tflite.ModelEnd(builder), file_identifier=FILE_IDENTIFIER)
    return bytes(builder.Output())


def _subgraph(
    builder: Builder,
    spec: ModelSpec,
    codes: Sequence[tuple[str, int, str]],
    buffers: Mapping[int, int],
) -> int:
    """One graph; `buffers` has the number of each constant's, by the identity of its tensor."""
    tensors = _offsets(
        builder,
        [_tensor(builder, each, buffer=buffers.get(id(each), 0)) for each in spec.tensors],
    )
    nodes = [_operator(builder, each, codes=codes) for each in spec.operators]
    operators = _offsets(builder, nodes)
    inputs, outputs = _int32s(builder, spec.inputs), _int32s(builder, spec.outputs)
    tflite.SubGraphStart(builder)
    tflite.SubGraphAddTensors(builder, tensors)
    tflite.SubGraphAddInputs(builder, inputs)
    tflite.SubGraphAddOutputs(builder, outputs)
    tflite.SubGraphAddOperators(builder, operators)
    return int(tflite.SubGraphEnd(builder))


def _tensor(builder: Builder, spec: TensorSpec, *, buffer: int) -> int:
    name = builder.CreateString(spec.name)
    shape = _int32s(builder, spec.shape)
    has_signature = spec.shape_signature is not None
    signature = _int32s(builder, spec.shape_signature or ()) if has_signature else 0
    quantization = _quantization(builder, spec)
    sparsity = None if spec.sparsity is None else write_sparsity(builder, spec.sparsity)
    tflite.TensorStart(builder)
    tflite.TensorAddShape(builder, shape)
    tflite.TensorAddType(builder, getattr(tflite.TensorType, spec.dtype.upper()))
    tflite.TensorAddBuffer(builder, buffer)
    tflite.TensorAddName(builder, name)
    tflite.TensorAddIsVariable(builder, spec.is_variable)
    if quantization is not None:
        tflite.TensorAddQuantization(builder, quantization)
    if sparsity is not None:
        tflite.TensorAddSparsity(builder, sparsity)
    if has_signature:
        tflite.TensorAddShapeSignature(builder, signature)
    return int(tflite.TensorEnd(builder))


def _quantization(builder: Builder, spec: TensorSpec) -> int | None:
    if not spec.scales and not spec.zero_points:
        return None
    scales = builder.CreateNumpyVector(np.array(spec.scales, np.float32))
    zero_points = builder.CreateNumpyVector(np.array(spec.zero_points, np.int64))
    tflite.QuantizationParametersStart(builder)
    tflite.QuantizationParametersAddScale(builder, scales)
    tflite.QuantizationParametersAddZeroPoint(builder, zero_points)
    tflite.QuantizationParametersAddQuantizedDimension(builder, spec.axis)
    return int(tflite.QuantizationParametersEnd(builder))


def _operator(
    builder: Builder, spec: OperatorSpec, *, codes: Sequence[tuple[str, int, str]]
) -> int:
    table = options_table(spec.name) if spec.options_table is None else spec.options_table
    assert table or not spec.options, f"{spec.name} has no options table"
    if spec.attrs is not None:
        options = write_attrs(builder, spec.attrs) if table else None
    else:
        options = _options(builder, table, spec.options) if table else None
    inputs, outputs = _int32s(builder, spec.inputs), _int32s(builder, spec.outputs)
    custom = builder.CreateByteVector(spec.custom_options) if spec.custom_options else None
    tflite.OperatorStart(builder)
    tflite.OperatorAddOpcodeIndex(builder, codes.index(spec.code))
    tflite.OperatorAddInputs(builder, inputs)
    tflite.OperatorAddOutputs(builder, outputs)
    if options is not None:
        tflite.OperatorAddBuiltinOptionsType(builder, getattr(tflite.BuiltinOptions, table))
        tflite.OperatorAddBuiltinOptions(builder, options)
    if custom is not None:
        tflite.OperatorAddCustomOptions(builder, custom)
    return int(tflite.OperatorEnd(builder))


def _options(builder: Builder, table: str, options: Mapping[str, OptionValue]) -> int:
    # Vectors and strings are outside the table and must be written before it is begun.
    values = {name: _option_value(builder, value) for name, value in options.items()}
    getattr(tflite, f"{table}Start")(builder)
    for name, value in values.items():
        getattr(tflite, f"{table}Add{name}")(builder, value)
    return int(getattr(tflite, f"{table}End")(builder))


def _option_value(builder: Builder, value: OptionValue) -> float:
    """A scalar as it is; the offset of a string or of a vector of int32 or float32."""
    if isinstance(value, str):
        return int(builder.CreateString(value))
    if isinstance(value, Sequence):
        is_real = any(isinstance(each, float) for each in value)
        return int(builder.CreateNumpyVector(np.array(value, np.float32 if is_real else np.int32)))
    return value


def _operator_code(builder: Builder, name: str, version: int, custom: str) -> int:
    custom_code = builder.CreateString(custom) if custom else None
    code = getattr(tflite.BuiltinOperator, name)
    tflite.OperatorCodeStart(builder)
    # The old field is a byte: a greater code is in the new field alone.
    tflite.OperatorCodeAddDeprecatedBuiltinCode(builder, min(code, LAST_DEPRECATED_CODE))
    tflite.OperatorCodeAddBuiltinCode(builder, code)
    tflite.OperatorCodeAddVersion(builder, version)
    if custom_code is not None:
        tflite.OperatorCodeAddCustomCode(builder, custom_code)
    return int(tflite.OperatorCodeEnd(builder))


def _stored(spec: TensorSpec) -> npt.NDArray[Any] | bytes | Outside | None:
    """A constant's values as the file has them."""
    if isinstance(spec.data, np.ndarray) and spec.dtype == "int4":
        return in_nibbles(spec.data.reshape(-1))
    return spec.data


def _buffer(builder: Builder, data: npt.NDArray[Any] | bytes | Outside | None) -> int:
    if isinstance(data, np.ndarray):
        data = data.astype(data.dtype.newbyteorder("<")).tobytes()
    vector = None
    if data and not isinstance(data, Outside):
        builder.StartVector(1, len(data), DATA_ALIGNMENT)
        builder.head -= len(data)  # a flatbuffer grows from its end
        builder.Bytes[builder.head : builder.head + len(data)] = data
        vector = builder.EndVector()
    tflite.BufferStart(builder)
    if vector is not None:
        tflite.BufferAddData(builder, vector)
    if isinstance(data, Outside):
        tflite.BufferAddOffset(builder, data.offset)
        tflite.BufferAddSize(builder, data.size)
    return int(tflite.BufferEnd(builder))


def _int32s(builder: Builder, values: Sequence[int]) -> int:
    return int(builder.CreateNumpyVector(np.array(values, np.int32)))


def _offsets(builder: Builder, offsets: Sequence[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return int(builder.EndVector())
