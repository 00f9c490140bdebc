"""Finds the outputs of a description in a model, and the inputs that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Tensor
from tinyml_rules.sensor.named import position_of
from tinyml_rules.sensor.output import Head, Output


@dataclass(frozen=True)
class Asked:
    """The decision asked of the output at a `position`; in the file it is the tensor `name`.
    `reference`: the position of the input that it is compared with, if any.  Passes change the
    tensors, not their positions."""

    position: int
    name: str
    output: Output
    reference: int | None = None


def asked(graph: Graph, outputs: Mapping[str, Output]) -> tuple[Asked, ...]:
    """In the order of the model's outputs, of a model as it was read.  Raises UsageError for a name
    that no tensor at the model's ends has, or that several have."""
    found = [_asked(graph, name, output) for name, output in outputs.items()]
    return tuple(sorted(found, key=lambda each: each.position))


def check_scaled(
    tensor: Tensor, role: str, where: str, *, dtypes: Sequence[DType] = (DType.INT8,)
) -> None:
    """Raise UsageError for a tensor whose values are not of one of these types and of one scale."""
    found = tensor.quantization
    if tensor.dtype not in dtypes or found is None or found.is_per_axis:
        kind = f"{tensor.dtype} without one scale" if tensor.dtype in dtypes else tensor.dtype
        expected = f"{' or '.join(dtypes)} with a scale"
        raise UsageError.at(where, f"{role} tensor {tensor} is {kind}, expected {expected}")


def _asked(graph: Graph, name: str, output: Output) -> Asked:
    inputs, outputs = (
        [graph.tensors[index].name for index in each] for each in (graph.inputs, graph.outputs)
    )
    hint = "write [output.NAME]"
    position = position_of(name, outputs, role="output", where=output.where, hint=hint)
    if Head.MEAN_SQUARED_DIFFERENCE not in output.heads:
        return Asked(position, outputs[position], output)
    hint = "write reference = NAME"
    found = position_of(output.reference, inputs, role="input", where=output.where, hint=hint)
    return Asked(position, outputs[position], output, found)
