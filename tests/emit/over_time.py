"""Small models for what lives with a stream: front ends, windows, microphones, slides, slices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.decide.models import requantizing
from tests.support.chained import chained
from tests.support.front_end import front_end
from tests.support.wake_word import SMALL, wake_word
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.sensor.description import Description, read_description

FEATURES = (0.1, -128)
"""Scale and zero point."""
HEARD = """
[input]
features = "microfrontend"
pcan_strength = 0.5
[output]
head = "event"
threshold = 0.8
off_threshold = 0.5
window = 3
votes = [2, 4]
refractory = 10
"""
"""Features of a sound, and words that are heard in them."""


def described(text: str) -> Description:
    """The description of a text."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "sensor.toml"
        file.write_text(text, encoding="utf-8")
        return read_description(file)


def kernels_over_time() -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """(name, model, settings) of kernels that the compiler puts into the place of several nodes."""
    yield "front_end", build_model(front_end()), {}
    for keeps_whole, name in ((False, "windows"), (True, "whole_windows")):
        yield name, build_model(wake_word(replace(SMALL, keeps_whole=keeps_whole))), {}
    microphone = described('[input]\nfeatures = "microfrontend"\n')
    yield "microphone", requantizing(40, FEATURES, FEATURES), {"sensor": microphone}


def ways_over_time(rows: bytes) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """(name, model, settings with `arenas`), given a model that can run row by row."""
    own = (ArenaMode.STATIC, ArenaMode.CALLER)
    slid = {"push_rows": True, "slide": 1, "checked": True, "dump": False}
    yield "slid", rows, {**slid, "arenas": own}
    sliced = {"slices": True, "schedule": Mode.STREAM}
    yield "sliced", rows, {**sliced, "arenas": tuple(ArenaMode)}
    layer = conv((1, 5, 8, 16), outputs=16)
    kept = {"schedule": Mode.STREAM, "checked": True, "arenas": (ArenaMode.STATIC,)}
    yield "kept_rows", build_model(chained(layer, layer)), kept
    probabilities = (1 / 256, -128)
    heard = {"sensor": described(HEARD), "arenas": own}
    yield "heard", requantizing(40, FEATURES, probabilities), heard
