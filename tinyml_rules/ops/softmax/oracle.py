"""SOFTMAX in numpy: exponentials of the distances from the largest value, their sum in Q12, its
reciprocal, one product a value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.exponential import exp_on_negative_values, reciprocal_of_one_plus
from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    Int64Array,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_high_multiply,
    rounding_shift_right,
)
from tinyml_rules.arithmetic.interpolated import interpolated, softmax_tables
from tinyml_rules.arithmetic.real_exponential import real_exp
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.real_maps import in_order
from tinyml_rules.ops.softmax.op import Attrs

INPUT_FRACTION_BITS = 26
SUM_INTEGER_BITS = 12


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
    vectors = values[source.index].reshape(-1, source.shape[-1]).astype(np.int64)
    exponentials = _exponentials(view, vectors - vectors.max(axis=1, keepdims=True))
    sums = rounding_shift_right(exponentials, SUM_INTEGER_BITS).sum(axis=1, keepdims=True)
    headroom = np.array([[32 - int(total).bit_length()] for total in sums[:, 0]], np.int64)
    scales = reciprocal_of_one_plus((sums << headroom) - 2**31)
    # the sum has 12 integer bits and the result keeps 8 or 16 of 31 bits
    dtype = view.output.dtype
    exponents = SUM_INTEGER_BITS - headroom + 31 - dtype.bits
    results = rounding_shift_right(rounding_high_multiply(scales, exponentials), exponents)
    least, most = dtype.limits
    quantized = np.clip(results + least, least, most)
    return quantized.astype(dtype.numpy).reshape(view.output.shape)


def _exponentials(view: NodeView, differences: Int64Array) -> Int64Array:
    """exp(beta * scale * difference) in Q0, of differences that are 0 or less; 0 where the exponent
    has more than the five integer bits of gemmlowp's function."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    real = min(attrs.beta * view["input"].scale * 2.0**INPUT_FRACTION_BITS, float(INT32_MAX))
    multiplier, shift = quantize_multiplier(real)
    is_near = differences * 2**shift >= -31 * 2**INPUT_FRACTION_BITS
    raised = np.where(is_near, differences, 0) * 2**shift
    exponents = rounding_high_multiply(raised, multiplier)
    return np.where(is_near, exp_on_negative_values(exponents), 0)


def oracle_of_int16(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of int16, between entries of tables; `SoftmaxInt16`."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    vectors = values[source.index].reshape(-1, source.shape[-1]).astype(np.int64)
    distances = multiply_by_quantized_multiplier(
        vectors - vectors.max(axis=1, keepdims=True),
        *quantize_multiplier(float(source.scale) * float(attrs.beta) / (10.0 / 65535.0)),
    )
    of_exp, of_inverse = softmax_tables(in_double=view.reference is RoundingReference.LITERT)
    exponentials = interpolated(np.clip(distances + 32767, -32768, 32767), of_exp)
    sums = exponentials.sum(axis=1, keepdims=True)
    places = np.array([[int(total).bit_length() - 1] for total in sums[:, 0]], np.int64)
    above_one = (((sums << (30 - places)) + 2**13) >> 14) - 2**15 - 2**16
    scales = interpolated(np.clip(above_one, -32768, 32767), of_inverse)
    results = (exponentials * scales + (np.int64(1) << (places - 1))) >> places
    return np.asarray(np.clip(results, 0, 32767), np.int16).reshape(view.output.shape)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers, each step in float32, and the exponentials added up in order.

    The exponentials are not those of a C library, because libraries differ in the last bit."""
    attrs, source = view.node.attrs, values[view["input"].index].astype(np.float32)
    assert isinstance(attrs, Attrs)
    with np.errstate(all="ignore"):
        distances = source - np.fmax.reduce(source, axis=-1, keepdims=True)
        terms = real_exp(distances * np.float32(attrs.beta))
        return terms / in_order(terms)
