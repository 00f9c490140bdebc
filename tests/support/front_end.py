"""TFLM's audio front end as its script writes it, with tables of our own: 22 nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import AnyArray, Case, int32s, random, typed
from tinyml_rules.ops._shared.cases.signal import signal, signals, table

SAMPLES, LENGTH, CHANNELS, FIRST, END = 480, 512, 40, 5, 241
SUBTRACTION: Mapping[str, Any] = {
    "alternate_one_minus_smoothing": 15401,
    "alternate_smoothing": 983,
    "clamping": False,
    "min_signal_remaining": 819,
    "num_channels": CHANNELS,
    "one_minus_smoothing": 15975,
    "smoothing": 409,
    "smoothing_bits": 10,
    "spectral_subtraction_bits": 14,
}


def window() -> AnyArray:
    """Hann's, in units of 2^-12."""
    angles = 2 * np.pi * (np.arange(SAMPLES) + 0.5) / SAMPLES
    return np.floor(4096 * (0.5 - 0.5 * np.cos(angles)) + 0.5)


def bank() -> dict[str, AnyArray]:
    """Channels that become wider, each listed with some bins more than it has, of weight 0."""
    bounds = np.round(FIRST + (END - FIRST) * np.linspace(0, 1, CHANNELS + 2) ** 1.6).astype(int)
    widths = np.diff(bounds)
    listed = -(-widths // 4) * 4
    starts = np.cumsum([0, *listed[:-1]])
    found = {
        "weights": np.zeros(listed.sum()),
        "unweights": np.zeros(listed.sum()),
        "frequency_starts": bounds[:-1],
        "weight_starts": starts,
        "widths": listed,
    }
    for start, width in zip(starts, widths, strict=True):
        part = np.floor(4096 * (np.arange(width) + 0.3) / max(width, 1))
        found["weights"][start : start + width] = part
        found["unweights"][start : start + width] = 4096 - part
    return found


def gains() -> AnyArray:
    """(x / 2^7 + 80)^-0.95 in units of 2^-21, as polynomials between three of its values."""

    def gain(x: float) -> int:
        return int(min(2**21 * (x / 2**7 + 80) ** -0.95, 32767) + 0.5)

    found = np.zeros(125)
    found[:2] = gain(0), gain(1)
    for bits in range(2, 33):
        least = 2 ** (bits - 1)
        values = [gain(x) for x in (least, 1.5 * least, 2 * least - (bits == 32))]
        second = 4 * (values[1] - values[0]) - (values[2] - values[0])
        polynomial = (values[0], second, values[2] - values[0] - second)
        found[4 * bits - 6 : 4 * bits - 3] = polynomial
    return found


class Builder:
    """A model's tensors and nodes, one after the other."""

    def __init__(self, first: TensorSpec) -> None:
        self.tensors = [first]
        self.operators: list[OperatorSpec] = []

    def add(self, *tensors: TensorSpec) -> list[int]:
        """Their numbers."""
        self.tensors += tensors
        return list(range(len(self.tensors) - len(tensors), len(self.tensors)))

    def node(self, name: str, inputs: list[int], *outputs: TensorSpec) -> int:
        """A builtin operator; the number of its first output."""
        made = self.add(*outputs)
        self.operators.append(OperatorSpec(name, tuple(inputs), tuple(made)))
        return made[0]

    def signal(
        self, name: str, options: Mapping[str, Any], inputs: list[int], *outputs: TensorSpec
    ) -> int:
        """An operator of signals."""
        made = self.add(*outputs)
        self.operators.append(signal(f"Signal{name}", options, inputs, made))
        return made[0]


def front_end(
    *,
    weights: AnyArray | None = None,
    tables: Mapping[str, AnyArray] | None = None,
    subtraction: Mapping[str, Any] | None = None,
    first: int = FIRST,
    filling: int = 0,
    divisor: int = 666,
    snr_shift: int = 6,
    length: int = LENGTH,
) -> ModelSpec:
    """Samples to features; `filling` is what takes the place of the bins that do not count."""
    model = Builder(typed("samples", (1, SAMPLES), "int16"))
    at, bits = _spectrum(model, window() if weights is None else weights, length)
    at = _energies(model, at, first=first, filling=filling, bins=length // 2 + 1)
    found = {**bank(), **(tables or {})}
    given = model.add(*(table(name, values) for name, values in found.items()))
    channels = {"num_channels": CHANNELS}
    at = model.signal("FilterBank", channels, [at, *given], typed("sums", (CHANNELS,), "uint64"))
    at = model.signal("FilterBankSquareRoot", {}, [at, bits], typed("roots", (CHANNELS,), "uint32"))
    at = _logarithms(model, at, {**SUBTRACTION, **(subtraction or {})}, snr_shift)
    at = _bytes(model, at, divisor)
    return ModelSpec(tuple(model.tensors), tuple(model.operators), (0,), (at,))


def _spectrum(model: Builder, weights: AnyArray, length: int) -> tuple[int, int]:
    """The numbers of the spectrum and of how far it is scaled."""
    given = model.add(table("window", weights))
    at = model.signal(
        "Window", {"shift": 12}, [0, *given], typed("products", (1, SAMPLES), "int16")
    )
    shape = model.add(int32s("all", [-1]))
    at = model.node("RESHAPE", [at, *shape], typed("flat", (SAMPLES,), "int16"))
    outputs = typed("scaled", (SAMPLES,), "int16"), typed("bits", (), "int32")
    at = model.signal("FftAutoScale", {}, [at], *outputs)
    numbers = typed("spectrum", (length + 2,), "int16")
    return model.signal("Rfft", {"T": 7, "fft_length": length}, [at], numbers), at + 1


def _energies(model: Builder, at: int, *, first: int, filling: int, bins: int) -> int:
    """Those of some bins; others are cut off, and something else takes their place."""
    ends = {"start_index": first, "end_index": END}
    at = model.signal("Energy", ends, [at], typed("energies", (bins,), "uint32"))
    at = model.node("CAST", [at], typed("signed", (bins,), "int32"))
    places = model.add(int32s("begin", [first]), int32s("end", [END]), int32s("step", [1]))
    at = model.node("STRIDED_SLICE", [at, *places], typed("part", (END - first,), "int32"))
    below = model.add(int32s("below", [filling] * first)) if first else []
    above = model.add(int32s("above", [0] * (bins - END)))
    at = model.node("CONCATENATION", [*below, at, *above], typed("joined", (bins,), "int32"))
    return model.node("CAST", [at], typed("unsigned", (bins,), "uint32"))


def _logarithms(model: Builder, at: int, subtraction: Mapping[str, Any], snr_shift: int) -> int:
    """Of what is above the noise, times a gain."""
    pair = typed("rest", (CHANNELS,), "uint32"), typed("noise", (CHANNELS,), "uint32")
    at = model.signal("FilterBankSpectralSubtraction", subtraction, [at], *pair)
    inputs = [at, at + 1, *model.add(table("gains", gains()))]
    ratio = typed("ratio", (CHANNELS,), "uint32")
    at = model.signal("PCAN", {"snr_shift": snr_shift}, inputs, ratio)
    options = {"input_correction_bits": 3, "output_scale": 64}
    return model.signal("FilterBankLog", options, [at], typed("logs", (CHANNELS,), "int16"))


def _bytes(model: Builder, at: int, divisor: int) -> int:
    """The logarithms as int8."""
    at = model.node("CAST", [at], typed("wide", (CHANNELS,), "int32"))
    steps = (("MUL", 256), ("ADD", divisor // 2), ("DIV", divisor), ("ADD", -128))
    for name, number in (*steps, ("MINIMUM", 127), ("MAXIMUM", -128)):
        data = np.array(number, np.int32)
        value = model.add(TensorSpec(f"{name} {number}", (), "int32", data=data))
        at = model.node(name, [at, *value], typed(f"after {name} {number}", (CHANNELS,), "int32"))
    return model.node("CAST", [at], typed("features", (CHANNELS,), "int8"))


def with_logs(model: ModelSpec) -> ModelSpec:
    """The logarithms are an output, too."""
    (logs,) = (at for at, tensor in enumerate(model.tensors) if tensor.name == "logs")
    return replace(model, outputs=(*model.outputs, logs))


def frames(count: int) -> AnyArray:
    """Noise of every loudness, both ends, silence, a chirp, then tones of a voice that is loud and
    quiet by turns."""
    time = np.arange(count * 320 + SAMPLES) / 16000
    loudness = 9000 * np.abs(np.sin(2 * np.pi * 1.7 * time)) ** 3
    voice = sum(np.sin(2 * np.pi * 130 * k * time + k) / k for k in range(1, 25))
    hiss = random(5).normal(0, 20, time.size)
    spoken = (loudness * voice / 3 + hiss).clip(-32768, 32767).astype(np.int16)
    overlapping = np.stack([spoken[320 * k : 320 * k + SAMPLES] for k in range(count)])
    return np.concatenate([signals(count, (SAMPLES,)), overlapping])[:, None]


def sequence(model: ModelSpec, *, count: int = 24) -> Case:
    """Frame after frame, with the estimates of noise that are kept."""
    return Case(model, (frames(count),), is_sequence=True)
