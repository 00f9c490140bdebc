"""Every tensor on the runner of a part: equal to TFLM's, and a fault is found where it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.arena.test_early_ends import MODELS as ENDING
from tests.compare.faults import compared
from tests.conftest import ZooModel
from tests.frontends.builds import SINE
from tests.plan.chains import random_chain
from tests.weights.test_called import model as branching
from tests.weights.test_called import samples as branching_samples
from tinyml_rules.compare.reference import NUMPY, TFLM
from tinyml_rules.compare.text import comparison_data, comparison_error, comparison_lines
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops.while_.cases import loop
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.target.target import load_target


def sine(part: str) -> Request:
    model = (SINE / "sine.tflite").read_bytes()
    return Request(model, "sine", load_target(part), optimize=Optimize.LAYERS)


@pytest.mark.parametrize("part", ["host", "atmega328", "riscv32imc", "esp8266", "xtensa_lx6"])
def test_layers(part: str) -> None:
    """All three layers, on each kind of runner and of processor; then one constant is another."""
    found = compared(sine(part))
    assert found.first is None
    assert [each.label for each in found.compared] == ["0", "1", "2"]
    for each in found.compared:
        assert each.values == 2 * (each.tensor.count - each.left_out) > 0
    node = "2" if part == "atmega328" else "1"  # whose first layers have records, not biases
    broken = compared(sine(part), fault=(f"sine_node_{node}_bias", 11))
    assert broken.first is not None
    assert broken.first.label == node
    before = [each.difference is None for each in broken.compared[: int(node) + 1]]
    assert before == [True] * int(node) + [False]


@pytest.mark.parametrize(
    ("model", "part", "fault", "node"),
    [
        ("kws", "nrf52840", ("kws_node_5_bias", 13), "5"),
        ("person_detect", "nrf52840", ("person_detect_node_12_bias", 14), "12"),
        ("speech", "atmega1284p", ("speech_node_1_weights", 6), "1"),
    ],
)
def test_fault(
    zoo_model: ZooModel, model: str, part: str, fault: tuple[str, int], node: str
) -> None:
    """In streams, whose rings hold a few rows, and where the next layer takes the bytes over: all
    nodes are equal, and of a model with a fault exactly the nodes before it are."""
    request = Request(zoo_model(model).read_bytes(), model, load_target(part))
    found = compared(request, samples=1)
    assert found.first is None
    nodes = len(found.tensors) - len([each for each in found.tensors if each.reason])
    assert nodes >= {"kws": 13, "person_detect": 31, "speech": 3}[model]
    broken = compared(request, samples=1, fault=fault)
    assert broken.first is not None
    assert broken.first.label == node
    before = broken.tensors.index(broken.first)
    assert all(each.difference is None for each in broken.tensors[:before])


def test_pushed_rows_and_memory_of_others(zoo_model: ZooModel) -> None:
    """The same values wherever the arena lives, and whoever has the input."""
    request = Request(zoo_model("speech").read_bytes(), "speech", load_target("host"))
    for each in (
        replace(request, push_rows=True),
        replace(request, arena=ArenaMode.CALLER, schedule=Mode.STREAM),
        replace(request, arena=ArenaMode.SHARED, schedule=Mode.LAYER),
        replace(request, weights=Weights.PACKED),
        replace(request, weights=Weights.EXTERNAL, optimize=Optimize.LAYERS),
    ):
        found = compared(each)
        assert found.first is None
        assert sum(tensor.values for tensor in found.compared) == 2 * 4008


def test_pushed_chain() -> None:
    """Of a long stream, on a part: what is made after each row."""
    generator = np.random.default_rng(88)
    model = random_chain(lambda low, high: int(generator.integers(low, high + 1)))
    target = load_target("lm3s6965")
    request = Request(model, "chain", target, schedule=Mode.STREAM, push_rows=True)
    found = compared(request)
    assert found.first is None
    assert len(found.compared) > 3


def _inputs(request: Request, *values: Array) -> dict[str, Array]:
    ports = compile_model(request).interface.inputs
    return {port.tensor: each for port, each in zip(ports, values, strict=True)}


def test_graphs_that_nodes_run() -> None:
    """The branch that ran, in memory of the node that runs it; a loop's graphs in their last turn;
    and what an early end leaves out."""
    values, which = branching_samples()
    request = Request(build_model(branching()), "branching", load_target("atmega328"))
    inputs = _inputs(request, values[:1], which[:1])
    found = compared(request, inputs)
    assert found.first is None
    states = {each.label: bool(each.reason) for each in found.tensors}
    assert states == {"0": False, "1:0": False, "2:0": True, "1": False}
    request = Request(build_model(loop()), "loop", load_target("riscv32imc"))
    inputs = _inputs(request, np.array([[[3]]], np.int8), np.zeros((1, 1, 5), np.int8))
    found = compared(request, inputs)
    assert found.first is None
    assert {"2:0", "2:1", "0"} <= {each.label for each in found.compared}
    request = Request(build_model(ENDING["one"]), "one", load_target("host"))
    found = compared(request)
    assert found.first is None


def test_reference_in_numpy(zoo_model: ZooModel) -> None:
    """The operators' meanings have the same tensors as TFLM."""
    request = Request(zoo_model("speech").read_bytes(), "speech", load_target("host"))
    one, other = (compared(request, reference=each) for each in (TFLM, NUMPY))
    assert one.first is None and other.first is None
    assert [each.values for each in one.tensors] == [each.values for each in other.tensors]
    assert "numpy" in "\n".join(comparison_lines(other, shows_all=False))


def test_what_is_told() -> None:
    """A line with counts where all is equal; else the node, the tensor, the index, both values;
    and what the firmware does not have is listed."""
    request = replace(sine("host"), optimize=Optimize.BALANCED)
    found = compared(request)
    first, *rest = comparison_lines(found, shows_all=False)
    assert first == "sine on host: 1 node, 2 values of 2 samples, all equal to TFLM's"
    assert [line.split(":")[1].split(",")[0] for line in rest] == [
        " node 0 (fully_connected)",
        " node 1 (fully_connected)",
    ]
    assert all("not compared" in line and "not in the firmware" in line for line in rest)
    broken = compared(sine("host"), fault=("sine_node_1_bias", 11))
    error = comparison_error(broken)
    assert error is not None
    (problem,) = error.problems
    assert broken.first is not None and broken.first.difference is not None
    difference = broken.first.difference
    for word in (
        "sample 0: node 1 (fully_connected), tensor #6",
        f"index [0, {difference.place[1]}]",
        f"{difference.found}, expected {difference.expected} as TFLM has it",
    ):
        assert word in problem.what
    data = comparison_data(broken)
    assert data["first_difference"]["node"] == 1 and not data["is_equal"]
    assert comparison_error(found) is None
    assert len(list(comparison_lines(broken, shows_all=True))) >= 3


def nan_model() -> bytes:
    """x[1, 4] of float32 -> FULLY_CONNECTED with weights that are NaN, as training that diverged
    leaves them -> y[1, 3]."""
    weights = np.full((3, 4), np.nan, np.float32)
    tensors = (
        TensorSpec("x", (1, 4), "float32"),
        TensorSpec("weights", (3, 4), "float32", data=weights),
        TensorSpec("bias", (3,), "float32", data=-weights[:, 0]),
        TensorSpec("y", (1, 3), "float32"),
    )
    node = OperatorSpec("FULLY_CONNECTED", inputs=(0, 1, 2), outputs=(3,))
    return build_model(ModelSpec(tensors, (node,), inputs=(0,), outputs=(3,)))


@pytest.mark.parametrize("part", ["host", "nrf52840", "riscv32imc"])
def test_not_a_number(part: str) -> None:
    """A NaN equals TFLM's, although the sign of the one or the other is another one."""
    found = compared(Request(nan_model(), "nans", load_target(part)))
    assert found.first is None
    assert [each.values for each in found.compared] == [6]
