"""The options that are paired, what is refused by design, and a compilation of each row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.pairs.covering import Row, Value
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ir.signing import Signing
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import bias, constant, quantized
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.plan.groups import Ram
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.sensor.description import read_description
from tinyml_rules.target.target import Target

SWITCH = ("no", "yes")
FACTORS: Mapping[str, tuple[str, ...]] = {
    "weights": ("flash", "packed", "external", "partition"),
    "page": ("64", "3"),
    "signature": ("none", "hmac", "ed25519"),
    "optimize": ("size", "balanced", "speed", "layers"),
    "sensor": ("none", "raw", "decisions", "both"),
    "arena": ("static", "caller", "shared"),
    "schedule": ("auto", "layer", "stream"),
    "ram": ("fastest", "least"),
    "rounding": ("tflm", "litert"),
    "push_rows": SWITCH,
    "slices": SWITCH,
    "partition": SWITCH,
    "profile": SWITCH,
    "hooks": SWITCH,
    "selftest": SWITCH,
    "dump": SWITCH,
    "checked": SWITCH,
    "dequantize": SWITCH,
    "constant_time": SWITCH,
    "loop_limits": SWITCH,
}
"""`profile`: with marks, as `run --profile` compiles; `dequantize` changes nothing of int8."""
REFUSED: Mapping[frozenset[Value], str] = {
    frozenset({("weights", "partition"), ("selftest", "yes")}): (
        "selftest with weights=partition, which another model may take the place of"
    ),
    **{
        frozenset({("weights", "partition"), ("sensor", value)}): (
            "sensor with weights=partition, which another model may take the place of"
        )
        for value in ("raw", "decisions", "both")
    },
    **{
        frozenset({("signature", signature), other}): "without an image, expected weights=partition"
        for signature in ("hmac", "ed25519")
        for other in (
            *(("weights", where) for where in ("flash", "packed", "external")),
            *(("sensor", value) for value in ("raw", "decisions", "both")),
            ("selftest", "yes"),
        )
    },
    frozenset({("slices", "yes"), ("push_rows", "yes")}): (
        "slices, which need the whole input, and push_rows exclude each other"
    ),
    frozenset({("partition", "yes"), ("push_rows", "yes")}): (
        "partition, which takes whole tensors, and push_rows exclude each other"
    ),
}
"""What cannot be had together, and what the error says of it."""
CLASSES = 8
SCALE, ZERO_POINT = 1 / 32, -7
SIDE, CHANNELS = 8, 2
SHAPE = (1, SIDE, SIDE, CHANNELS)
RAW = f'[input]\nraw = "int16"\nscale = {SCALE / 4}\n'
"""Four raw values a step, so that `raw_of` knows one for each quantized value."""
DECISIONS = '[output]\nhead = ["argmax", "threshold"]\nthreshold = 0.25\n'


def is_allowed(one: Value, other: Value) -> bool:
    """Whether two values may occur together."""
    return frozenset({one, other}) not in REFUSED


def raw_of(values: np.typing.NDArray[np.int8]) -> bytes:
    """Raw values that the description makes these of; none of them exact."""
    raw = 4 * (values.astype(np.int64) - ZERO_POINT) + 1
    return raw.astype("<i2").tobytes()


@cache
def model() -> bytes:
    """CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED with few different weights, SOFTMAX."""
    generator = np.random.default_rng(5)
    maps, half = 4, SIDE // 2
    dense = generator.choice((-2, -1, 0, 0, 0, 1, 2), (CLASSES, maps * half * half))
    tensors = (
        quantized("image", SHAPE, scale=SCALE, zero_point=ZERO_POINT),
        constant(
            "w1", generator.integers(-127, 128, (maps, 3, 3, CHANNELS)), scales=(2.0**-8,) * maps
        ),
        bias(generator.integers(-900, 900, maps), scales=(SCALE * 2.0**-8,) * maps),
        quantized("maps", (1, SIDE, SIDE, maps), scale=0.05, zero_point=-11),
        constant(
            "w2", generator.integers(-127, 128, (1, 3, 3, maps)), scales=(2.0**-7,) * maps, axis=3
        ),
        bias(generator.integers(-900, 900, maps), scales=(0.05 * 2.0**-7,) * maps),
        quantized("small", (1, half, half, maps), scale=0.07, zero_point=3),
        constant("w3", dense, scales=(0.11,)),
        bias(generator.integers(-90, 90, CLASSES), scales=(0.07 * 0.11,)),
        quantized("logits", (1, CLASSES), scale=0.05, zero_point=1),
        TensorSpec("scores", (1, CLASSES), scales=(1 / 256,), zero_points=(-128,)),
    )
    conv = {"Padding": Padding.SAME, "StrideH": 1, "StrideW": 1}
    depthwise = {"Padding": Padding.SAME, "StrideH": 2, "StrideW": 2, "DepthMultiplier": 1}
    operators = (
        OperatorSpec("CONV_2D", (0, 1, 2), (3,), conv),
        OperatorSpec("DEPTHWISE_CONV_2D", (3, 4, 5), (6,), depthwise),
        OperatorSpec("FULLY_CONNECTED", (6, 7, 8), (9,), {}),
        OperatorSpec("SOFTMAX", (9,), (10,), {"Beta": 1.0}),
    )
    return build_model(ModelSpec(tensors, operators, (0,), (10,)))


def request_of(row: Row, name: str, target: Target, folder: Path) -> Request:
    """What a row asks for."""
    texts = {"none": "", "raw": RAW, "decisions": DECISIONS, "both": RAW + DECISIONS}
    sensor = None
    if texts[row["sensor"]]:
        file = folder / f"{name}.sensor.toml"
        file.write_text(texts[row["sensor"]], encoding="utf-8")
        sensor = read_description(file)
    switches: dict[str, Any] = {
        each: row[each] == "yes"
        for each in (
            "push_rows",
            "slices",
            "partition",
            "hooks",
            "selftest",
            "dump",
            "checked",
            "dequantize",
            "constant_time",
            "loop_limits",
        )
    }
    return Request(
        model(),
        name,
        target,
        weights=Weights(row["weights"]),
        page_bytes=int(row["page"]),
        signature=Signing(row["signature"]),
        arena=ArenaMode(row["arena"]),
        schedule=Mode(row["schedule"]),
        ram=Ram(row["ram"]),
        optimize=Optimize(row["optimize"]),
        rounding=RoundingReference(row["rounding"]),
        sensor=sensor,
        marked=row["profile"] == "yes",
        **switches,
    )
