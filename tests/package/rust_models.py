"""Models of every kind of interface, as packages of Rust for parts of several families."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.package.rust_builds import Package
from tests.partition.models import MODELS
from tests.slide.networks import spotter
from tests.support.wake_word import SMALL, wake_word
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.spatial import Padding

KWS_LABELS = ("down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes", "none", "?")
DECISIONS = f"""\
[input]
raw = "int16"
range = [-2000, 2000]
[output]
head = ["argmax", "top-k", "threshold", "fixed-point"]
k = 3
threshold = 0.5
labels = {list(KWS_LABELS)}
"""


def packages_of(folder: Path, kws: Path) -> dict[str, Package]:
    """By name; their files, but for that of keywords, are made in a folder."""
    for name in ("int16", "several", "uint8"):
        (folder / f"{name}.tflite").write_bytes(MODELS[name].file)
    (folder / "bools.tflite").write_bytes(of_bools())
    (folder / "wake.tflite").write_bytes(build_model(wake_word(SMALL)))
    (folder / "spotter.tflite").write_bytes(spotter(Padding.VALID))
    (folder / "decides.toml").write_text(DECISIONS)
    made = (
        Package("kws", kws, "nrf52840", ("--selftest",)),
        Package("decides", kws, "riscv32imc", (f"--sensor={folder / 'decides.toml'}",)),
        Package("rows", kws, "rp2040", ("--push-rows",)),
        Package("several", folder / "several.tflite", "stm32f405"),
        Package("int16", folder / "int16.tflite"),
        Package("uint8", folder / "uint8.tflite"),
        Package("bools", folder / "bools.tflite"),
        Package("wake", folder / "wake.tflite", "mps3_an547", ("--slices",)),
        Package("spotter", folder / "spotter.tflite", "host", ("--push-rows", "--slide=2")),
    )
    return {each.name: each for each in made}


def of_bools() -> bytes:
    """Comparisons of bytes and of what a comparison gives: bool in, bool out."""
    tensors = (
        TensorSpec("x", (1, 6), scales=(0.5,), zero_points=(3,)),
        TensorSpec("mask", (1, 6), "bool"),
        TensorSpec(
            "same", (1, 6), scales=(0.5,), zero_points=(3,), data=np.arange(6, dtype=np.int8)[None]
        ),
        TensorSpec("less", (1, 6), "bool"),
        TensorSpec("both", (1, 6), "bool"),
        TensorSpec("not", (1, 6), "bool"),
    )
    operators = (
        OperatorSpec("LESS", (0, 2), (3,)),
        OperatorSpec("LOGICAL_AND", (3, 1), (4,)),
        OperatorSpec("LOGICAL_NOT", (4,), (5,)),
    )
    return build_model(ModelSpec(tensors, operators, inputs=(0, 1), outputs=(4, 5)))
