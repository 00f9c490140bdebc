"""Sums of real numbers four outputs at a time: all residues of the loops, and the ends of float32,
equal TFLM's bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import kernel_of
from tests.support.combined import SANITIZED
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.operator_cases import file_of
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import AnyArray, Case, Tolerance, random
from tinyml_rules.ops._shared.cases.reals import real_model
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.real_cases import real_dense
from tinyml_rules.ops.transpose_conv.cases import transpose_conv
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import load_target

PARTS = (SANITIZED, "nrf52840", "mps3_an547")
"""Four sums in C, and in a vector of Helium, which takes numbers below 2^-126 for 0."""
FOURS = "_fours"
"""In the names of such kernels."""
ORDINARY = 6
"""Samples of `with_ends` from which no infinity comes."""
NOT_FINITE = Tolerance()
"""The same numbers; of those that are none, any."""


def with_ends(model: ModelSpec, number: int = 0) -> Case:
    """Values of many sizes; sums and products around 2^-126; what is infinite, and no number."""
    generator = random(number)
    shape = model.tensors[model.inputs[0]].shape
    many = generator.normal(0, 1, (2, *shape)) * 2.0 ** generator.integers(-9, 9, (2, *shape))
    small = many[0] * 2.0 ** -generator.integers(118, 150, shape)
    least = generator.integers(-3, 4, shape) * 2.0**-149
    mixed = np.where(generator.random(shape) < 0.2, small, many[1])
    large = np.sign(many[0]) * 3e38
    rare = generator.random((2, *shape)) < 0.05
    infinite, none = np.where(rare[0], np.inf, many[0]), np.where(rare[1], np.nan, many[1])
    samples = np.stack([*many, small, least, mixed, 0 * many[0], large, infinite, none])
    return Case(model, (samples.astype(np.float32),), tolerance=NOT_FINITE)


def _without_bias(model: ModelSpec) -> ModelSpec:
    """A bias hides sums that are small."""
    tensors = list(model.tensors)
    bias: AnyArray = np.asarray(tensors[2].data)
    tensors[2] = replace(tensors[2], data=np.where(np.arange(len(bias)) % 2, 0, bias))
    return replace(model, tensors=tuple(tensors))


def _vectors() -> Iterator[tuple[str, ModelSpec]]:
    for inputs in range(1, 10):
        for outputs in range(1, 10):
            model = real_dense((1, inputs), (1, outputs), activation=Activation(inputs % 4))
            yield f"vector_{inputs}_{outputs}", _without_bias(model)
    weights = random(5).normal(0, 1, (8, 33)) * 2.0 ** -random(6).integers(0, 150, (8, 33))
    yield "small_weights", real_dense((3, 33), (3, 8), weights=weights, bias=np.zeros(8))


def _images() -> Iterator[tuple[str, ModelSpec]]:
    relu, valid = Activation.RELU6, Padding.VALID
    for channels in range(1, 6):
        yield f"window_{channels}", conv((1, 5, 4, channels), outputs=9 - channels)
    yield "wide", conv((1, 3, 9, 2), (2, 5), outputs=6, strides=(1, 3), activation=relu)
    yield "valid", conv((1, 5, 6, 3), (3, 2), outputs=7, padding=valid)
    for width in range(3, 12):
        yield f"row_of_{width}", conv((1, 3, width, 2), outputs=4 + width % 4, padding=valid)
    yield "row_of_groups", conv((1, 3, 12, 4), outputs=10, groups=2)
    yield "row_dilated", conv((1, 4, 13, 3), outputs=5, dilations=(2, 3), strides=(1, 1))
    yield "dilated", conv((1, 6, 7, 3), outputs=5, dilations=(2, 3))
    yield "beyond", conv((1, 4, 4, 1), outputs=4, dilations=(5, 4))
    yield "pointwise", conv((2, 3, 2, 7), (1, 1), outputs=11)
    yield "groups", conv((1, 5, 4, 4), outputs=10, groups=2)
    for channels in range(3, 10):
        yield f"depthwise_{channels}", depthwise((1, 5, 4, channels), (3, 1 + channels % 3))
    yield "depthwise_dilated", depthwise((1, 6, 7, 5), (3, 2), dilations=(2, 3), activation=relu)
    yield "depthwise_strided", depthwise((1, 6, 7, 6), strides=(2, 2), padding=valid)
    yield "transposed", transpose_conv((1, 3, 4, 3), outputs=6)


@cache
def models() -> Mapping[str, ModelSpec]:
    """Vectors, and windows, which are made of integers."""
    return {**dict(_vectors()), **{name: real_model(model) for name, model in _images()}}


def test_kernels() -> None:
    """All with four outputs or more take such a kernel, on parts that compute with floats."""
    for name, model in models().items():
        outputs = model.tensors[-1].shape[-1]
        has_four = outputs >= 4 and name != "depthwise_3"
        assert (FOURS in kernel_of(model, "nrf52840")) is has_four, name
        assert FOURS not in kernel_of(model, "lm3s6965"), name


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Every one of them, with values that are subnormal, infinite and no number too."""
    cases = {
        name: with_ends(model, number) for number, (name, model) in enumerate(models().items())
    }
    assert not wrong_in_c(cases, part, folder=tmp_path)


def test_pieces_of_rows(tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    named = ("wide", "row_of_11", "row_of_groups", "row_dilated", "depthwise_5", "transposed")
    every = {f"{name}_in_pieces": with_ends(models()[name]) for name in named}
    cases = {
        name: replace(case, samples=(case.samples[0][:ORDINARY],)) for name, case in every.items()
    }
    assert_rows_in_pieces(cases, "nrf52840", folder=tmp_path)


BEGIN = "void model_invoke(void)\n{\n"
SET_FZ = """\
    __asm__ volatile("vmrs r0, fpscr" "\\n\\t"
                     "orr r0, r0, #0x1000000" "\\n\\t"
                     "vmsr fpscr, r0" : : : "r0");
"""


@pytest.mark.parametrize("part", PARTS[1:])
def test_firmware_that_flushes(part: str, tmp_path: Path) -> None:
    """With FPSCR.FZ, numbers below 2^-126 are 0, in vectors too where one of four sums is large."""
    generator = random(8)
    matrix = generator.normal(0, 1, (5, 9)) * 2.0 ** -generator.integers(0, 20, (5, 9))
    rows = generator.normal(0, 1, (40, 1, 9)) * 2.0 ** -generator.integers(100, 140, (40, 1, 9))
    bias = np.array([0, 1, 0, 2.0**-130, 0])
    model, samples = real_dense((1, 9), (1, 5), weights=matrix, bias=bias), rows.astype(np.float32)
    compiled = compile_model(Request(file_of(Case(model, (samples,))), "model", load_target(part)))
    text = compiled.files["model.c"]
    assert text.count(BEGIN) == 1
    flushing = replace(
        compiled, files={**compiled.files, "model.c": text.replace(BEGIN, BEGIN + SET_FZ)}
    )
    flushed = _flushed_sums(samples[:, 0], matrix, bias)
    kept = _flushed_sums(samples[:, 0], matrix, bias, least=0)
    assert (flushed != kept).any(axis=1).sum() > len(samples) // 2
    for each, expected in ((compiled, kept), (flushing, flushed)):
        outcome = run_model(each, load_target(part), samples.tobytes(), folder=tmp_path)
        assert outcome.output == expected.tobytes()


def _flushed_sums(
    rows: AnyArray, matrix: AnyArray, bias: AnyArray, *, least: float = 2.0**-126
) -> AnyArray:
    """In order, with operands and results below `least` taken for 0."""

    def flushed(values: AnyArray) -> AnyArray:
        return np.where(np.abs(values) < least, np.float32(0), values).astype(np.float32)

    inputs, weights, base = (flushed(each.astype(np.float32)) for each in (rows, matrix, bias))
    sums = np.zeros((len(rows), len(matrix)), np.float32)
    for value, weight in zip(inputs.T, weights.T, strict=True):
        sums = flushed(sums + flushed(value[:, None] * weight))
    return flushed(sums + base)
