"""Inputs and outputs of a run as numpy files: a .npy for one port, a .npz by tensor for several.

Knows how samples are laid out for the test image (for each sample the bytes of all ports) and how
float32 is converted, at a model's ends and for real numbers given for an int8 input.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.errors import UsageError, WrongOutputError
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.system.arrays import read_arrays_file
from tinyml_rules.system.files import write_files


def read_arrays(path: Path, interface: Interface) -> dict[str, Array]:
    """{tensor name: values} for every input; raises UsageError for a file that does not match."""
    return arrays_by_tensor(read_arrays_file(path), interface, where=str(path))


def arrays_by_tensor(
    given: Array | Mapping[str, Array], interface: Interface, *, where: str
) -> dict[str, Array]:
    """{tensor name: values} for every input, from the array of the only one or those by name;
    raises UsageError for one that is missing."""
    if isinstance(given, np.ndarray) and len(interface.inputs) == 1:
        return {interface.inputs[0].tensor: given}
    return _by_tensor(given, interface.inputs, where=where)


def read_vectors(path: Path, interface: Interface) -> dict[str, Array]:
    """The values of every input, and the expected ones of every output; a .npz."""
    ports = (*interface.inputs, *interface.outputs)
    arrays = _by_tensor(read_arrays_file(path), ports, where=str(path))
    first = interface.inputs[0]
    count = arrays[first.tensor].size // first.count
    for port in interface.outputs:
        shape = arrays[port.tensor].shape
        if shape != (count, *port.shape) and (count != 1 or shape != port.shape):
            what = f"output {port.tensor!r} has shape {list(shape)}, expected"
            raise UsageError.at(str(path), f"{what} {[count, *port.shape]}")
    return arrays


def load_arrays(path: Path) -> dict[str, Array]:
    """{name: values} of a .npz; raises UsageError for a missing or broken file."""
    loaded = read_arrays_file(path)
    if isinstance(loaded, np.ndarray):
        raise UsageError.at(str(path), "one array, expected a .npz of several by name")
    return dict(loaded)


def write_arrays(path: Path, outputs: Mapping[str, Array]) -> None:
    """The outputs as .npz, or a single one as .npy, by the file's ending."""
    if path.suffix != ".npz" and len(outputs) > 1:
        raise UsageError.at(str(path), f"{len(outputs)} outputs, expected a name ending in .npz")
    arrays: dict[str, Any] = dict(outputs)
    data = io.BytesIO()
    if path.suffix == ".npz":
        np.savez(data, **arrays)
    else:
        np.save(data, *arrays.values())
    write_files({path.name: data.getvalue()}, path.parent)


def pack_samples(interface: Interface, inputs: Mapping[str, Array], *, where: str) -> bytes:
    """The bytes that the test image reads: sample after sample, each with all inputs in order.

    An input has its tensor's shape, or that with a leading axis of samples, the same for all; real
    numbers are quantized with the input's scale and zero point.
    """
    columns = [_samples(port, inputs[port.tensor], where=where) for port in interface.inputs]
    counts = {len(column) for column in columns}
    if len(counts) != 1:
        raise UsageError.at(where, f"inputs with different numbers of samples: {sorted(counts)}")
    if interface.slide:
        return b"".join(_of_streams(interface, columns[0]))
    return np.concatenate(columns, axis=1).tobytes()


def _of_streams(interface: Interface, windows: Array) -> Iterator[bytes]:
    """For each window 1 and all its rows, or 0 and its last ones where it goes on with the stream
    of the window before."""
    moved = interface.slide * interface.row_bytes
    before: Array | None = None
    for window in windows:
        goes_on = before is not None and np.array_equal(before[moved:], window[:-moved])
        yield b"\0" + window[-moved:].tobytes() if goes_on else b"\1" + window.tobytes()
        before = window


def unpack_samples(
    interface: Interface, data: bytes, *, is_single: bool = False
) -> dict[str, Array]:
    """{tensor name: values with a leading axis of samples} from the bytes that the test image
    wrote.

    `is_single`: one sample that was given without that axis is returned without it."""
    widths = [port.size_bytes for port in interface.outputs]
    rows = np.frombuffer(data, np.uint8).reshape(-1, sum(widths))
    columns = np.split(rows, np.cumsum(widths)[:-1], axis=1)
    return {
        port.tensor: _restore(port, column, is_single=is_single)
        for port, column in zip(interface.outputs, columns, strict=True)
    }


def first_difference(
    interface: Interface, found: Mapping[str, Array], expected: Mapping[str, Array]
) -> str:
    """The first difference between outputs with a leading axis of samples and the expected ones;
    empty if all values are equal."""
    for port in interface.outputs:
        values = found[port.tensor]
        if values.size != expected[port.tensor].size:
            count = expected[port.tensor].size // port.count
            return f"{len(values)} samples gave output {port.tensor!r}, expected {count}"
        wanted = expected[port.tensor].reshape(values.shape)
        wrong = np.argwhere(values != wanted)
        if len(wrong):
            at = tuple(wrong[0])
            sample, *place = wrong[0].tolist()
            return (
                f"sample {sample}: output {port.tensor!r}{place} is {values[at]}, "
                f"expected {wanted[at]}"
            )
    return ""


def check_outputs(
    interface: Interface,
    found: Mapping[str, Array],
    expected: Mapping[str, Array],
    *,
    where: str,
) -> None:
    """Raise WrongOutputError, with the first value that differs, unless all are the same."""
    difference = first_difference(interface, found, expected)
    if difference:
        raise WrongOutputError.at(where, difference)


def is_single_sample(interface: Interface, inputs: Mapping[str, Array]) -> bool:
    """Whether the inputs have their tensors' own shapes, without an axis of samples."""
    return all(inputs[port.tensor].shape == port.shape for port in interface.inputs)


def _by_tensor(loaded: Any, ports: Sequence[Port], *, where: str) -> dict[str, Array]:
    if isinstance(loaded, np.ndarray):
        names = ", ".join(repr(port.tensor) for port in ports)
        raise UsageError.at(where, f"one array, expected a .npz with {names}")
    missing = [port.tensor for port in ports if port.tensor not in loaded]
    if missing:
        raise UsageError.at(where, f"lacks {', '.join(map(repr, missing))}")
    return {port.tensor: loaded[port.tensor] for port in ports}


def _samples(port: Port, values: Array, *, where: str) -> Array:
    is_real = values.dtype.kind == "f" and port.is_quantized
    if not is_real and (port.is_float_in_model or values.dtype != port.dtype.numpy):
        expected = "float32" if port.is_float_in_model else str(port.dtype)
        expected += ", or float32 to be quantized" * (port.is_quantized and expected != "float32")
        what = f"input {port.tensor!r} is {values.dtype}, expected {expected}"
        raise UsageError.at(where, what)
    if is_real and np.isnan(values.astype(np.float32)).any():
        raise UsageError.at(where, f"input {port.tensor!r} has values that are not a number")
    if values.shape != port.shape and values.shape[1:] != port.shape:
        raise UsageError.at(
            where,
            f"input {port.tensor!r} has shape {list(values.shape)}, expected {list(port.shape)} "
            f"or that with a leading axis of samples",
        )
    flat = values.reshape(-1, port.count)
    if is_real:
        flat = quantize_real(
            flat.astype(np.float32),
            scale=port.scale,
            zero_point=port.zero_point,
            dtype=port.dtype.value,
        )
    return np.ascontiguousarray(flat).view(np.uint8)


def _restore(port: Port, column: Array, *, is_single: bool) -> Array:
    shape: Sequence[int] = port.shape if is_single else (-1, *port.shape)
    assert port.dtype.numpy is not None
    values = np.ascontiguousarray(column).view(port.dtype.numpy).reshape(shape)
    if port.is_float_in_model:
        return dequantize_real(values, scale=port.scale, zero_point=port.zero_point)
    return values
