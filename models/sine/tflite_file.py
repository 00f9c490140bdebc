"""Writes quantized FULLY_CONNECTED layers as a .tflite file, with the schema's own builders."""

# The generated builders of the packages flatbuffers and tflite carry no types.
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import tflite
from flatbuffers.builder import Builder
from quantization import Quantization, QuantizedLayer

SCHEMA_VERSION = 3
FILE_IDENTIFIER = b"TFL3"
DATA_ALIGNMENT = 16  # `force_align` of Buffer.data in the schema


def tflite_bytes(
    layers: Sequence[QuantizedLayer], *, source: Quantization, name: str, description: str
) -> bytes:
    """The file of a network with input `source` of shape (1, inputs), one node per layer."""
    writer = _Writer()
    inputs = layers[0].weights.shape[1]
    first = last = writer.activation(f"{name}/input", inputs, source)
    operators = []
    for index, layer in enumerate(layers):
        scope = f"{name}/dense_{index}"
        weights = writer.constant(f"{scope}/weights", layer.weights, layer.weights_scale)
        bias = writer.constant(f"{scope}/bias", layer.bias, layer.bias_scale)
        is_last = index == len(layers) - 1
        output = f"{name}/output" if is_last else f"{scope}/relu"
        result = writer.activation(output, layer.weights.shape[0], layer.output)
        operators.append(
            writer.fully_connected((last, weights, bias), result, has_relu=layer.has_relu)
        )
        last = result
    graph = writer.subgraph(name, operators, first=first, last=last)
    return writer.finish(graph, description)


class _Writer:
    """Collects the tensors and buffers of a file with one subgraph and one operator code."""

    def __init__(self) -> None:
        self._builder = Builder(4096)
        self._buffers = [self._buffer(b"")]  # by the schema, buffer 0 is "no data"
        self._tensors: list[int] = []

    def activation(self, name: str, width: int, quantization: Quantization) -> int:
        """Add an int8 tensor of shape (1, width) without data; returns its index."""
        return self._tensor(name, (1, width), tflite.TensorType.INT8, quantization, 0)

    def constant(self, name: str, values: npt.NDArray[np.signedinteger], scale: float) -> int:
        """Add a constant int8 or int32 tensor with zero point 0; returns its index."""
        kind = {1: tflite.TensorType.INT8, 4: tflite.TensorType.INT32}[values.itemsize]
        little_endian = values.astype(values.dtype.newbyteorder("<"))
        self._buffers.append(self._buffer(little_endian.tobytes()))
        buffer = len(self._buffers) - 1
        return self._tensor(name, values.shape, kind, Quantization(scale, 0), buffer)

    def fully_connected(self, inputs: Sequence[int], output: int, *, has_relu: bool) -> int:
        """Write one node from and to tensors by index; returns its offset."""
        builder = self._builder
        function = tflite.ActivationFunctionType
        tflite.FullyConnectedOptionsStart(builder)
        tflite.FullyConnectedOptionsAddFusedActivationFunction(
            builder, function.RELU if has_relu else function.NONE
        )
        options = tflite.FullyConnectedOptionsEnd(builder)
        input_list = builder.CreateNumpyVector(np.array(inputs, np.int32))
        output_list = builder.CreateNumpyVector(np.array([output], np.int32))
        tflite.OperatorStart(builder)
        tflite.OperatorAddOpcodeIndex(builder, 0)
        tflite.OperatorAddInputs(builder, input_list)
        tflite.OperatorAddOutputs(builder, output_list)
        tflite.OperatorAddBuiltinOptionsType(builder, tflite.BuiltinOptions.FullyConnectedOptions)
        tflite.OperatorAddBuiltinOptions(builder, options)
        return int(tflite.OperatorEnd(builder))

    def subgraph(self, name: str, operators: Sequence[int], *, first: int, last: int) -> int:
        """Write the subgraph that leads from tensor `first` to tensor `last`."""
        builder = self._builder
        text = builder.CreateString(name)
        tensors = self._offsets(self._tensors)
        inputs = builder.CreateNumpyVector(np.array([first], np.int32))
        outputs = builder.CreateNumpyVector(np.array([last], np.int32))
        nodes = self._offsets(operators)
        tflite.SubGraphStart(builder)
        tflite.SubGraphAddTensors(builder, tensors)
        tflite.SubGraphAddInputs(builder, inputs)
        tflite.SubGraphAddOutputs(builder, outputs)
        tflite.SubGraphAddOperators(builder, nodes)
        tflite.SubGraphAddName(builder, text)
        return int(tflite.SubGraphEnd(builder))

    def finish(self, graph: int, description: str) -> bytes:
        """Write what the subgraph needs around it, and return the whole file."""
        builder = self._builder
        code = tflite.BuiltinOperator.FULLY_CONNECTED
        tflite.OperatorCodeStart(builder)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(builder, code)
        tflite.OperatorCodeAddBuiltinCode(builder, code)
        tflite.OperatorCodeAddVersion(builder, 4)  # 4: int8 in and out, by LiteRT's op_version.cc
        codes = self._offsets([tflite.OperatorCodeEnd(builder)])
        text = builder.CreateString(description)
        graphs = self._offsets([graph])
        buffers = self._offsets(self._buffers)
        tflite.ModelStart(builder)
        tflite.ModelAddVersion(builder, SCHEMA_VERSION)
        tflite.ModelAddOperatorCodes(builder, codes)
        tflite.ModelAddSubgraphs(builder, graphs)
        tflite.ModelAddDescription(builder, text)
        tflite.ModelAddBuffers(builder, buffers)
        builder.Finish(tflite.ModelEnd(builder), file_identifier=FILE_IDENTIFIER)
        return bytes(builder.Output())

    def _tensor(
        self, name: str, shape: tuple[int, ...], kind: int, quantization: Quantization, buffer: int
    ) -> int:
        builder = self._builder
        text = builder.CreateString(name)
        dimensions = builder.CreateNumpyVector(np.array(shape, np.int32))
        scale = builder.CreateNumpyVector(np.array([quantization.scale], np.float32))
        zero_point = builder.CreateNumpyVector(np.array([quantization.zero_point], np.int64))
        tflite.QuantizationParametersStart(builder)
        tflite.QuantizationParametersAddScale(builder, scale)
        tflite.QuantizationParametersAddZeroPoint(builder, zero_point)
        parameters = tflite.QuantizationParametersEnd(builder)
        tflite.TensorStart(builder)
        tflite.TensorAddShape(builder, dimensions)
        tflite.TensorAddType(builder, kind)
        tflite.TensorAddBuffer(builder, buffer)
        tflite.TensorAddName(builder, text)
        tflite.TensorAddQuantization(builder, parameters)
        self._tensors.append(tflite.TensorEnd(builder))
        return len(self._tensors) - 1

    def _buffer(self, data: bytes) -> int:
        builder = self._builder
        if data:
            builder.StartVector(1, len(data), DATA_ALIGNMENT)
            for byte in reversed(data):  # a flatbuffer grows from its end
                builder.PrependByte(byte)
            vector = builder.EndVector()
        tflite.BufferStart(builder)
        if data:
            tflite.BufferAddData(builder, vector)
        return int(tflite.BufferEnd(builder))

    def _offsets(self, offsets: Sequence[int]) -> int:
        self._builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self._builder.PrependUOffsetTRelative(offset)
        return int(self._builder.EndVector())
