"""How far integer models are from a network in float32, on samples that no choice has seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.networks.data import Array, Examples
from tests.quantizer.runs import OPERATORS, graph_of
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.quantizer.core import float_core
from tinyml_rules.quantizer.quantize import quantize, write
from tinyml_rules.quantizer.request import Arrays, Quantized, QuantizeRequest
from tinyml_rules.quantizer.rewrite import REWRITES
from tinyml_rules.quantizer.rewrite.integer_forms import integer_forms

ONLY_IN_LITERT = ("gelu",)
"""Operators that TFLM does not have."""
SAMPLES = 60
"""For calibration, of those that trained the network."""


@dataclass(frozen=True, eq=False)
class Case:
    """A float32 model, samples for its calibration, and others that judge."""

    model: bytes
    calibration: Sequence[Array]
    unseen: Sequence[Array]

    @property
    def wanted(self) -> list[Array]:
        """What the float model makes of the others, on LiteRT."""
        return litert_outputs(self.model, self.unseen)


def case_of(model: bytes, train: Examples, unseen: Examples, seed: int) -> Case:
    """With samples for calibration that the seed draws."""
    places = np.random.default_rng(seed).choice(len(train), SAMPLES, replace=False)
    return Case(model, [each[places] for each in train.inputs], unseen.inputs)


def quantized(case: Case, *, is_plain: bool = False) -> Quantized:
    """The integer model by the calibration samples alone; `is_plain`: min/max, nothing chosen."""
    graph = graph_of(case.model)
    names = [graph.tensors[index].name for index in graph.inputs]
    arrays = Arrays("calibration", dict(zip(names, case.calibration, strict=True)))
    return quantize(QuantizeRequest(case.model, "model", arrays, is_plain=is_plain))


def simplified(model: bytes) -> bytes:
    """The float model with normalizations folded, as TensorFlow's own conversion leaves it."""
    graph = float_core(graph_of(model), OPERATORS).graph
    for each in REWRITES:
        if each is not integer_forms:  # TensorFlow does not have that one
            graph = each(graph, OPERATORS)
    return write(graph, OPERATORS)


def centred_db(model: bytes, case: Case, wanted: Sequence[Array]) -> float:
    """Centred SQNR of an integer model on TFLM, of operators that it lacks on LiteRT: each output
    value's mean over the samples is taken out of signal and error; of several outputs the mean."""
    graph = graph_of(model)
    sources = [graph.tensors[index] for index in graph.inputs]
    inputs = [
        quantize_real(values, scale=t.scale, zero_point=t.zero_point, dtype=str(t.dtype))
        for t, values in zip(sources, case.unseen, strict=True)
    ]
    is_in_tflm = not any(node.op in ONLY_IN_LITERT for node in graph.nodes)
    outputs_of = tflm_outputs if is_in_tflm else litert_outputs
    results = [graph.tensors[index] for index in graph.outputs]
    found = [
        dequantize_real(values, scale=t.scale, zero_point=t.zero_point)
        for t, values in zip(results, outputs_of(model, inputs), strict=True)
    ]
    pairs = [centred_sqnr(*each) for each in zip(wanted, found, strict=True)]
    return math.fsum(pairs) / len(pairs)


def centred_sqnr(wanted: Array, found: Array) -> float:
    """In dB, of [samples, *shape]."""
    signal = wanted.astype(np.float64)
    error = found.astype(np.float64) - signal
    squares = (float(np.square(each - each.mean(axis=0)).sum()) for each in (signal, error))
    return sqnr_db(*squares)
