"""Small models that among them use every kernel, every piece of C and every way to use memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.decide.models import requantizing
from tests.emit.for_speed import FOR_SPEED, vectors_for_speed
from tests.emit.over_time import kernels_over_time, ways_over_time
from tests.emit.small_networks import average, descending, small_layers
from tests.ops.test_int16_streams import network as int16_network
from tests.passes.test_widen_weights import IN_FLASH, PAIRS
from tests.support.chained import chained
from tests.support.combined import targets_of_own_pieces
from tests.support.first_layers import first_layers
from tests.support.operator_cases import OPERATORS, cases_of, file_of, samples_of
from tests.weights.external import conv_then_dense
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.emit import runtime
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.rounding import plain_kernel
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.lower.far_weights import FEATURE, move_weights_far
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.cases.plain_reduction import plain_reduction
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.cases.reduction import reduction
from tinyml_rules.ops._shared.cases.uint8 import in_uint8
from tinyml_rules.ops.cast.cases import cast
from tinyml_rules.ops.concatenation.cases import concatenation
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.packed_cases import rows_of_widths
from tinyml_rules.ops.pad.cases import pad
from tinyml_rules.ops.reshape.cases import reshape
from tinyml_rules.ops.split.cases import split
from tinyml_rules.ops.strided_slice.cases import strided_slice
from tinyml_rules.ops.transpose_conv.cases import transpose_conv
from tinyml_rules.plan import programs
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.sensor.description import Description
from tinyml_rules.sensor.named import ONLY
from tinyml_rules.sensor.output import Head, Output
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.target.toolchain import MemoryRegion

IMAGE = (1, 5, 4, 3)
"""What the convolution of the cases makes."""
PAGED = (
    *("conv_2d_same", "conv_2d_relu_at_lowest", "conv_2d_batches", "conv_2d_dilations_2"),
    *("conv_2d_batches_dilated", "conv_2d_groups", "depthwise_conv_2d_many_channels"),
    "depthwise_conv_2d_batches",
    *("fully_connected_per_tensor", "fully_connected_per_axis"),
    *("fully_connected_rows", "fully_connected_per_axis_rows"),
)
"""Samples whose kernels have a form for weights outside flash that no other of them has."""
PACKED = (
    *("fully_connected_packed_few_inputs", "fully_connected_packed_per_axis"),
    *("fully_connected_rows_of_few_bits", "fully_connected_per_axis_rows_of_few_bits"),
)
"""Samples with weights that are worth packing."""
WEIGHTED = tuple(
    op.name
    for op in builtin_operators().in_files
    if any(kernel.has_far_form for kernel in op.kernels)
)
"""Operators whose weights can lie far."""
_PIECES = runtime.all_pieces()
_PARAMS = "_params"
COMPARED = ("bool", "uint8", "int16", "int32", "int64", "float32")
REDUCED = {
    **dict.fromkeys(("REDUCE_ALL", "REDUCE_ANY"), ("bool",)),
    **dict.fromkeys(("REDUCE_MAX", "REDUCE_MIN"), ("int8", *COMPARED)),
    "REDUCE_PROD": ("bool", "int32", "int64", "float32"),
    "MEAN": ("uint8",),
    "SUM": ("bool", "uint8", "int32"),
}
"""By element type."""
SCORED = (24, 33_026)
"""Values of which the squares fit int32, and of which they do not."""
_HEAD = Output("[output]", (Head.MEAN_SQUARED_DIFFERENCE,), 0, (), None, (), "", keeps_scores=False)
_SCORE = Description("score.toml", {}, {ONLY: _HEAD})


@dataclass(frozen=True, eq=False)
class Sample:
    """A model, and fields of the request that compiles it."""

    name: str
    model: bytes
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_far: bool = False
    is_way: bool = False
    """It is there for a way to use memory, whatever its kernels are."""

    @property
    def may_call_pieces(self) -> bool:
        """Whether it is of an operator with sums of products, by its name."""
        return any(operator in self.name for operator in WEIGHTED)


def everything(target_name: str) -> tuple[Compiled, ...]:
    """Every sample, compiled for the target; where the C is another target's but for pieces of a
    core, those that may call them."""
    target = _with_region(load_target(target_name))
    is_of_pieces = target_name in targets_of_own_pieces()
    found = [each for each in samples(target) if each.may_call_pieces or not is_of_pieces]
    return tuple(_needed([(each, _compile(each, target)) for each in found]))


def words_of(compiled: Compiled) -> set[str]:
    """What the C of a model has of its own: kernels, their params, and pieces of the runtime.

    Kernels that differ in how they requantize are one: the piece that does it is a word too."""
    text, prefix = compiled.files[f"{compiled.interface.name}.c"], f"{compiled.interface.name}_"
    words = {*re.findall(rf"\b{prefix}(\w+)", text)}
    functions = re.findall(rf"\bstatic void {prefix}(\w+)\(", text)
    params = (each.removesuffix(_PARAMS) for each in words if each.endswith(_PARAMS))
    return {plain_kernel(each) for each in (*functions, *params)} | words & _PIECES


def _needed(compiled: Sequence[tuple[Sample, Compiled]]) -> Iterator[Compiled]:
    """Those with a kernel or a piece that none before them has, and every way to use memory."""
    seen: set[str] = set()
    for sample, each in compiled:
        words = words_of(each)
        if words - seen or sample.is_way:
            yield each
        seen |= words


def samples(target: Target) -> Iterator[Sample]:
    """Each kernel alone, then models of several layers in every arena."""
    for name, model, settings in _of_one_layer():
        yield Sample(name, model, settings)
        if name in PAGED:
            yield Sample(f"{name}_paged", model, {**settings, "weights": Weights.EXTERNAL})
        has_far = FEATURE in target.features and name.startswith(WEIGHTED)
        if has_far:
            yield Sample(f"{name}_far", model, settings, is_far=True)
        if name in FOR_SPEED:
            for_speed = {**settings, "optimize": Optimize.SPEED}
            yield Sample(f"{name}_for_speed", model, for_speed)
            if has_far:
                yield Sample(f"{name}_far_for_speed", model, for_speed, is_far=True)
        if name in PACKED:
            packed = {**settings, "weights": Weights.PACKED}
            yield Sample(f"{name}_packed", model, packed, is_far=has_far)
            yield Sample(f"{name}_packed_near", model, packed)
    for count in SCORED if target.memory is None else SCORED[:1]:
        model = requantizing(count, (0.5, -128), (0.4, -128))
        yield Sample(f"score_of_{count}", model, {"sensor": _SCORE, "arena": ArenaMode.CALLER})
    for name, model, settings in _of_several_layers(has_region=target.memory is not None):
        for arena in settings.pop("arenas"):
            its = {**settings, "arena": arena}
            yield Sample(f"{name}_{arena}", model, its, is_way=True)


@cache
def _of_one_layer() -> tuple[tuple[str, bytes, Mapping[str, Any]], ...]:
    """The same for every target, made once."""
    return tuple(_single_kernels())


def _single_kernels() -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """(name, model, settings) of each kernel; of those for rows with a layer that makes rows."""
    for operator in OPERATORS:
        wrapping = (name for name in cases_of(operator) if name.startswith("sums_wrap"))
        for name in (*samples_of(operator), *wrapping):
            yield f"{operator}_{name}", file_of(cases_of(operator)[name]), {}
    for name in samples_of("fully_connected"):
        case = cases_of("fully_connected")[name]
        if case.samples[0].dtype != np.int16:  # which LiteRT requantizes as TFLM does not
            yield f"nearest_{name}", file_of(case), {"rounding": RoundingReference.LITERT}
    yield from sums_of_rows()
    rows = {"schedule": Mode.STREAM}
    yield from vectors_for_speed()
    yield "shifted_rows", build_model(pad()), {}
    yield from kernels_over_time()
    for name in IN_FLASH:
        yield f"{name}_widened", build_model(PAIRS[name].narrow), {"dequantize": True}
    odd = strided_slice(IMAGE, (0, 1, 0, 0), (1, 5, 4, 3), (1, 2, 2, 1), result=(1, 2, 2, 3))
    yield "image_rows", build_model(odd), {}
    yield "join", build_model(concatenation(((1, 3, 4, 2), (1, 3, 4, 5)), axis=3)), {}
    yield "part", build_model(split((1, 3, 4, 6), axis=3)), {}
    spread = chained(conv(), transpose_conv(IMAGE))
    yield "divided_rows", build_model(spread), {**rows, "checked": True}


def sums_of_rows() -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """(name, model, settings) of each kernel that takes its input in pieces, after a layer that
    makes rows."""
    rows = {"schedule": Mode.STREAM}
    of_nine_outputs = (np.arange(9 * 60) % 16 - 8).astype(np.int8).reshape(9, 60)
    for is_per_axis, name in ((False, "fully_connected"), (True, "fully_connected_per_axis")):
        yield f"{name}_rows", build_model(conv_then_dense(is_per_axis=is_per_axis)), rows
        for end, values in (("", None), ("_of_nine_outputs", of_nine_outputs)):
            in_nibbles = conv_then_dense(is_per_axis=is_per_axis, bits=4, values=values)
            yield f"{name}_rows_of_int4{end}", build_model(in_nibbles), rows
        few_bits = conv_then_dense(is_per_axis=is_per_axis, values=rows_of_widths(40, 60))
        yield f"{name}_rows_of_few_bits", build_model(few_bits), rows
    yield "average_rows", build_model(average()), rows
    yield "average_rows_of_eight", build_model(average(9)), rows
    yield "average_rows_of_uint8", build_model(in_uint8(average())), rows
    for operator in ("MEAN", "SUM"):
        model = chained(conv(), reduction(operator, IMAGE))
        yield f"{operator.lower()}_rows", build_model(model), rows
        yield f"{operator.lower()}_rows_of_int16", build_model(int16_network(operator)), rows
    for operator, dtypes in REDUCED.items():
        for dtype in dtypes:
            name = f"{operator.lower()}_rows_of_{dtype}"
            yield name, build_model(_reduced(operator, dtype)), rows


def _of_several_layers(*, has_region: bool) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """(name, model, settings) where memory is used in ways that a single kernel does not know."""
    rows, no_step = build_model(conv_then_dense(is_per_axis=False)), build_model(reshape())
    layers = build_model(small_layers())
    # a window of one row on an image of one
    one_pixel = build_model(pool("AVERAGE_POOL_2D", (1, 1, 1, 4), (1, 1), strides=(3, 3)))
    every, others = tuple(ArenaMode), (ArenaMode.CALLER, ArenaMode.SHARED)
    static, caller, shared = ((arena,) for arena in ArenaMode)
    pushed = {"push_rows": True}
    paged = {"weights": Weights.EXTERNAL, "page_bytes": 7}
    yield "no_step", no_step, {"arenas": every}
    yield "one_pixel", one_pixel, {"arenas": every}
    yield "descending", build_model(descending()), {"schedule": Mode.LAYER, "arenas": caller}
    yield "layer", layers, {"schedule": Mode.LAYER, "checked": True, "arenas": caller}
    yield "stream", layers, {"schedule": Mode.STREAM, "checked": True, "arenas": static}
    yield "groups", layers, {"ram": "least", "checked": True, "arenas": caller}
    yield "groups_in_pieces", first_layers(), {"ram": "least", "arenas": static}
    yield "rows", rows, {"schedule": Mode.STREAM, "arenas": others}
    yield "pushed", rows, {**pushed, "arenas": every}
    yield from ways_over_time(rows)
    yield "pushed_checked", rows, {**pushed, "checked": True, "arenas": shared}
    yield "pushed_paged", rows, {**pushed, **paged, "arenas": caller}
    exchanged = {"weights": Weights.PARTITION, "selftest": False}
    yield "exchanged", layers, {**exchanged, "arenas": others}
    yield "exchanged_nothing", no_step, {**exchanged, "arenas": static}
    if has_region:
        yield "no_step_apart", no_step, {"places": _places("input"), "arenas": others}
        yield "all_apart", one_pixel, {"places": _places("input", "output"), "arenas": others}
        yield "pushed_apart", rows, {**pushed, "places": _places("input"), "arenas": caller}


def _reduced(operator: str, dtype: str) -> ModelSpec:
    """A convolution, its values as others, and these reduced."""
    reduced = plain_reduction(operator, dtype, IMAGE)
    source = reduced.tensors[0]
    same = {"scales": source.scales, "zero_points": source.zero_points}
    return chained(conv(), with_tensor(cast("int8", dtype, IMAGE), 1, **same), reduced)


def _places(*tensors: str) -> tuple[tuple[str, str], ...]:
    return tuple((tensor, "fast") for tensor in tensors)


def _with_region(target: Target) -> Target:
    """The same part with a further region of memory; the host has none."""
    if target.memory is None:
        return target
    regions = {"fast": MemoryRegion(0, 1024)}
    return replace(target, memory=replace(target.memory, regions=regions))


def _compile(sample: Sample, target: Target) -> Compiled:
    rule = partial(move_weights_far, near_bytes=0) if sample.is_far else move_weights_far
    with patch.object(programs, "move_weights_far", rule):
        has_more = _has_more(sample)
        settings = {"selftest": has_more, "dump": has_more, **sample.settings}
        return compile_model(Request(sample.model, sample.name, target, **settings))


def _has_more(sample: Sample) -> bool:
    """Functions beside the inference: for ways to use memory, far weights, and inputs that not
    every pattern of bytes is one of."""
    words = set(sample.name.split("_"))
    return sample.is_way or sample.is_far or not words.isdisjoint(("bool", "float32", "paged"))
