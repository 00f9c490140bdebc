"""A device's inferences once more: whether its outputs are those that the reference gives for its
inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.compare.log import Recording
from tinyml_rules.compare.reference import Known, Sample, known_tensors
from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.ir.interface import Interface
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.runners.arrays import first_difference, unpack_samples


@dataclass(frozen=True, eq=False)
class Replay:
    """`inputs` by tensor, with a leading axis of samples; `difference` of the outputs printed, as a
    sentence, empty where there is none; `compared`: inferences whose outputs were printed."""

    inputs: dict[str, Array]
    compared: int
    difference: str


def replayed(
    recording: Recording,
    interface: Interface,
    *,
    model: bytes,
    file_graph: Graph,
    operators: Operators,
    reference: str,
) -> Replay:
    """Run the reference on the inputs.  Raises UnsupportedError where it refuses the model."""
    inputs = unpack_samples(
        replace(interface, outputs=interface.inputs), b"".join(recording.inputs)
    )
    samples: list[Sample] = list(zip(*inputs.values(), strict=True))
    known = known_tensors(reference, model, file_graph, operators, samples)
    pairs = [(each, by) for each, by in zip(recording.outputs, known, strict=True) if each]
    if not pairs:
        return Replay(inputs, 0, "")
    found = unpack_samples(interface, b"".join(each for each, _ in pairs))
    expected = _outputs(interface, file_graph, [by for _, by in pairs], found)
    return Replay(inputs, len(pairs), first_difference(interface, found, expected))


def _outputs(
    interface: Interface, graph: Graph, known: Sequence[Known], found: dict[str, Array]
) -> dict[str, Array]:
    """What the reference has in the tensors of the file's outputs; what the compiler added to them,
    and what the reference does not keep, is taken as it was found."""
    expected = dict(found)
    for port, index in zip(interface.outputs, graph.outputs, strict=False):
        values = [by(0, index) for by in known]
        given = [each for each in values if each is not None]
        if len(given) == len(values):
            expected[port.tensor] = np.stack(given).astype(found[port.tensor].dtype)
    return expected
