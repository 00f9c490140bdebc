"""Inputs and outputs of int16 with weights of int8: the meaning of an operator, from that for int8.

With a bias of int64, or none, TFLM's sums have 64 bits, and are multiplied by 16 bits of the
multiplier; with one of int32 they have 32, and all is as for int8.  Zero points are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    INT32_MIN,
    Int64Array,
    of_16_bits,
)
from tinyml_rules.ir.c_struct import Short
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import bias_of, ends_of_sums
from tinyml_rules.ops._shared.operands import Operands
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle

_MOST_BIAS = 2**46
"""In size: TFLM's multiplication is for sums below 2^47, and products of int16 and int8 take no
part has room for so many that they reach 2^46."""
MOST_FACTOR = 2.0**7
"""The same for what sums are multiplied with."""
_MOST_RUN = 511
"""Products of int16 and int8 whose sum int32 holds."""

_FORMS: tuple[tuple[Rounding, dict[str, Any], str], ...] = (
    (Rounding.INT16, {}, "the bias is not int32"),
    (Rounding.INT16_ONCE, {}, "the bias is int32, or a sum can leave 32 bits"),
    (
        Rounding.INT16_WIDE,
        {"sum": "int64_t", "most_run": _MOST_RUN},
        "the bias is int32, or no sum can leave 32 bits",
    ),
)
"""Of each kernel: how it requantizes, its words, and where it cannot be taken."""


def int16_meaning(
    operands: Operands,
    check: Check,
    oracle: Oracle,
    prepare: Callable[[NodeView], Work[Sums]],
    *plain: Kernel[Sums],
    tiles: Iterable[Kernel[Sums]] = (),
    biases: tuple[DType, ...] = (DType.INT64, DType.INT32),
    is_same_in_litert: bool = True,
) -> Meaning[Sums]:
    """Of an operator with these rules for int8, kernels of templates that are for every element,
    and those of `tiles` for sums of 32 bits, which come first; `biases` are the types that TFLM
    takes.  Without a bias of int32, LiteRT's results may be the same."""
    return Meaning[Sums](
        takes=lambda view: view["input"].dtype is DType.INT16,
        operands=_operands(operands, biases),
        check=lambda view: chain(
            _check(view, check), _only_in_tflm(view, is_same_in_litert=is_same_in_litert)
        ),
        oracle=oracle,
        prepare=prepare,
        kernels=tuple(
            kernel
            for kernel in chain(_of_tiles(tiles), _of_plain(plain))
            if DType.INT32 in biases or kernel.rounding is not Rounding.INT16
        ),
    )


def _operands(of_int8: Operands, biases: tuple[DType, ...]) -> Operands:
    wide = (DType.INT16,)
    weights = replace(
        of_int8["weights"], types=(DType.INT8,), computed=(), may_have_zero_point=False
    )
    ends = {
        name: replace(of_int8[name], types=wide, scaled=wide, centred=wide)
        for name in ("input", "output")
    }
    bias = replace(of_int8["bias"], types=biases, is_constant=True)
    return {**of_int8, **ends, "weights": weights, "bias": bias}


def _of_tiles(tiles: Iterable[Kernel[Sums]]) -> Iterator[Kernel[Sums]]:
    for kernel in tiles:
        for rounding, words, otherwise in _FORMS:
            if not words:
                yield _rounded(replace(kernel, in_rows=None), rounding, otherwise)


def _of_plain(plain: Iterable[Kernel[Sums]]) -> Iterator[Kernel[Sums]]:
    for kernel in plain:
        for rounding, words, otherwise in _FORMS:
            yield _rounded(_kernel(kernel, words), rounding, otherwise)


def _rounded(kernel: Kernel[Sums], rounding: Rounding, otherwise: str) -> Kernel[Sums]:
    is_so = Condition[Sums](lambda sums: sums.requantization.rounding is rounding, otherwise)
    return replace(kernel, can=(*kernel.can, is_so)).rounded(rounding)


def _kernel(plain: Kernel[Sums], words: dict[str, Any]) -> Kernel[Sums]:
    has_runs = any("dot_product" in piece for piece in plain.runtime)
    variant: Any = plain.variant
    types = {"value": "int16_t", "dot_product": "dot_product_int16"}
    return replace(
        plain,
        runtime=(*(("dot_product_int16",) if has_runs else ()), "requantize"),
        in_rows=None,
        variant=replace(variant, has_nibbles=False, **types, **words),
    )


def _check(view: NodeView, check: Check) -> Iterator[str]:
    found = list(check(view))
    yield from found or constraints.rescaling(
        view["input"], view.output, weights=view["weights"], most=MOST_FACTOR
    )
    bias = view.optional("bias")
    if bias is not None and bias.data is not None and bias.dtype is DType.INT64:
        largest = int(bias.data.reshape(-1)[np.abs(bias.data.astype(np.float64)).argmax()])
        if abs(largest) > _MOST_BIAS:
            yield f"bias tensor {bias} has the value {largest}, expected at most 2^46 in size"


def _only_in_tflm(view: NodeView, *, is_same_in_litert: bool) -> Iterator[str]:
    """What is refused where LiteRT is the reference."""
    if view.reference is not RoundingReference.LITERT:
        return
    bias, source = view.optional("bias"), view["input"]
    if not is_same_in_litert:
        yield f"input tensor {source} is int16, supported only with rounding=tflm"
    elif bias is not None and bias.dtype is not DType.INT64:
        yield (
            f"bias tensor {bias} is {bias.dtype} with an input of int16, supported only with "
            "rounding=tflm"
        )


def of_int16(view: NodeView, sums: Sums) -> Sums:
    """The sums of such a node, from what they would be if they had 32 bits."""
    bias = view.optional("bias")
    if bias is not None and bias.dtype is DType.INT32:
        return _finished(sums, Rounding.INT16)
    values = bias_of(bias, sums.outputs)
    found, ends = sums.requantization, ends_of_sums(sums.matrix, values, DType.INT16.limits)
    is_wide = ends[0].min() < INT32_MIN or ends[1].max() > INT32_MAX
    multiplier = of_16_bits(found.multipliers)
    changed = replace(
        sums,
        bias=values if is_wide else values.astype(np.int32),
        requantization=found.stored(multiplier.astype(np.int16), np.atleast_1d(found.shift)),
        overflow=overflow_of_rescaled(*ends, multiplier, -found.right),
    )
    return _finished(changed, Rounding.INT16_WIDE if is_wide else Rounding.INT16_ONCE)


def _finished(sums: Sums, rounding: Rounding) -> Sums:
    """Requantized in a way that stays as it is."""
    found: Requantization = replace(
        sums.requantization,
        clamp_min=Short(sums.requantization.clamp_min),
        clamp_max=Short(sums.requantization.clamp_max),
        most_sum=None,
        rounding=rounding,
    )
    return replace(sums, element=Element.INT16X8, requantization=found)


def overflow_of_rescaled(
    least: Int64Array, most: Int64Array, multiplier: Int64Array, shift: Int64Array
) -> str:
    """What a warning says where a rescaled sum leaves int32; "" where none does."""
    exact = [end * multiplier / 2.0 ** (15 - shift) for end in (least, most)]
    beyond = np.maximum(exact[1] - INT32_MAX, INT32_MIN - exact[0])
    channel = int(beyond.argmax())
    if beyond[channel] <= 0:
        return ""
    reached = max((int(end[channel]) for end in exact), key=abs)
    return f"the rescaled sum of output {channel} can reach {reached}, beyond int32: it wraps"
