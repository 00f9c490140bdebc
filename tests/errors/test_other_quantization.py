"""Models that are sound and not int8: one error that groups their nodes, and what to do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.quantizer.test_gru import with_stored_integers
from tests.support.raw_model import RawModel, build_raw
from tests.support.stages import checked, read
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import constant, quantized, with_tensor
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.ops.svdf.cases import svdf
from tinyml_rules.passes.check import check
from tinyml_rules.passes.uint8_as_int8 import uint8_as_int8

PAGE = "docs/how-to/int8_models.md shows how"
INT8_HINT = f"quantize the model: `tinyml_rules quantize MODEL --calibration FILE`; {PAGE}"
WIDEN_HINT = (
    "quantize the model: `tinyml_rules quantize MODEL --calibration FILE`, or compile it in "
    f"floating point with --dequantize; {PAGE}"
)
LIST_HINT = "`tinyml_rules ops` lists those that can be compiled"


def layers(
    activations: str, weights: TensorSpec, *, count: int = 3, then: str = "RELU"
) -> ModelSpec:
    """Fully connected layers in a chain, each with another operator behind it."""
    scales, zero_points = ((), ()) if activations == "float32" else ((0.5,), (0,))
    tensors = [weights]
    operators = []
    for index in range(2 * count + 1):
        tensors.append(TensorSpec(f"t{index}", (1, 3), activations, scales, zero_points))
    for index in range(1, 2 * count, 2):
        operators.append(OperatorSpec("FULLY_CONNECTED", (index, 0), (index + 1,)))
        operators.append(OperatorSpec(then, (index + 1,), (index + 2,)))
    return ModelSpec(tuple(tensors), tuple(operators), inputs=(1,), outputs=(2 * count + 1,))


def stored(dtype: str) -> TensorSpec:
    """Square weights of a type."""
    data = np.ones((3, 3), dtype if dtype != "int4" else np.int8)
    scales, zero_points = ((), ()) if dtype.startswith("float") else ((0.5,), (0,))
    return TensorSpec("w", (3, 3), dtype, scales, zero_points, data=data)


THREE = "3 of 6 nodes (fully_connected ×3)"
FIRST = "the first is node 0 with tensor #1 't0'"
MODELS = {
    "float32": (
        layers("float32", stored("float32"), then="LOGICAL_NOT"),
        "float32 model: 3 of 6 nodes (logical_not ×3) are float32, expected int8; the first "
        "is node 1 with tensor #2 't1'",
        INT8_HINT,
    ),
    "hybrid, int8 weights": (
        layers("float32", stored("int8")),
        f"dynamic-range model: {THREE} compute in float32 with int8 weights, "
        f"expected int8; {FIRST}",
        WIDEN_HINT,
    ),
    "float16 weights": (
        layers("float32", stored("float16")),
        f"float16 model: {THREE} compute in float32 with float16 weights, expected int8; {FIRST}",
        WIDEN_HINT,
    ),
    "16x8": (
        layers("int16", stored("int8"), then="HARD_SWISH"),
        "16x8 model: 3 of 6 nodes (hard_swish ×3) have int16 activations, expected int8; the first "
        "is node 1 with tensor #2 't1'",
        "most operators take int16 activations, but not all (docs/reference/operators.md): convert "
        f"with int8 activations; {PAGE}",
    ),
}


def refusal(model: ModelSpec | bytes) -> UnsupportedError:
    """What a sound model is refused with."""
    data = model if isinstance(model, bytes) else build_model(model)
    graph = uint8_as_int8(read(data), builtin_operators())
    with pytest.raises(UnsupportedError) as caught:
        check(graph, builtin_operators())
    return caught.value


@pytest.mark.parametrize("name", MODELS)
def test_one_error_for_all_nodes(name: str) -> None:
    """Grouped by operator, and one hint that fits the kind of model."""
    model, what, hint = MODELS[name]
    assert str(refusal(model)) == f"model: error: {what}\n  hint: {hint}"


def test_uint8_with_a_scale_per_channel() -> None:
    """No converter makes such a table of weights, and no reference has it."""
    weights = replace(stored("uint8"), scales=(0.5,) * 3, zero_points=(0,) * 3)
    assert str(refusal(layers("uint8", weights))) == (
        "model: node 0 (fully_connected): error: weights tensor #0 'w' is uint8, expected int8 or "
        "int4; the same: nodes 2, 4\n"
        "  hint: of uint8, the quantization of TensorFlow 1, tensors need one scale and one zero "
        f"point each: convert the float model again, with full-integer int8 quantization; {PAGE}"
    )


def test_maps_without_a_kernel() -> None:
    """They are for tables, and here nothing converts from and to 8 bits; in one message."""
    one = TensorSpec("one", (1, 3), "int32", data=np.ones((1, 3), np.int32))
    tensors = (one, *(TensorSpec(f"t{index}", (1, 3), "int32") for index in range(7)))
    nodes = (
        OperatorSpec("SIGN", (index,), (index + 1,))
        if index % 2 == 0
        else OperatorSpec("ADD", (index, 0), (index + 1,))
        for index in range(1, 7)
    )
    model = ModelSpec(tensors, tuple(nodes), inputs=(1,), outputs=(7,))
    assert str(refusal(model)) == (
        "model: error: 3 of 6 nodes (sign ×3) are int32, supported only between operators that "
        "convert from and to 8 bits; the first is node 1 with tensor #2 't1'"
    )


def test_uint8_at_the_ends() -> None:
    """A converter that was asked for uint8 input and output wraps an int8 model."""
    model = ModelSpec(
        tensors=(
            TensorSpec("x", (1, 4), "uint8", (0.5,), (128,)),
            quantized("a", (1, 4)),
            quantized("b", (1, 4)),
            TensorSpec("y", (1, 4), "uint8", (0.5,), (128,)),
        ),
        operators=(
            OperatorSpec("QUANTIZE", (0,), (1,)),
            OperatorSpec("RELU", (1,), (2,)),
            OperatorSpec("QUANTIZE", (2,), (3,)),
        ),
        inputs=(0,),
        outputs=(3,),
    )
    assert check(read(model), builtin_operators()).nodes


def test_hint_follows_from_types_not_from_words() -> None:
    """A tensor called float32, and another mistake in a node that may read float32: no hint."""
    named = with_tensor(relu((1, 4)), 1, name="float32", scales=(), zero_points=())
    assert "hint" not in str(refusal(named))
    model = ModelSpec(
        (TensorSpec("x", (1, 4), "float32"), quantized("y", (1, 5))),
        (OperatorSpec("QUANTIZE", (0,), (1,)),),
        inputs=(0,),
        outputs=(1,),
    )
    assert "hint" not in str(refusal(model))
    biased = with_tensor(
        dense(), 2, dtype="float32", data=np.ones(6, np.float32), scales=(), zero_points=()
    )
    assert refusal(biased).problems[-1].hint == INT8_HINT


def test_int4_weights() -> None:
    """Some operators take them, others tell what to do."""
    check(read(build_model(layers("int8", stored("int4")))), builtin_operators())
    weights = with_tensor(svdf(), 1, dtype="int4", data=np.ones((8, 5), np.int8))
    problem, *_ = refusal(weights).problems
    assert problem.what.endswith("is int4, expected int8")
    assert problem.hint == (
        f"int4 weights are not supported here: convert with int8 weights; {PAGE}"
    )


def lstm() -> ModelSpec:
    """A fused LSTM as converters write it: states, and intermediates of shape [0]."""
    weights = [constant(f"w{index}", np.ones((4, 4))) for index in range(8)]
    states = [TensorSpec(name, (1, 4), "int8", (0.5,), (0,), is_variable=True) for name in "hc"]
    intermediates = [TensorSpec(f"effective {index}", (0,), scales=(0.1,)) for index in range(4)]
    tensors = (quantized("x", (1, 8, 4)), *weights, *states, quantized("y", (1, 8, 4)))
    inputs = (0, *range(1, 9), *([-1] * 9), 9, 10)
    node = OperatorSpec("BIDIRECTIONAL_SEQUENCE_LSTM", inputs, (11,))
    return ModelSpec((*tensors, *intermediates), (node,), inputs=(0,), outputs=(11,))


def test_groups_of_other_types() -> None:
    """int32 arithmetic is told apart from what is float32, and has no hint: no converter makes it.
    The middle of a long name is left out."""
    long = "streamable_model/decoder_0/conv2d/BiasAdd;streamable_model/decoder_0/conv2d/Conv2D"
    tensors = [TensorSpec(long, (1, 3), "int32")]
    tensors += [TensorSpec(f"i{index}", (1, 3), "int32") for index in range(2)]
    tensors += [TensorSpec(f"f{index}", (1, 3), "float32") for index in range(3)]
    pairs = ((0, 1), (1, 2), (3, 4), (4, 5))
    nodes = tuple(OperatorSpec("LOGICAL_NOT", (source,), (result,)) for source, result in pairs)
    text = str(refusal(ModelSpec(tuple(tensors), nodes, (0, 3), (2, 5))))
    assert text == (
        "model: error: 2 of 4 nodes (logical_not ×2) are int32, expected int8; the first is node 0 "
        "with tensor #0 'streamable_model/dec..oder_0/conv2d/Conv2D'\n"
        "model: error: float32 model: 2 of 4 nodes (logical_not ×2) are float32, expected int8; "
        f"the first is node 2 with tensor #3 'f0'\n  hint: {INT8_HINT}"
    )


def test_order_of_unknown_operators() -> None:
    """They may find their inputs elsewhere: their name is what is wrong."""
    model = relu((1, 4))
    nodes = (OperatorSpec("CUSTOM", (2,), (1,), custom_code="ethos-u"),)
    text = str(refusal(ModelSpec((*model.tensors, quantized("scratch", (9,))), nodes, (0,), (1,))))
    assert text.startswith(
        "model: error: this model was compiled by Vela for an Arm Ethos-U already: "
        "custom 'ethos-u' (node 0)\n"
    )


def test_fused_lstm_is_named() -> None:
    """Its tensors of shape [0] only hold scales: the operator is what the model lacks."""
    assert str(refusal(lstm())) == (
        "model: error: missing operators: BIDIRECTIONAL_SEQUENCE_LSTM (node 0)\n"
        "  hint: give the Keras layer unroll=True and convert again: then it is plain operators; "
        "docs/how-to/int8_models.md shows what else replaces it"
    )


def test_weights_of_a_loop() -> None:
    """Dynamic-range weights in the body of a recurrent layer: the quantizer unrolls the loop, so
    the hint is that for any such model."""
    text = str(refusal(with_stored_integers()))
    assert "error: dynamic-range model: 6 of 19 nodes" in text
    assert text.endswith(f"\n  hint: {WIDEN_HINT}")


def test_tensor_without_values() -> None:
    """In a node that is there it is refused, as it is at the model's ends."""
    texts = {
        0: "model: node 0 (relu): error: tensor #0 'input' has shape [1, 0], expected dimensions "
        "of 1 or more",
        1: "model: node 0 (relu): error: tensor #1 'output' has shape [1, 0], expected dimensions "
        "of 1 or more",
    }
    for index, text in texts.items():
        assert str(refusal(with_tensor(relu((1, 4)), index, shape=(1, 0)))) == text
    unread = relu((1, 4))
    unread = ModelSpec((*unread.tensors, quantized("z", (0,))), unread.operators, (0, 2), (1,))
    assert str(refusal(unread)) == "model: error: input tensor #2 'z' has no values"


def test_missing_operators_are_grouped() -> None:
    """Each once, with its nodes; of many nodes the first ones."""
    nodes = ["WHERE", "RFFT2D", "WHERE", *["CUSTOM"] * 12, "WHERE", "RELU"]
    model = ModelSpec(
        tuple(quantized(f"t{index}", (1, 4)) for index in range(len(nodes) + 1)),
        tuple(
            OperatorSpec(name, (index,), (index + 1,), custom_code="Mine" * (name == "CUSTOM"))
            for index, name in enumerate(nodes)
        ),
        inputs=(0,),
        outputs=(len(nodes),),
    )
    assert str(refusal(model)) == (
        "model: error: missing operators: WHERE ×3 (nodes 0, 2, 15), RFFT2D (node 1), "
        "custom 'Mine' ×12 (nodes 3 to 14)\n"
        f"  hint: {LIST_HINT}"
    )


def test_nodes_with_the_same_mistake_are_told_once() -> None:
    """Where they differ in tensors alone."""
    tensors = [quantized(f"t{index}", (1, 4)) for index in range(5)]
    operators = tuple(OperatorSpec("ADD_N", (index,), (index + 1,)) for index in range(4))
    model = ModelSpec(tuple(tensors), operators, inputs=(0,), outputs=(4,))
    assert str(refusal(model)) == (
        "model: node 0 (add_n): error: 1 inputs, expected 2 to 15; the same: nodes 1, 2, 3"
    )


def test_constants_that_are_not_read() -> None:
    """Sparse ones, and types without a form in memory; where no node reads them, no harm."""
    model = with_tensor(dense(), 2, dtype="string", data=b"text", scales=(), zero_points=())
    assert str(refusal(model)) == (
        "model: node 0 (fully_connected): error: tensor #2 'bias' is a constant of type string, "
        "which is not supported"
    )
    checked(build_raw(RawModel(is_sparse=True)))


def test_several_subgraphs() -> None:
    """Those that no node calls do not matter."""
    graph = checked(build_raw(RawModel(subgraph_count=2)))
    assert len(graph.others) == 1
