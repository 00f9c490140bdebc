"""What the cases of the operators with weights share: random weights, and windows over images."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN, Activation
from tinyml_rules.model_file.writer import ModelSpec, OptionValue, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    bias,
    constant,
    quantized,
    random,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.spatial import Padding, Sliding

INPUT_SCALE, OUTPUT_SCALE = 0.5, 0.25

Pair = tuple[int, int]
Image = tuple[int, int, int, int]


@dataclass(frozen=True, kw_only=True)
class Sums:
    """How the sums of an operator are made and what becomes of them.

    `factor` is what the sums of the first output are multiplied with; with weights per axis a
    further output has a quarter more each time.  By default the outputs fill the range of int8 and
    leave it at times.  `bias_size` bounds the random bias; None leaves it out.  `values` are the
    weights, random ones of so many `bits` by default.
    """

    zero_points: Pair = (-7, 11)
    factor: float | None = None
    is_per_axis: bool = True
    bias_size: int | None = 5000
    values: npt.ArrayLike | None = None
    activation: Activation = Activation.NONE
    bits: int = 8

    def source(self, shape: tuple[int, ...]) -> TensorSpec:
        """The operator's input."""
        return quantized("input", shape, scale=INPUT_SCALE, zero_point=self.zero_points[0])

    def result(self, shape: tuple[int, ...]) -> TensorSpec:
        """The operator's output."""
        return quantized("output", shape, scale=OUTPUT_SCALE, zero_point=self.zero_points[1])

    def constants(
        self, shape: tuple[int, ...], *, axis: int, terms: int
    ) -> tuple[TensorSpec, TensorSpec | None]:
        """(weights of the shape, bias), with an output for each slice along `axis`, each the sum
        of `terms` products."""
        outputs = shape[axis]
        most = 2 ** (self.bits - 1) - 1
        values = random().integers(-most, most + 1, shape) if self.values is None else self.values
        factor = self.factor or 2 ** (8 - self.bits) / (60 * math.sqrt(terms))
        count = outputs if self.is_per_axis else 1
        scales = [factor * OUTPUT_SCALE / INPUT_SCALE * 1.25**index for index in range(count)]
        weights = constant("weights", np.reshape(values, shape), scales=scales, axis=axis)
        weights = replace(weights, dtype=f"int{self.bits}")
        if self.bias_size is None:
            return weights, None
        biases = random(2).integers(-self.bias_size, self.bias_size + 1, outputs)
        return weights, bias(biases, scales=[INPUT_SCALE * scale for scale in scales])


def computed(model: ModelSpec, *operands: str) -> ModelSpec:
    """The model with some of its constants given to it."""
    for index, name in enumerate(("input", "weights", "bias")):
        if name in operands:
            model = with_tensor(model, index, data=None)
    return model


def of_powers(model: ModelSpec) -> ModelSpec:
    """The model with the nearest power of two in the place of every scale of the weights, so that a
    shift is all that its sums need."""
    scales = tuple(2.0 ** round(math.log2(scale)) for scale in model.tensors[1].scales)
    model = with_tensor(model, 1, scales=scales)
    if model.tensors[2].dtype != "int32":
        return model
    return with_tensor(model, 2, scales=tuple(INPUT_SCALE * scale for scale in scales))


def shifting(case: Case) -> Case:
    """The same for a case."""
    stand_in = None if case.stand_in is None else of_powers(case.stand_in)
    return replace(case, model=of_powers(case.model), stand_in=stand_in)


_WINDOWS: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "_per_tensor": {"is_per_axis": False, "zero_points": (127, -128)},
    "_relu6": {"activation": Activation.RELU6, "padding": Padding.VALID},
    "_moved": {"image": (2, 7, 8, 3), "window": (2, 4), "strides": (2, 3), "dilations": (3, 1)},
    "_one_channel": {"image": (2, 4, 3, 1), "window": (2, 2)},
    "_beside_the_image": {"image": (1, 3, 3, 2), "dilations": (4, 4)},
}


COMPUTED_REALS = (
    *("computed_weights", "computed_bias", "computed_weights_bias", "computed_weights_relu6"),
    "computed_weights_bias_moved",
)
"""Those that real numbers have too."""


def computed_cases(make: Callable[..., ModelSpec], **more: Mapping[str, Any]) -> dict[str, Case]:
    """Convolutions whose weights, bias, or both are given to them; `more` are keywords of `make`
    by the ends of names."""
    named = {**_WINDOWS, **{f"_{name}": how for name, how in more.items()}}
    kinds = (("weights",), ("bias",), ("weights", "bias"))
    found = {
        f"computed_{'_'.join(kind)}{name}": random_case(computed(make(**how), *kind))
        for kind in kinds
        for name, how in named.items()
    }
    found["computed_weights_no_bias"] = random_case(computed(make(bias_size=None), "weights"))
    found["computed_bias_int4"] = random_case(computed(make(bits=4), "bias"))
    return found


WRAPPING_FACTOR = 2.0**-25
"""Brings sums that wrap into the range of int8."""


def wrapping(model: ModelSpec) -> ModelSpec:
    """The model with biases at both ends of int32 in turn, so that sums leave it."""
    count = model.tensors[2].shape[0]
    ends = np.where(np.arange(count) % 2, INT32_MIN + 70, INT32_MAX - 50)
    return with_tensor(model, 2, data=ends.astype(np.int32))


def wrapping_at_zero_point(model: ModelSpec) -> ModelSpec:
    """The model, of sums with one weight of 1, with sums that fit int32 until the output's zero
    point is added: they are multiplied with 1 - 2^-27."""
    step = 2.0**-23
    scales = (1 + 2048 * step, 1 - 256 * step, 1 + 1792 * step)
    model = with_tensor(model, 0, scales=scales[:1])
    model = with_tensor(model, 1, scales=scales[1:2], zero_points=(0,))
    model = with_tensor(model, 3, scales=scales[2:])
    end = INT32_MAX - 128 if model.tensors[3].zero_points[0] > 0 else INT32_MIN + 128
    count = model.tensors[2].shape[0]
    data = np.full(count, end, np.int32)
    return with_tensor(model, 2, scales=(scales[0] * scales[1],), zero_points=(0,), data=data)


@dataclass(frozen=True, kw_only=True)
class Window:
    """How a window moves over an image; pairs are (vertical, horizontal)."""

    size: Pair
    padding: Padding = Padding.SAME
    strides: Pair = (1, 1)
    dilations: Pair = (1, 1)

    def output_shape(self, image: Image, *, channels: int) -> Image:
        """The shape of the output for an input [batch, height, width, channels]."""
        vertical, horizontal = map(Sliding, self.size, self.strides, self.dilations)
        return (
            image[0],
            vertical.output_size(image[1], self.padding),
            horizontal.output_size(image[2], self.padding),
            channels,
        )

    def options(self, activation: Activation) -> dict[str, OptionValue]:
        """The options that both convolutions have."""
        return {
            "Padding": self.padding,
            "StrideH": self.strides[0],
            "StrideW": self.strides[1],
            "DilationHFactor": self.dilations[0],
            "DilationWFactor": self.dilations[1],
            "FusedActivationFunction": activation,
        }
