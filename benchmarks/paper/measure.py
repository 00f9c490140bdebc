"""The accuracy of the paper's three models as C of this compiler, compared with TFLM."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.paper.data import KEPT, LABELS, Labelled, faces, noisy_sine, words
from benchmarks.paper.published import PERSON, SPEECH
from benchmarks.paper.scores import Counts, counts_of, squared_error
from models.keyword_synthetic.features import FrontEnd
from tests.support.tflm import tflm_outputs
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import unpack_samples
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.target.target import load_target

PERSON_LABELS = ("no person", "person")
UNIFORM, NORMAL = "uniform in ±0.1", "normal, deviation 0.1"

Int8s = npt.NDArray[np.int8]


@dataclass(frozen=True)
class SineError:
    """Of a sine model over noisy samples: its mean squared error, that of the noise alone, and how
    many outputs have TFLM's bytes."""

    model: str
    noise: str
    error: float
    noise_error: float
    samples: int
    equal: int


@dataclass(frozen=True)
class Answers:
    """Of a classifier: what it answered, and how many outputs have TFLM's bytes."""

    model: str
    labels: tuple[str, ...]
    counts: Counts
    samples: int
    equal: int


@dataclass(frozen=True)
class Run:
    """What the C of a model gives on this computer, [count, values], and TFLM's."""

    ours: Int8s
    tflm: Int8s

    @property
    def equal(self) -> int:
        """How many samples have the same bytes."""
        return int(np.sum(np.all(self.ours == self.tflm, axis=1)))


def run_both(model: bytes, name: str, inputs: Int8s) -> Run:
    """Both on the same inputs, [count, ...], of a model with one input and one output."""
    compiled = compile_model(Request(model, name, load_target("host")))
    (port,) = compiled.interface.inputs
    samples = inputs.reshape(len(inputs), *port.shape)
    outcome = run_on_arrays(
        compiled, load_target("host"), {port.tensor: samples}, where=f"data of {name}"
    )
    outputs = unpack_samples(compiled.interface, outcome.output)
    ours = outputs[compiled.interface.outputs[0].tensor]
    (tflm,) = tflm_outputs(model, [samples])
    shape = (len(inputs), -1)
    return Run(ours.astype(np.int8).reshape(shape), tflm.astype(np.int8).reshape(shape))


def sine_errors(name: str, model: bytes) -> list[SineError]:
    """Over samples with either noise; as the paper does, the noisy values are the true ones."""
    interface = compile_model(Request(model, "sine", load_target("host"))).interface
    (taken,), (given,) = interface.inputs, interface.outputs
    found = []
    for noise in (UNIFORM, NORMAL):
        x, noisy = noisy_sine(is_normal=noise == NORMAL)
        inputs = quantize_real(x.astype(np.float32), scale=taken.scale, zero_point=taken.zero_point)
        run = run_both(model, "sine", inputs.astype(np.int8))
        real = dequantize_real(run.ours[:, 0], scale=given.scale, zero_point=given.zero_point)
        errors = squared_error(real, noisy), squared_error(np.sin(x), noisy)
        found.append(SineError(name, noise, *errors, len(x), run.equal))
    return found


def answers_of(name: str, model: bytes, data: Labelled, labels: tuple[str, ...]) -> Answers:
    """The class with the largest output of each sample."""
    run = run_both(model, name, data.inputs)
    counts = counts_of(run.ours.argmax(axis=1), data.labels, len(labels))
    return Answers(name, labels, counts, len(data.labels), run.equal)


def classifiers(
    speech: bytes, person: bytes, *, mirror: Path | None, cache: Path, kept: Path
) -> list[Answers]:
    """Both, on spoken words and on faces; some of the words are written into `kept`."""
    said = words(FrontEnd(mirror=mirror, cache=cache))
    labels = said.labels[::KEPT].astype(np.uint8)
    np.savez_compressed(kept, features=said.inputs[::KEPT], labels=labels)
    return [
        answers_of(SPEECH, speech, said, LABELS),
        answers_of(PERSON, person, faces(), PERSON_LABELS),
    ]
