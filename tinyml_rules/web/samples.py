"""Known results of any model: inputs, with what the exact reference makes of them.

The inputs are those of a file of samples, or pseudo-random ones, the same on every computer.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from tinyml_rules.accuracy.labelled import LABELS, NAMES
from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.compare.reference import NUMPY, TFLM, Known, chosen_reference, known_tensors
from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.request.graph import graph_of
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import load_arrays, pack_samples, unpack_samples
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.sensor.description import Description
from tinyml_rules.sensor.named import described
from tinyml_rules.sensor.real_values import real_values

_SOURCES = {TFLM: "TFLM", NUMPY: "the exact arithmetic in numpy"}
"""How the page calls the references."""
_MOST_SAMPLES = 12
"""As many as the page shows as pictures."""
_PATTERNS = 4
"""Pseudo-random samples, where there are no others."""


def known_results(
    request: Request, interface: Interface, file: Path | None, labels: tuple[str, ...]
) -> tuple[dict[str, Array], tuple[str, ...], str]:
    """({tensor: samples}, names of the samples, the reference in words) of a model.

    `file`: a .npz with the model's inputs by tensor, as `run --input` takes them or as raw values
    of the sensor, and the number of each sample's class as `labels` if it has them; None for
    pseudo-random values.  `labels`: of the classes.  Outputs are not among the tensors where the
    reference does not know them.  Raises UsageError for a file that does not match the model.
    """
    names: tuple[str, ...] = ()
    if file is None:
        inputs = pattern_inputs(interface, samples=_PATTERNS)
        names = tuple(f"random {number + 1}" for number in range(_PATTERNS))
    else:
        inputs, names = _of_file(file, interface, request.sensor, labels)
    packed = pack_samples(replace(interface, slide=0), inputs, where=str(file or "web"))
    plain = tuple(replace(port, is_float_in_model=False) for port in interface.inputs)
    found = unpack_samples(replace(interface, outputs=plain), packed)
    with suppress(TinymlError):  # a reference that refuses the model: then there are inputs alone
        graph = graph_of(request)
        reference = chosen_reference(None, graph)
        samples = unpack_samples(replace(interface, outputs=interface.inputs), packed)
        rows = list(zip(*samples.values(), strict=True))
        known = known_tensors(reference, request.model, graph, request.operators, rows)
        outputs = {port.tensor: _of_port(port, graph, known) for port in interface.outputs}
        if all(each is not None for each in outputs.values()):
            found |= {name: each for name, each in outputs.items() if each is not None}
            return found, names, _SOURCES[reference]
    return found, names, ""


def _of_file(
    file: Path, interface: Interface, sensor: Description | None, labels: tuple[str, ...]
) -> tuple[dict[str, Array], tuple[str, ...]]:
    arrays = load_arrays(file)
    missing = [port.tensor for port in interface.inputs if port.tensor not in arrays]
    if missing:
        listed = ", ".join(map(repr, missing))
        raise UsageError.at(str(file), f"lacks {listed}, expected samples of every input")
    count = min(len(arrays[port.tensor]) for port in interface.inputs)
    if not count:
        raise UsageError.at(str(file), "no samples")
    classes = arrays[LABELS][:count].astype(int) if LABELS in arrays else None
    chosen = _chosen(classes, count)
    words = labels or tuple(map(str, arrays.get(NAMES, ())))
    names = () if classes is None else tuple(_name(words, int(classes[each])) for each in chosen)
    inputs = {
        port.tensor: _as_run_takes(port, arrays[port.tensor][chosen], sensor, str(file))
        for port in interface.inputs
    }
    return inputs, names


def _chosen(classes: Array | None, count: int) -> list[int]:
    """The first samples of each class in turn, as many as are not too many."""
    if classes is None:
        return list(range(min(count, _MOST_SAMPLES)))
    turns = [int(np.count_nonzero(classes[:place] == each)) for place, each in enumerate(classes)]
    order = sorted(range(count), key=lambda place: (turns[place], classes[place]))
    return order[:_MOST_SAMPLES]


def _name(labels: tuple[str, ...], number: int) -> str:
    return labels[number] if number < len(labels) else str(number)


def _as_run_takes(port: Port, values: Array, sensor: Description | None, where: str) -> Array:
    """Raw values of a described sensor as real numbers; anything else as it is."""
    raw = described(port.tensor, sensor.inputs) if sensor else None
    is_raw = values.dtype.kind in "iu" and values.dtype != port.dtype.numpy
    if raw is not None and is_raw:
        values = real_values(raw, values.astype(np.int64), where=where)
    return values.reshape(len(values), *port.shape)


def _of_port(port: Port, graph: Graph, known: list[Known]) -> Array | None:
    """The values of an output in all samples, as the firmware has them; None if the reference does
    not know them."""
    number = next((each.index for each in graph.tensors if each.name == port.tensor), None)
    rows = [None if number is None else each(0, number) for each in known]
    values = [each for each in rows if each is not None and each.size == port.count]
    if len(values) != len(rows):
        return None
    joined = np.stack([each.reshape(port.shape) for each in values])
    if joined.dtype.kind == "f" and port.is_quantized:
        return quantize_real(
            joined.astype(np.float32),
            scale=port.scale,
            zero_point=port.zero_point,
            dtype=port.dtype.value,
        )
    return joined if joined.dtype == port.dtype.numpy else None
