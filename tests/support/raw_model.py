"""Files with what the writer of small models does not write: several sub-graphs, bytes behind the
flatbuffer, sparse tensors, operator codes of older files."""

# mypy: allow-untyped-calls
# (the builders of the packages flatbuffers and tflite carry no types)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tflite
from flatbuffers.builder import Builder

RELU_CODE = tflite.BuiltinOperator.RELU


@dataclass(frozen=True)
class RawModel:
    """One RELU node from an int8 tensor of four values to another; a third tensor is spare.

    `codes`: the operator's deprecated code and its code, None where the field is missing.
    `external`: offset and size of the spare tensor's bytes, counted from the file's start.
    """

    codes: tuple[int | None, int | None] = (RELU_CODE, RELU_CODE)
    subgraph_count: int = 1
    is_sparse: bool = False
    external: tuple[int, int] | None = None
    has_version: bool = True


def build_raw(model: RawModel) -> bytes:
    """The file."""
    builder = Builder(256)
    subgraphs = _offsets(builder, [_subgraph(builder, model) for _ in range(model.subgraph_count)])
    codes = _offsets(builder, [_code(builder, model)])
    buffers = _offsets(builder, [_buffer(builder, None), _buffer(builder, model.external)])
    tflite.ModelStart(builder)
    tflite.ModelAddVersion(builder, 3)
    tflite.ModelAddOperatorCodes(builder, codes)
    tflite.ModelAddSubgraphs(builder, subgraphs)
    tflite.ModelAddBuffers(builder, buffers)
    builder.Finish(tflite.ModelEnd(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def _subgraph(builder: Builder, model: RawModel) -> int:
    tensors = _offsets(
        builder,
        [
            _tensor(builder, "in", buffer=0),
            _tensor(builder, "out", buffer=0),
            _tensor(builder, "spare", buffer=1, is_sparse=model.is_sparse),
        ],
    )
    inputs, outputs = _integers(builder, [0]), _integers(builder, [1])
    tflite.OperatorStart(builder)
    tflite.OperatorAddInputs(builder, inputs)
    tflite.OperatorAddOutputs(builder, outputs)
    operators = _offsets(builder, [tflite.OperatorEnd(builder)])
    tflite.SubGraphStart(builder)
    tflite.SubGraphAddTensors(builder, tensors)
    tflite.SubGraphAddInputs(builder, inputs)
    tflite.SubGraphAddOutputs(builder, outputs)
    tflite.SubGraphAddOperators(builder, operators)
    return int(tflite.SubGraphEnd(builder))


def _tensor(builder: Builder, name: str, *, buffer: int, is_sparse: bool = False) -> int:
    text, shape = builder.CreateString(name), _integers(builder, [4])
    scale = builder.CreateNumpyVector(np.array([0.5], np.float32))
    tflite.QuantizationParametersStart(builder)
    tflite.QuantizationParametersAddScale(builder, scale)
    quantization = tflite.QuantizationParametersEnd(builder)
    sparsity = None
    if is_sparse:
        tflite.SparsityParametersStart(builder)
        sparsity = tflite.SparsityParametersEnd(builder)
    tflite.TensorStart(builder)
    tflite.TensorAddName(builder, text)
    tflite.TensorAddShape(builder, shape)
    tflite.TensorAddType(builder, tflite.TensorType.INT8)
    tflite.TensorAddBuffer(builder, buffer)
    tflite.TensorAddQuantization(builder, quantization)
    if sparsity is not None:
        tflite.TensorAddSparsity(builder, sparsity)
    return int(tflite.TensorEnd(builder))


def _code(builder: Builder, model: RawModel) -> int:
    deprecated, code = model.codes
    tflite.OperatorCodeStart(builder)
    if deprecated is not None:
        tflite.OperatorCodeAddDeprecatedBuiltinCode(builder, deprecated)
    if code is not None:
        tflite.OperatorCodeAddBuiltinCode(builder, code)
    if model.has_version:
        tflite.OperatorCodeAddVersion(builder, 2)
    return int(tflite.OperatorCodeEnd(builder))


def _buffer(builder: Builder, external: tuple[int, int] | None) -> int:
    tflite.BufferStart(builder)
    if external is not None:
        tflite.BufferAddOffset(builder, external[0])
        tflite.BufferAddSize(builder, external[1])
    return int(tflite.BufferEnd(builder))


def _integers(builder: Builder, values: Sequence[int]) -> int:
    return int(builder.CreateNumpyVector(np.array(values, np.int32)))


def _offsets(builder: Builder, offsets: Sequence[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return int(builder.EndVector())
