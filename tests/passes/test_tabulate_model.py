"""A model of one 8-bit value, and a part of one between two such values, becomes a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tests.support.stages import passed, read
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.graph import Graph
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import EVERY_INT8, constant, quantized, typed
from tinyml_rules.ops._shared.interpreter import run_graph
from tinyml_rules.ops.lookup import every_byte
from tinyml_rules.ops.svdf.cases import svdf
from tinyml_rules.passes import run_passes
from tinyml_rules.passes.tabulate_model import MOST_WORK
from tinyml_rules.reporting.parts import TabulatedLayers
from tinyml_rules.reporting.tables import model_summary
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.target.target import load_target

X, RESULT = 0, 3


def polynomial(*, shape: tuple[int, ...] = (1, 1)) -> ModelSpec:
    """x * x + 2 * x, in two branches."""
    scales = (0.05, 0.2, 0.15, 0.25)
    names = ("x", "square", "twice", "sum")
    tensors = tuple(
        quantized(name, shape, scale=scale, zero_point=3 * place)
        for place, (name, scale) in enumerate(zip(names, scales, strict=True))
    )
    operators = (
        OperatorSpec("MUL", (X, X), (1,)),
        OperatorSpec("ADD", (X, X), (2,)),
        OperatorSpec("ADD", (1, 2), (RESULT,)),
    )
    return ModelSpec(tensors, operators, inputs=(X,), outputs=(RESULT,))


def with_ends(model: ModelSpec, dtype: str) -> ModelSpec:
    """The model between conversions from and to another type."""
    count = len(model.tensors)
    first, last = model.tensors[model.inputs[0]], model.tensors[model.outputs[0]]
    if dtype == "float32":
        ends = [typed(name, first.shape, dtype) for name in ("in", "out")]
    else:
        ends = [
            replace(each, name=f"{each.name} as {dtype}", dtype=dtype, zero_points=(100 + shift,))
            for shift, each in enumerate((first, last))
        ]
    back = "DEQUANTIZE" if dtype == "float32" else "QUANTIZE"
    operators = (
        OperatorSpec("QUANTIZE", (count,), model.inputs),
        *model.operators,
        OperatorSpec(back, model.outputs, (count + 1,)),
    )
    return replace(
        model,
        tensors=(*model.tensors, *ends),
        operators=operators,
        inputs=(count,),
        outputs=(count + 1,),
    )


def names(graph: Graph) -> list[str]:
    """The operators that run."""
    return [node.op for node in graph.nodes]


def every_result(model: ModelSpec | bytes, *, keeps_layers: bool = False) -> bytes:
    """What the graph behind the passes gives for all bytes from 0 to 255, by the oracles."""
    graph = run_passes(read(model), builtin_operators(), keeps_layers=keeps_layers)
    source = graph.tensors[graph.inputs[0]]
    values = every_byte(source.dtype)
    found = [
        run_graph(graph, builtin_operators(), {source.index: value.reshape(source.shape)})
        for value in values
    ]
    return b"".join(each.tobytes() for outputs in found for each in outputs)


def assert_is_table(model: ModelSpec, *, nodes: tuple[int, ...]) -> None:
    """One look-up, which gives what the layers give, byte for byte."""
    graph = passed(model)
    assert names(graph) == ["lookup"]
    assert [(each.nodes, each.tables) for each in graph.tabulated] == [(nodes, 1)]
    assert every_result(model) == every_result(model, keeps_layers=True)


@pytest.mark.parametrize("target", ["host", "atmega328", "nrf52840"])
@pytest.mark.parametrize("optimize", list(Optimize))
def test_sine(target: str, optimize: Optimize) -> None:
    """All 256 inputs as TFLM, as a table and as layers, and with the same interface."""
    model = (SINE / "sine.tflite").read_bytes()
    (expected,) = tflm_outputs(model, (EVERY_INT8.reshape(256, 1, 1),))
    part = target_or_skip(target)
    compiled = compile_model(Request(model, "sine", part, optimize=optimize))
    with np.load(SINE / "vectors.npz") as vectors:
        assert vectors["sine/output"].tobytes() == expected.tobytes()
        found = run_on_arrays(compiled, part, dict(vectors), where="sine")
    assert found.output == expected.tobytes()
    layers = compile_model(Request(model, "sine", part, optimize=Optimize.LAYERS))
    assert compiled.interface == layers.interface
    assert bool(compiled.report.tabulated) == (optimize is not Optimize.LAYERS)


def test_branches() -> None:
    """With TFLM's answers."""
    model = polynomial()
    assert_is_table(model, nodes=(0, 1, 2))
    (expected,) = tflm_outputs(build_model(model), (EVERY_INT8.reshape(256, 1, 1),))
    # bytes count 0 to 127, then -128 to -1
    assert every_result(model) == np.roll(expected.reshape(-1), 128).tobytes()


def test_unsigned_ends() -> None:
    """The conversions are part of the table."""
    assert_is_table(with_ends(polynomial(), "uint8"), nodes=(0, 1, 2, 3, 4))


def test_float_ends() -> None:
    """They are the caller's, and the table lies between."""
    model = with_ends(polynomial(), "float32")
    assert_is_table(model, nodes=(1, 2, 3))
    request = Request(build_model(model), "model", load_target("host"))
    for each in Optimize:
        interface = compile_model(replace(request, optimize=each)).interface
        assert interface == compile_model(request).interface
        assert interface.inputs[0].is_float_in_model and interface.outputs[0].is_float_in_model


def test_a_part() -> None:
    """Between what makes the value of two inputs and what makes many values of the result."""
    model = polynomial()
    count = len(model.tensors)
    more = (quantized("y", (1, 1)), quantized("z", (1, 1)), quantized("row", (1, 3), scale=0.25))
    weights = constant("weights", [[3], [-4], [5]], scales=(0.3,))
    model = replace(
        model,
        tensors=(*model.tensors, *more, weights),
        operators=(
            OperatorSpec("ADD", (count, count + 1), (X,)),
            *model.operators,
            OperatorSpec("FULLY_CONNECTED", (RESULT, count + 3), (count + 2,)),
        ),
        inputs=(count, count + 1),
        outputs=(count + 2,),
    )
    graph = passed(model)
    assert names(graph) == ["add", "lookup", "fully_connected"]
    assert [each.nodes for each in graph.tabulated] == [(1, 2, 3)]


def test_a_result_that_is_read_twice() -> None:
    """What is read inside and outside is a table of its own, if two take less."""
    model = polynomial()
    both = replace(model, outputs=(1, RESULT))
    assert names(passed(both)) == ["mul", "add", "add"]
    count = len(model.tensors)
    weights = tuple(
        constant(name, np.full(shape, 7), scales=(0.01,))
        for name, shape in (("first", (40, 1)), ("last", (1, 40)))
    )
    rich = replace(
        both,
        tensors=(*both.tensors, *weights, quantized("many", (1, 40)), quantized("one", (1, 1))),
        operators=(
            *both.operators,
            OperatorSpec("FULLY_CONNECTED", (RESULT, count), (count + 2,)),
            OperatorSpec("FULLY_CONNECTED", (count + 2, count + 1), (count + 3,)),
        ),
        outputs=(1, count + 3),
    )
    graph = passed(rich)
    assert names(graph) == ["lookup", "lookup"]
    assert graph.tabulated[0].tables == 2
    assert graph.tabulated[0].macs == 80
    assert every_result(rich) == every_result(rich, keeps_layers=True)


def test_what_stays() -> None:
    """Two inputs, several values, one cheap layer."""
    two = replace(
        polynomial(),
        operators=(OperatorSpec("ADD", (0, 1), (2,)), OperatorSpec("MUL", (2, 1), (3,))),
        inputs=(0, 1),
    )
    assert names(passed(two)) == ["add", "mul"]
    assert names(passed(polynomial(shape=(1, 2)))) == ["mul", "add", "add"]
    one = replace(polynomial(), operators=polynomial().operators[:1], outputs=(1,))
    assert names(passed(one)) == ["mul"]


def test_state_stays() -> None:
    """What an inference leaves for the next is no result of its input."""
    model = svdf(input_count=1, units=1, memory=80)
    constants = [np.asarray(each.data).nbytes for each in model.tensors if each.data is not None]
    assert sum(constants) > 256
    assert names(passed(model)) == ["svdf"]


def test_too_much_work_stays() -> None:
    """It would be done 256 times when the model is compiled."""
    wide = 1100
    assert wide**2 > MOST_WORK
    shapes = ((wide, 1), (wide, wide), (1, wide))
    weights = [constant(f"w{place}", np.ones(shape)) for place, shape in enumerate(shapes)]
    steps = [quantized(f"x{place}", (1, count)) for place, count in enumerate((1, wide, wide, 1))]
    model = ModelSpec(
        (*steps, *weights),
        tuple(
            OperatorSpec("FULLY_CONNECTED", (place, 4 + place), (place + 1,)) for place in range(3)
        ),
        inputs=(0,),
        outputs=(3,),
    )
    assert names(passed(model)) == ["fully_connected"] * 3


def test_weights_in_a_file_keep_the_layers() -> None:
    """Whoever asks for the file has firmware that reads it, or exchanges it."""
    model = (SINE / "sine.tflite").read_bytes()
    request = Request(model, "sine", load_target("host"))
    reports = {
        weights: compile_model(replace(request, weights=weights)).report for weights in Weights
    }
    kept = [weights for weights, report in reports.items() if not report.tabulated]
    assert kept == [Weights.EXTERNAL, Weights.PARTITION]
    assert reports[Weights.EXTERNAL].external_bytes > 256


def test_what_is_told() -> None:
    """The nodes that are gone and their products, in the report and in a line."""
    model = (SINE / "sine.tflite").read_bytes()
    report = compile_model(Request(model, "sine", load_target("host"))).report
    assert report.tabulated == (TabulatedLayers((0, 1, 2), tables=1, macs=288),)
    assert (report.macs, report.constant_bytes) == (0, 256)
    line = "\n  tables: 1 for nodes 0, 1, 2 with 288 multiply-accumulates\n"
    assert line in model_summary(report)
