"""The user's arrays -> samples of a model's inputs, checked: shapes, types, finite numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.errors import Note, Problem, UsageError
from tinyml_rules.ir.graph import Array, Graph, Tensor
from tinyml_rules.quantizer.folds import folds_of
from tinyml_rules.quantizer.request import Arrays
from tinyml_rules.sensor.named import ONLY
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.sensor.real_values import real_values
from tinyml_rules.system.arrays import read_arrays_file

LABELS = "labels"
"""The array of a .npz file that has the class of each sample."""

Sample = Mapping[int, Array]
"""The values of all inputs, by tensor."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Samples, and the class of each where the file says it."""

    samples: tuple[Sample, ...] = ()
    labels: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Samples:
    """Those of the calibration with the fold of each; others that only judge."""

    calibration: Judged
    folds: tuple[int, ...]
    validation: Judged


def load_arrays(path: Path) -> Arrays:
    """The contents of a .npy or .npz file; raises UsageError."""
    found = read_arrays_file(path)
    return Arrays(str(path), {"": found} if isinstance(found, np.ndarray) else found)


def with_real_values(arrays: Arrays, described: Mapping[str, RawInput]) -> Arrays:
    """Raw values of a sensor, arrays of whole numbers of inputs that are described, as the real
    numbers that they mean; what has one number a sample, labels for example, is none of them."""

    def converted(name: str, values: Array) -> Array:
        of_input = described.get(name, described.get(ONLY))
        if of_input is None or values.dtype.kind not in "iu" or values.ndim < 2:
            return values
        return real_values(of_input, np.asarray(values, np.int64), where=arrays.where)

    found = {name: converted(name, values) for name, values in arrays.by_name.items()}
    return Arrays(arrays.where, found)


def samples_of(
    graph: Graph,
    calibration: Arrays | None,
    validation: Arrays | None,
    raw: Mapping[int, Tensor] = MappingProxyType({}),
) -> Samples:
    """Every input that a node reads has values, of as many samples; raises UsageError.  `raw`:
    float32 inputs that may be given as the integers that they are in the file."""
    given = Judged() if calibration is None else _judged(graph, calibration, raw)
    others = Judged() if validation is None else _judged(graph, validation, raw)
    return Samples(given, folds_of(given.samples), others)


def notes_of(graph: Graph, samples: Samples) -> tuple[Problem, ...]:
    """Notes about valid but useless samples."""
    first, *others = samples.calibration.samples or [{}]
    return tuple(
        Note(
            graph.name,
            f"all samples of input {graph.tensors[index].name!r} are the same: the ranges fit "
            "only this one, and other inputs will be clipped",
        )
        for index, values in first.items()
        if others and all(np.array_equal(values, each[index]) for each in others)
    )


def _judged(graph: Graph, arrays: Arrays, raw: Mapping[int, Tensor]) -> Judged:
    found = _samples(graph, arrays, raw)
    is_input = any(graph.tensors[index].name == LABELS for index in graph.inputs)
    labels = None if is_input else arrays.by_name.get(LABELS)
    if labels is None:
        return Judged(found)
    if labels.dtype.kind not in "iu" or labels.shape != (len(found),):
        what = f"'{LABELS}' is {labels.dtype} {list(labels.shape)}, expected integers"
        raise UsageError.at(arrays.where, f"{what} {[len(found)]}: the class of each sample")
    return Judged(found, tuple(labels.tolist()))


def _samples(graph: Graph, arrays: Arrays, raw: Mapping[int, Tensor]) -> tuple[Sample, ...]:
    read = {index for node in graph.nodes for index in node.inputs} | set(graph.outputs)
    needed = [graph.tensors[index] for index in graph.inputs if index in read]
    columns = {
        each.index: _column(each, _array_of(each, arrays, needed), arrays.where, raw)
        for each in needed
    }
    counts = {len(column) for column in columns.values()}
    if len(counts) > 1:
        raise UsageError.at(
            arrays.where, f"inputs with different numbers of samples: {sorted(counts)}"
        )
    (count,) = counts
    return tuple(
        {index: np.ascontiguousarray(column[place]) for index, column in columns.items()}
        for place in range(count)
    )


def _column(tensor: Tensor, values: Array, where: str, raw: Mapping[int, Tensor]) -> Array:
    """The samples of one input, [samples, *shape], as the graph takes them."""
    if not _fits(tensor, values):
        what = f"input {tensor.name!r} has shape {list(values.shape)}, expected {_expected(tensor)}"
        raise UsageError.at(where, what)
    if len(values) == 0:
        raise UsageError.at(where, f"input {tensor.name!r} has no samples, expected some")
    in_file = raw.get(tensor.index, tensor)
    is_real = values.dtype.kind == "f" and (tensor.dtype.is_real or _is_per_tensor(tensor))
    if not is_real and values.dtype != in_file.dtype.numpy:
        what = f"input {tensor.name!r} is {values.dtype}, expected {in_file.dtype}"
        raise UsageError.at(where, what)
    values = values.reshape(-1, *tensor.shape)
    if is_real:
        return _of_reals(tensor, values, where)
    if in_file is not tensor:
        return dequantize_real(values, scale=in_file.scale, zero_point=in_file.zero_point)
    return values


def _of_reals(tensor: Tensor, values: Array, where: str) -> Array:
    """Real numbers, as integers where the graph has those."""
    assert tensor.dtype.numpy is not None
    is_real = tensor.dtype.is_real
    with np.errstate(over="ignore"):
        column = values.astype(tensor.dtype.numpy if is_real else np.float32)
    if not np.isfinite(column).all():
        sample = int(np.argwhere(~np.isfinite(column))[0][0])
        what = f"input {tensor.name!r} has a value in sample {sample} that is no finite number"
        raise UsageError.at(where, what)
    if is_real:
        return column
    scale, zero_point, dtype = tensor.scale, tensor.zero_point, str(tensor.dtype)
    return quantize_real(column, scale=scale, zero_point=zero_point, dtype=dtype)


def _is_per_tensor(tensor: Tensor) -> bool:
    return tensor.quantization is not None and not tensor.quantization.is_per_axis


def _array_of(tensor: Tensor, arrays: Arrays, needed: Sequence[Tensor]) -> Array:
    """By the tensor's name; the only one that fits, for a model of one input."""
    if tensor.name in arrays.by_name:
        return arrays.by_name[tensor.name]
    names = ", ".join(repr(each.name) for each in needed)
    if len(needed) > 1:
        found = "one array" if "" in arrays.by_name else f"lacks {tensor.name!r}"
        raise UsageError.at(arrays.where, f"{found}, expected a .npz with {names}")
    if len(arrays.by_name) == 1:
        return next(iter(arrays.by_name.values()))
    fitting = [
        name for name, values in arrays.by_name.items() if name != LABELS and _fits(tensor, values)
    ]
    if len(fitting) != 1:
        held = ", ".join(f"{name!r} {list(v.shape)}" for name, v in arrays.by_name.items())
        what = f"arrays {held or 'none'}, of which {len(fitting)} fit input {names}"
        hint = f"name the one that is meant {names}: {_expected(tensor)}"
        raise UsageError.at(arrays.where, f"{what}, expected one", hint=hint)
    return arrays.by_name[fitting[0]]


def _fits(tensor: Tensor, values: Array) -> bool:
    """A leading axis of samples, in the place of a batch of one if there is one."""
    is_batch = tensor.shape[:1] == (1,) and values.shape[1:] == tensor.shape[1:]
    return values.ndim > 0 and (values.shape[1:] == tensor.shape or is_batch)


def _expected(tensor: Tensor) -> str:
    shape = tensor.shape[1:] if tensor.shape[:1] == (1,) else tensor.shape
    return f"[samples{''.join(f', {size}' for size in shape)}]"
