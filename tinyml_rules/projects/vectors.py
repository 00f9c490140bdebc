"""Inputs with the outputs that the reference gives for them: the test of a new project."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyml_rules.compare.reference import CHOICES, chosen_reference, known_tensors
from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.graph import Array
from tinyml_rules.request.graph import graph_of
from tinyml_rules.runners.pattern import pattern_inputs

SAMPLES = 4


@dataclass(frozen=True, eq=False)
class Vectors:
    """`arrays`: inputs and outputs by tensor, with a leading axis of samples; empty where the
    reference has no outputs.  `reference`: how a sentence calls it."""

    arrays: Mapping[str, Array]
    reference: str

    @property
    def file(self) -> bytes:
        """The bytes of the .npz file."""
        written = io.BytesIO()
        arrays: dict[str, Any] = dict(self.arrays)
        np.savez_compressed(written, **arrays)
        return written.getvalue()


def recorded_vectors(compiled: Compiled) -> Vectors:
    """The outputs of the reference, TFLM where it is installed and takes the model, else the
    operators' definitions in numpy, for pseudo-random inputs."""
    request, interface = compiled.request, compiled.interface
    assert request is not None
    graph = graph_of(request)
    reference = chosen_reference(None, graph)
    inputs = pattern_inputs(interface, samples=SAMPLES)
    samples = list(zip(*(inputs[port.tensor] for port in interface.inputs), strict=True))
    try:
        known = known_tensors(reference, request.model, graph, request.operators, samples)
    except UnsupportedError:  # TFLM has not every operator
        return Vectors({}, CHOICES[reference])
    outputs: dict[str, Array] = {}
    for port, index in zip(interface.outputs, graph.outputs, strict=False):
        values = [by(0, index) for by in known]
        given = [each for each in values if each is not None]
        if len(given) == SAMPLES:
            outputs[port.tensor] = np.stack(given).reshape(SAMPLES, *port.shape)
    is_whole = len(outputs) == len(interface.outputs)
    return Vectors({**inputs, **outputs} if is_whole else {}, CHOICES[reference])
