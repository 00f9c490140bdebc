"""Labelled vectors: what goes into a model, and what is right or exact for it, from a .npz file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.runners.arrays import load_arrays

Numbers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
LABELS, NAMES, EXPECTED = "labels", "names", "expected"


@dataclass(frozen=True, eq=False)
class Labelled:
    """`count` samples; every array has them as its leading axis.

    `inputs`: by tensor name, each of the tensor's shape.  `labels`: int64 [count], the number of
    each sample's class, all below `classes`, whose `names` there may be.  `expected`: float64
    [count, values] of the output, in its real unit.  What the file lacks is None.
    """

    where: str
    count: int
    inputs: Mapping[str, Array]
    labels: Numbers | None
    classes: int
    names: tuple[str, ...]
    expected: Reals | None

    def name_of(self, number: int) -> str:
        """A class for a message: its name in quotes, else its number."""
        return f"'{self.names[number]}'" if self.names else str(number)


def scored_port(interface: Interface, tensor: str | None, where: str) -> Port:
    """The output that is judged: the one called `tensor`, or the only one; raises UsageError."""
    names = [port.tensor for port in interface.outputs]
    for port in interface.outputs:
        if tensor == port.tensor or (tensor is None and len(names) == 1):
            return port
    listed = ", ".join(map(repr, names))
    if tensor is None:
        raise UsageError.at(where, f"the model has outputs {listed}, expected 'scores' to name one")
    what = f"'scores' is {tensor!r}, expected one of the outputs {listed}"
    raise UsageError.at(where, what, hint=did_you_mean(tensor, names))


def is_class_number(port: Port) -> bool:
    """The output is the number of a class itself, as ARG_MAX gives it."""
    return port.count == 1 and port.dtype in (DType.INT32, DType.INT64) and not port.is_quantized


def read_labelled(path: Path, interface: Interface, port: Port) -> Labelled:
    """The vectors for a model and the output that is judged; raises UsageError for a file that
    cannot be read, or does not match it."""
    where = str(path)
    arrays = load_arrays(path)
    missing = [each.tensor for each in interface.inputs if each.tensor not in arrays]
    if missing:
        what = f"lacks {', '.join(map(repr, missing))}, the model's inputs"
        raise UsageError.at(where, what, hint=did_you_mean(missing[0], arrays))
    inputs = {each.tensor: _by_sample(each, arrays[each.tensor]) for each in interface.inputs}
    count = _count(inputs, where)
    if LABELS not in arrays and EXPECTED not in arrays:
        what = f"has neither '{LABELS}' nor '{EXPECTED}', expected one of them"
        hints = (
            did_you_mean(name, (LABELS, EXPECTED)) for name in sorted(set(arrays) - set(inputs))
        )
        raise UsageError.at(where, what, hint=next(filter(None, hints), ""))
    names = _names(arrays, port, where)
    labels = _labels(arrays[LABELS], count, where) if LABELS in arrays else None
    classes = _classes(port, names, labels)
    if labels is not None:
        _check_range(labels, classes, port, where)
    expected = _expected(arrays[EXPECTED], count, port, where) if EXPECTED in arrays else None
    return Labelled(where, count, inputs, labels, classes, names, expected)


def _by_sample(port: Port, values: Array) -> Array:
    """Values with a leading axis of samples; the axis of a tensor with a batch of one may serve as
    it."""
    if values.shape == port.shape:
        return values[np.newaxis]
    if port.shape[:1] == (1,) and values.shape[1:] == port.shape[1:]:
        return values.reshape(-1, *port.shape)
    return values  # of another shape: what runs them says so


def _count(inputs: Mapping[str, Array], where: str) -> int:
    for tensor, values in inputs.items():
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise UsageError.at(where, f"input {tensor!r} has values that are not a number")
    count: int = min((values.shape or (1,))[0] for values in inputs.values())
    if not count:
        raise UsageError.at(where, "no samples")
    return count


def _names(arrays: Mapping[str, Array], port: Port, where: str) -> tuple[str, ...]:
    if NAMES not in arrays:
        return ()
    names = arrays[NAMES]
    if names.ndim != 1 or names.dtype.kind != "U":
        what = f"'{NAMES}' is {names.dtype} {list(names.shape)}, expected a list of texts"
        raise UsageError.at(where, what)
    expected = _values(port)
    if expected and len(names) != expected:
        what = f"'{NAMES}' has {len(names)}, expected {expected}: output {port.tensor!r} has "
        raise UsageError.at(where, what + _has(port))
    return tuple(str(name) for name in names)


def _labels(labels: Array, count: int, where: str) -> Numbers:
    if labels.dtype.kind not in "iu":
        raise UsageError.at(where, f"'{LABELS}' are {labels.dtype}, expected integers")
    if labels.size != count or labels.shape[:1] != (count,):
        what = f"'{LABELS}' has shape {list(labels.shape)}, expected {[count]}: one for each sample"
        raise UsageError.at(where, what)
    return labels.reshape(count).astype(np.int64)


def _values(port: Port) -> int:
    """Number of classes that an output distinguishes; 0 for any number."""
    if is_class_number(port):
        return 0
    return max(port.count, 2)


def _has(port: Port) -> str:
    return "a single value" if port.count == 1 else f"{port.count} values"


def _classes(port: Port, names: tuple[str, ...], labels: Numbers | None) -> int:
    seen = 0 if labels is None else int(labels.max()) + 1
    return _values(port) or len(names) or max(seen, 0)


def _check_range(labels: Numbers, classes: int, port: Port, where: str) -> None:
    wrong = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(wrong):
        sample = int(wrong[0])
        what = f"label {labels[sample]} of sample {sample}, expected 0 to {classes - 1}"
        raise UsageError.at(where, f"{what}: output {port.tensor!r} has {_has(port)}")


def _expected(expected: Array, count: int, port: Port, where: str) -> Reals:
    if expected.dtype.kind != "f":
        raise UsageError.at(where, f"'{EXPECTED}' is {expected.dtype}, expected float32")
    found: Any = _by_sample(port, expected)
    if found.shape != (count, *port.shape):
        what = f"'{EXPECTED}' has shape {list(expected.shape)}, expected {[count, *port.shape]}"
        raise UsageError.at(where, what)
    values = found.reshape(count, port.count).astype(np.float64)
    if not np.isfinite(values).all():
        sample = int(np.argwhere(~np.isfinite(values))[0][0])
        what = f"'{EXPECTED}' of sample {sample} is not finite, expected numbers"
        raise UsageError.at(where, what)
    return np.asarray(values)
