"""What the interface says of ports: names, types and quantization as in the file."""

from __future__ import annotations

from tests.emit.compiled import compile_c, named_model
from tinyml_rules.ir.interface import Port
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops.quantize.cases import quantize

REAL_IN = TensorSpec("real in", (1, 4), "float32")
REAL_OUT = TensorSpec("real out", (1, 4), "float32")
INSIDE, RESULT = quantized("inside", (1, 4), zero_point=3), quantized("result", (1, 4))


def ports(model: ModelSpec) -> list[tuple[str, bool]]:
    """(tensor, is it float32 in the model) of all inputs, then all outputs."""
    interface = compile_c(model).interface
    return [(port.tensor, port.is_float_in_model) for port in interface.inputs + interface.outputs]


def test_accessors() -> None:
    """A single port is called by its role, several by their tensors."""
    assert compile_c(quantize()).interface.inputs == (
        Port("input", "model_input", (1, 8), 0.5, 0, is_float_in_model=True),
    )
    interface = compile_c(named_model("a/b", "c")).interface
    assert [port.accessor for port in interface.inputs] == ["model_input_a_b", "model_input_c"]
    assert [port.accessor for port in interface.outputs] == ["model_output_a_b", "model_output_c"]


def test_float_ends() -> None:
    """Conversions at both ends, an operator between them."""
    model = ModelSpec(
        tensors=(REAL_IN, INSIDE, RESULT, REAL_OUT),
        operators=(
            OperatorSpec("QUANTIZE", (0,), (1,)),
            OperatorSpec("RELU", (1,), (2,)),
            OperatorSpec("DEQUANTIZE", (2,), (3,)),
        ),
        inputs=(0,),
        outputs=(3,),
    )
    assert ports(model) == [("real in", True), ("real out", True)]


def test_conversions_alone() -> None:
    """The int8 tensor between them is both ports."""
    model = ModelSpec(
        tensors=(REAL_IN, INSIDE, REAL_OUT),
        operators=(OperatorSpec("QUANTIZE", (0,), (1,)), OperatorSpec("DEQUANTIZE", (1,), (2,))),
        inputs=(0,),
        outputs=(2,),
    )
    assert ports(model) == [("real in", True), ("real out", True)]


def test_int8_input_and_float_output() -> None:
    """DEQUANTIZE alone: the input is int8 in the model."""
    model = ModelSpec(
        tensors=(INSIDE, REAL_OUT),
        operators=(OperatorSpec("DEQUANTIZE", (0,), (1,)),),
        inputs=(0,),
        outputs=(1,),
    )
    assert ports(model) == [("inside", False), ("real out", True)]


def test_output_in_both_types() -> None:
    """One result, given out as int8 and as float32."""
    model = ModelSpec(
        tensors=(INSIDE, RESULT, REAL_OUT),
        operators=(OperatorSpec("RELU", (0,), (1,)), OperatorSpec("DEQUANTIZE", (1,), (2,))),
        inputs=(0,),
        outputs=(1, 2),
    )
    assert ports(model) == [("inside", False), ("result", False), ("real out", True)]
