"""`inspect`: a screen in words, and everything on demand, of any model that TFLM can load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite

from tests.conftest import ZooModel
from tests.errors.test_other_quantization import MODELS as OTHER_MODELS
from tests.errors.test_other_quantization import lstm
from tests.frontends.builds import SINE
from tests.support.raw_model import RawModel, build_raw
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import constant, quantized
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import worded
from tinyml_rules.target.target import load_target

MOST_LINES, LINE_WIDTH = 40, 100
ZOO = ("sine", "speech", "kws", "ad", "person_detect")
LONG = "functional_1/activation/Relu;functional_1/batch_normalization/FusedBatchNormV3;"


def conv_chain(count: int) -> bytes:
    """Convolutions in a chain, the first with a larger window and stride, all with RELU6."""
    tensors = [
        quantized("image", (1, 20, 12, 2), scale=0.25, zero_point=-7),
        TensorSpec("bias", (4,), "int32", scales=(1.0,), zero_points=(0,), data=np.zeros(4, "i4")),
        constant("first", np.ones((4, 5, 3, 2)), scales=(1.0, 2.0, 3.0, 4.0)),
        constant("others", np.ones((4, 3, 3, 4))),
    ]
    operators = []
    for index in range(count):
        tensors.append(quantized(f"{LONG}{index}", (1, 10, 6, 4), scale=0.5, zero_point=3))
        options: dict[str, Any] = {
            "Padding": tflite.Padding.SAME,
            "StrideH": 1 if index else 2,
            "StrideW": 1 if index else 2,
            "FusedActivationFunction": Activation.RELU6,
        }
        source, weights = (index + 3, 3) if index else (0, 2)
        operators.append(OperatorSpec("CONV_2D", (source, weights, 1), (index + 4,), options))
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (count + 3,)))


@pytest.fixture
def inspect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """A function from a model and options to what is printed, which ends well."""

    def run(data: bytes, *words: str) -> str:
        (tmp_path / "net.tflite").write_bytes(data)
        assert main(["inspect", str(tmp_path / "net.tflite"), *words]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return run


def test_a_screen_in_words(inspect: Any) -> None:
    """Ends with scale and zero point, totals, and a row a node with options in words."""
    lines = inspect(conv_chain(13)).splitlines()
    assert max(map(len, lines)) <= LINE_WIDTH
    assert len(lines) <= MOST_LINES
    assert lines[1] == "  input      #0 'image' int8 1x20x12x2, scale 0.25, zero point -7"
    assert lines[3:6] == [
        # 120 and 144 weights, 4 biases; 60 pixels x 4 channels x window x input channels
        "  totals     268 parameters, 110,880 MACs, 280 bytes of constants, sums of 13 bits",
        "  largest    480 bytes, #0 'image' int8 1x20x12x2",
        "  operators  all are supported",
    ]
    assert lines[0].startswith("net: 13 nodes, 17 tensors, file of ")
    assert lines[2].endswith(" int8 1x10x6x4, scale 0.5, zero point 3")
    assert lines[2].startswith("  output     #16 'functional_1/activat..")
    table = [line.split() for line in lines[7:]]
    head = "node operator options output scale zero params MACs"
    assert table[0] == head.split()
    first = "0 conv_2d 5x3 SAME, stride 2, RELU6 1x10x6x4 0.5 3 124 7,200"
    assert table[1] == first.split()
    second = "1 conv_2d 3x3 SAME, RELU6 1x10x6x4 0.5 3 148 8,640"
    assert table[2] == second.split()
    assert len(table) == 14


def test_long_models(inspect: Any) -> None:
    """Still a screen, which says how to see the rest; --all has every node, names in full."""
    data = conv_chain(200)
    lines = inspect(data).splitlines()
    assert len(lines) == MOST_LINES
    shown = sum("  conv_2d  " in line for line in lines)
    assert shown > 25
    assert lines[-1] == f"  and {200 - shown} more nodes; --all shows every node and tensor"
    for word in ("--all", "--verbose"):
        text = inspect(data, word)
        assert text.count("\nnode ") == 200
        assert f"  -> #203 '{LONG}199' int8 1x10x6x4, scale 0.5, zero point 3\n" in text
        assert "padding SAME, stride 2x2, activation RELU6, dilation 1x1" in text
        assert "#2 'first' int8 4x5x3x2, 4 scales along axis 0, constant\n" in text


def test_what_ranges_know(inspect: Any) -> None:
    """Dead channels and sums as a compilation finds them, for the groups of the target."""
    model = (SINE / "sine.tflite").read_bytes()
    lines = inspect(model).splitlines()
    assert "  operators  all are supported; 5 dead channels left out, at nodes 0, 1" in lines
    assert lines[3].endswith(" bytes of constants, sums of 18 bits")
    for part in ("atmega328", "nrf52840"):
        report = compile_model(
            Request(model, "sine", load_target(part), optimize=Optimize.LAYERS)
        ).report
        nodes = json.loads(inspect(model, "--json", "--target", part))["nodes"]
        sums = [[each.sums.least, each.sums.most] for each in report.nodes if each.sums]
        assert [each["sums"] for each in nodes] == sums
        gone = {each.node: (each.constant, each.unused) for each in report.trimmed}
        assert [(each["constant_channels"], each["unused_channels"]) for each in nodes] == [
            gone.get(number, (0, 0)) for number in range(3)
        ]
    (node,) = (each for each in inspect(model, "--all").splitlines() if each.startswith("node 1:"))
    least, most = sums[1]
    assert node.endswith(f"; 4 constant of 16 channels; sums from {least:,} to {most:,}")


@pytest.mark.parametrize("name", ZOO)
def test_totals_of_real_models(name: str, inspect: Any, zoo_model: ZooModel) -> None:
    """MACs as the compiler counts them, dead channels included; constants as the file holds
    them."""
    data = zoo_model(name).read_bytes()
    found = json.loads(inspect(data, "--json"))
    report = compile_model(
        Request(data, "net", load_target("host"), optimize=Optimize.LAYERS)
    ).report
    is_whole = not any(each.constant or each.unused for each in report.trimmed)
    assert found["macs"] == report.macs if is_whole else found["macs"] > report.macs
    model = tflite.Model.GetRootAs(data)
    buffers = {
        each["index"]: model.Subgraphs(0).Tensors(each["index"]) for each in found["tensors"]
    }
    read = {index for node in found["nodes"] for index in node["inputs"] if index is not None}
    sizes = [model.Buffers(buffers[index].Buffer()).DataLength() for index in read]
    assert found["constant_bytes"] == sum(sizes)
    assert found["is_supported"]
    lines = inspect(data).splitlines()
    assert max(map(len, lines)) <= LINE_WIDTH
    assert len(lines) <= MOST_LINES
    assert all("more nodes" not in line for line in lines)


@pytest.mark.parametrize("name", OTHER_MODELS)
def test_models_that_are_not_int8(name: str, inspect: Any) -> None:
    """All that is known is shown, and why it is not supported; unsupported rows are marked."""
    model, what, hint = OTHER_MODELS[name]
    text = inspect(build_model(model))
    joined = " ".join(text.split())
    assert f"error: {what} hint: {worded(hint)}" in joined
    others = {
        "16x8": "1  hard_swish",
        "float32": "1  logical_not",
    }
    first = others.get(name, "0  fully_connected")
    assert f" ! {first}" in text
    assert "9 MACs" not in joined
    assert "27 MACs" in joined
    assert max(map(len, text.splitlines())) <= LINE_WIDTH


def test_missing_operators_and_several_subgraphs(inspect: Any) -> None:
    """The rest is shown; sub-graphs are one line."""
    text = inspect(build_model(lstm()))
    assert "missing operators: BIDIRECTIONAL_SEQUENCE_LSTM (node 0)" in text
    assert "  totals     128 parameters, at least 0 MACs, 128 bytes of constants\n" in text
    assert "! 0  bidirectional_sequence_lstm  " in text
    text = inspect(build_raw(RawModel(subgraph_count=3, is_sparse=True)))
    assert "  sub-graphs 3, of which this is the first: '' (1 node), '' (1 node), '' (1" in text
    assert "   0  relu      " in text


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("nrf52840", "of 262,144 B RAM, constants "),
        ("atmega328", "net: error: needs 20,480 bytes of RAM for the model alone"),
    ],
)
def test_for_a_target(target: str, text: str, inspect: Any, tmp_path: Path) -> None:
    """What the plan takes of the part, and the kernels; or why it does not fit.  Nothing is
    written."""
    model = ModelSpec(
        (quantized("x", (1, 20480)), quantized("y", (1, 20480))),
        (OperatorSpec("RELU", (0,), (1,)),),
        (0,),
        (1,),
    )
    printed = inspect(build_model(model), "--target", target)
    assert text in " ".join(printed.split())
    assert ("  kernels    lookup\n" in printed) == (target == "nrf52840")
    data = json.loads(inspect(build_model(model), "--target", target, "--json"))["target"]
    assert (data["report"] is None) == bool(data["problems"]) == (target == "atmega328")
    assert [file.name for file in tmp_path.iterdir()] == ["net.tflite"]
