"""Cases of UNIDIRECTIONAL_SEQUENCE_LSTM: sequences in each type, clips, ends, ties, and what is
refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    Tolerance,
    model_of,
    random,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import FEW, SIZES, ZERO_POINTS

TANH = 4
Shape = tuple[int, ...]

_SCALES = {"int8": (0.05, 1 / 128), "int16": (2e-4, 3.1e-5)}
"""Of input and hidden state."""
_OF_LIBRARY = Tolerance(units=4, absolute=2e-6)
"""TFLM calls the functions of a C library."""


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """What the values of a layer of some type are: `power` is that of the cell's scale, zero points
    are those of input and hidden state, and the scales of weights are drawn between two ends.  A
    layer of real numbers has values of about the same sizes."""

    dtype: str
    power: int = -11
    zero_points: tuple[int, int] = (3, -1)
    hidden_scale: float | None = None
    weight_scales: tuple[float, float] = (2e-3, 2e-2)
    bias_size: int = 2000

    @property
    def is_real(self) -> bool:
        """Whether nothing is quantized."""
        return self.dtype == "float32"

    def value(self, name: str, shape: Shape, *, is_hidden: bool = True, **more: Any) -> TensorSpec:
        """An activation."""
        if self.is_real:
            return TensorSpec(name, shape, "float32", **more)
        scale, of_hidden = _SCALES[self.dtype]
        if is_hidden:
            scale = self.hidden_scale or of_hidden
        point = 0 if self.dtype == "int16" else self.zero_points[is_hidden]
        return TensorSpec(name, shape, self.dtype, (scale,), (point,), **more)

    def matrix(self, name: str, shape: Shape, generator: np.random.Generator) -> TensorSpec:
        """Weights."""
        data = generator.integers(-127, 128, shape)
        scale = float(np.float32(generator.uniform(*self.weight_scales)))
        if self.is_real:
            return TensorSpec(name, shape, "float32", data=(data * scale).astype(np.float32))
        return TensorSpec(name, shape, "int8", (scale,), (0,), data=data.astype(np.int8))

    def bias(self, name: str, units: int, generator: np.random.Generator) -> TensorSpec:
        """Of one gate."""
        data, dtype = generator.integers(-self.bias_size, self.bias_size + 1, units), "float32"
        if self.is_real:
            return TensorSpec(name, (units,), dtype, data=(data * 1e-4).astype(np.float32))
        dtype = "int32" if self.dtype == "int8" else "int64"
        return TensorSpec(name, (units,), dtype, (1e-4,), (0,), data=data.astype(dtype))

    def cell(self, shape: Shape) -> TensorSpec:
        """Its state."""
        if self.is_real:
            return TensorSpec("cell", shape, "float32", is_variable=True)
        return TensorSpec("cell", shape, "int16", (2.0**self.power,), (0,), is_variable=True)


def lstm(
    dtype: str = "int8",
    *,
    batches: int = 1,
    steps: int = 3,
    input_count: int = 6,
    units: int = 5,
    is_time_major: bool = False,
    clip: float = 0.0,
    projection_clip: float = 0.0,
    **numbers: Any,
) -> ModelSpec:
    """A layer; `numbers` are fields of `Numbers`."""
    of, generator = Numbers(dtype=dtype, **numbers), random()
    shape = (steps, batches) if is_time_major else (batches, steps)
    kept, gates = (batches, units), ("input", "forget", "cell", "output")
    weights = [of.matrix(f"{gate} weights", (units, input_count), generator) for gate in gates]
    recurrent = [of.matrix(f"{gate} recurrent", (units, units), generator) for gate in gates]
    biases = [of.bias(f"{gate} bias", units, generator) for gate in gates]
    states = (of.value("hidden", kept, is_variable=True), of.cell(kept))
    return model_of(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        (
            of.value("input", (*shape, input_count), is_hidden=False),
            *(*weights, *recurrent, None, None, None),
            *(*biases, None, None),
            *(*states, None, None, None, None),
        ),
        of.value("output", (*shape, units)),
        options={
            "FusedActivationFunction": TANH,
            "CellClip": clip,
            "ProjClip": projection_clip,
            "TimeMajor": is_time_major,
        },
    )


def sequence(model: ModelSpec, *, count: int = 8, seed: int = 4) -> Case:
    """Inputs that follow one another: random ones, many of both ends, and none but the least and
    the greatest in turn."""
    generator, source = random(seed), model.tensors[0]
    shape = (count, *source.shape)
    if source.dtype == "float32":
        drawn = generator.normal(0, 1, shape) * 2.0 ** generator.integers(-6, 4, shape)
        drawn[count // 2] = 0
        return Case(model, (drawn.astype(np.float32),), is_sequence=True, tolerance=_OF_LIBRARY)
    low, high = np.iinfo(source.dtype).min, np.iinfo(source.dtype).max
    values = generator.integers(low, high + 1, shape)
    values[count // 2], values[count // 2 + 1] = low, high
    values[-1] = np.where(generator.integers(0, 2, shape[1:]), low, high)
    return Case(model, (values.astype(source.dtype),), is_sequence=True)


def _without_weights(model: ModelSpec, *names: str) -> ModelSpec:
    for index, tensor in enumerate(model.tensors):
        if tensor.data is not None and tensor.name.startswith(names):
            model = with_tensor(model, index, data=np.zeros_like(tensor.data))
    return model


_GEOMETRY: dict[str, dict[str, Any]] = {
    "plain": {},
    "one_step": {"steps": 1},
    "one_unit": {"units": 1, "input_count": 1},
    "wide": {"units": 12, "input_count": 35},
    "batches": {"batches": 3},
    "time_major": {"batches": 2, "is_time_major": True},
    "clip": {"clip": 2.0, "power": -13},
    "projection_clip": {"projection_clip": 0.5},
}
_OF_INTEGERS: dict[str, dict[str, Any]] = {
    "finest_cell": {"power": -15},
    "coarsest_cell": {"power": 0},
    "coarse_cell": {"power": -7},
    "clip_beyond_int16": {"clip": 100.0, "power": -12},
    "clip_of_nothing": {"clip": 1e-5},
    "large_weights": {"weight_scales": (0.05, 0.2), "clip": 6.0},
    "small_weights": {"weight_scales": (1e-6, 1e-5)},
    "weights_of_powers": {"weight_scales": (2.0**-8, 2.0**-8)},
    "hidden_of_a_power": {"hidden_scale": 2.0**-7},
    "hidden_of_little": {"hidden_scale": 2.0**-11},
}
_OF_INT8: dict[str, dict[str, Any]] = {
    "lowest_zero_points": {"zero_points": (-128, 127)},
    "highest_zero_points": {"zero_points": (127, -128)},
    "unbounded": {"bias_size": 2**30},
    "long": {"units": 2, "input_count": 300, "weight_scales": (1e-3, 2e-3)},
}

CASES = {
    f"{name}_{dtype}": sequence(lstm(dtype, **how))
    for dtype, more in (("int8", _OF_INTEGERS | _OF_INT8), ("int16", _OF_INTEGERS), ("float32", {}))
    for name, how in (_GEOMETRY | more).items()
}
CASES["sums_of_64_bits_int16"] = sequence(lstm("int16", bias_size=2**40))
CASES["long_sums_of_64_bits_int16"] = sequence(
    lstm("int16", input_count=520, units=2, bias_size=2**40), count=4
)
CASES["half_open_gates_int8"] = sequence(_without_weights(lstm(), "input", "forget", "output"))

SAMPLES = (
    *(f"{name}_{dtype}" for name in ("plain", "wide") for dtype in ("int8", "int16")),
    *("batches_int8", "clip_int8", "unbounded_int8", "sums_of_64_bits_int16", "plain_float32"),
)
"""Cases between which every kernel is used."""


def _with_inputs(model: ModelSpec, inputs: tuple[int, ...]) -> ModelSpec:
    operator = model.operators[0]
    return replace(model, operators=(replace(operator, inputs=inputs),))


def _given(place: int, name: str) -> ModelSpec:
    """A layer that has one more operand."""
    model = lstm()
    data = np.ones(5, np.int16)
    more = TensorSpec(name, (5,), "int16", (1.0,), (0,), data=data)
    inputs = list(model.operators[0].inputs)
    inputs[place] = len(model.tensors)
    return _with_inputs(replace(model, tensors=(*model.tensors, more)), tuple(inputs))


def _cell(scale: float) -> ModelSpec:
    model = lstm()
    place = model.operators[0].inputs[19]
    return with_tensor(model, place, scales=(scale,))


REJECTED = {
    "twenty_inputs": Rejected(
        _with_inputs(lstm(), lstm().operators[0].inputs[:20]),
        ("20 inputs, expected 24, of which those that are not used are -1",),
    ),
    "peephole": Rejected(
        _given(10, "diagonal"),
        (
            "forget gate peephole weights tensor #16 'diagonal' is for peephole connections, which "
            "is not supported",
        ),
    ),
    "projection": Rejected(
        _given(16, "smaller"),
        ("projection weights tensor #16 'smaller' is for a projection, which is not supported",),
    ),
    "normalization": Rejected(
        _given(22, "norm"),
        (
            "cell gate layer normalization tensor #16 'norm' is for layer normalization, which is "
            "not supported",
        ),
    ),
    "cell_of_no_power": Rejected(
        _cell(0.0003),
        (
            "cell state tensor #14 'cell' has scale 0.0003, expected a power of two from 2^-15 to "
            "2^0",
        ),
    ),
    "cell_too_coarse": Rejected(
        _cell(2.0),
        ("cell state tensor #14 'cell' has scale 2, expected a power of two from 2^-15 to 2^0",),
    ),
    "relu": Rejected(
        with_options(lstm(), FusedActivationFunction=1),
        ("fused activation 1, expected 4 (TANH)",),
    ),
    "clip_below_0": Rejected(
        with_options(lstm(), CellClip=-1.0),
        ("cell_clip -1, expected 0 for none or a number above",),
    ),
    "large_factor": Rejected(
        with_tensor(lstm("int16"), 1, scales=(200.0,)),
        (
            "input gate weights tensor #1 'input weights' has scale 200, too large for the "
            "input's 0.0002: sums are multiplied with 163.84, expected less than 128",
        ),
    ),
}
assert OPTIONAL in lstm().operators[0].inputs


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Layers of each type."""
    dtype = draw(st.sampled_from(("int8", "int16", "float32")))
    least = draw(st.floats(1e-5, 0.05))
    model = lstm(
        dtype,
        batches=draw(st.integers(1, 3)),
        steps=draw(FEW),
        input_count=draw(SIZES),
        units=draw(SIZES),
        is_time_major=draw(st.booleans()),
        power=draw(st.integers(-15, 0)),
        clip=draw(st.just(0.0) | st.floats(0.125, 16.0, width=32)),
        zero_points=(draw(ZERO_POINTS), draw(ZERO_POINTS)),
        weight_scales=(least, least * draw(st.floats(1.0, 4.0))),
        bias_size=draw(st.sampled_from((0, 2000, 10**5))),
    )
    return sequence(model, count=draw(st.integers(4, 8)))


MODELS = _models()
