"""Reads the inferences that a device printed from a log that may contain any other text.

Each line is `@name`, a letter with a number (`m`: the model's hash, `i`: an input, `o`: an output),
the place of its first byte, the bytes, and the CRC-32 of all that.  A time may precede it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import Interface, Port

_REST = re.compile(rb"([mio])([0-9a-f]{2}) ([0-9a-f]{8}) ((?:[0-9a-f]{2})+) ([0-9a-f]{8})")
_HASH_BYTES = 8
_LONGEST_LINE = 200
"""Bytes after the name that can be part of a line of ours."""


@dataclass(frozen=True)
class Recording:
    """The bytes of all inputs of each inference, in order, and those of all outputs, empty where
    none were printed; `left_out`: inferences at the ends of the log that are not whole."""

    inputs: tuple[bytes, ...]
    outputs: tuple[bytes, ...]
    left_out: int = 0


@dataclass
class _Inference:
    line: int
    values: dict[tuple[str, int], bytearray] = field(default_factory=dict)

    def all_of(self, kind: str, ports: tuple[Port, ...]) -> bytes:
        return b"".join(bytes(self.values.get((kind, number), b"")) for number in range(len(ports)))


@dataclass(frozen=True)
class _Line:
    number: int
    kind: str
    port: int
    offset: int
    data: bytes


def read_log(text: bytes, interface: Interface, *, sha256: str, where: str) -> Recording:
    """Raises UsageError for a line that was damaged, one of another model than that with the hash
    `sha256`, for bytes that are missing, and where nothing was printed at all."""
    inferences: list[_Inference] = []
    before = 0
    for line in _lines(text, interface.name, where=where):
        if line.kind == "m":
            _check_model(line, sha256, where=where)
            inferences.append(_Inference(line.number))
        elif inferences:
            _add(inferences[-1], line, interface, where=where)
        else:
            before = 1  # of an inference that had begun before the log did
    whole = list(_whole(inferences, interface, where=where))
    if not whole:
        what = f"no inference of '{interface.name}' was printed as a whole"
        hint = "compile with the option dump, and call the functions that the header then has"
        raise UsageError.at(where, what, hint=hint)
    return Recording(
        tuple(each.all_of("i", interface.inputs) for each in whole),
        tuple(each.all_of("o", interface.outputs) for each in whole),
        before + len(inferences) - len(whole),
    )


def _lines(text: bytes, name: str, *, where: str) -> Iterator[_Line]:
    mark = f"@{name} ".encode()
    for number, line in enumerate(text.splitlines(), start=1):
        begin = line.find(mark)
        if begin < 0:
            continue
        found = _REST.match(line, begin + len(mark), begin + len(mark) + _LONGEST_LINE)
        if not found or zlib.crc32(line[begin : found.start(5) - 1]) != int(found[5], 16):
            what = "a line of an inference was damaged: its CRC-32 does not match"
            hint = "print nothing else in between, and check that the port loses no characters"
            raise UsageError.at(f"{where}:{number}", what, hint=hint)
        kind, port, offset, data, _ = (each.decode() for each in found.groups())
        yield _Line(number, kind, int(port, 16), int(offset, 16), bytes.fromhex(data))


def _check_model(line: _Line, sha256: str, *, where: str) -> None:
    if line.data.hex() != sha256[: 2 * _HASH_BYTES]:
        what = "the device runs another model of this name, expected the same file"
        raise UsageError.at(f"{where}:{line.number}", what)


def _add(inference: _Inference, line: _Line, interface: Interface, *, where: str) -> None:
    ports = interface.inputs if line.kind == "i" else interface.outputs
    word = "input" if line.kind == "i" else "output"
    place = f"{where}:{line.number}"
    if line.port >= len(ports):
        what = f"there is no {word} {line.port}, expected one of {len(ports)}"
        raise UsageError.at(place, what)
    values = inference.values.setdefault((line.kind, line.port), bytearray())
    size = ports[line.port].size_bytes
    if line.offset != len(values) or len(values) + len(line.data) > size:
        what = (
            f"{word} {line.port} goes on at byte {line.offset} with {len(line.data)}, expected "
            f"byte {len(values)} of {size}"
        )
        hint = "lines were lost, or two inferences were printed at the same time"
        raise UsageError.at(place, what, hint=hint)
    values += line.data


def _whole(
    inferences: list[_Inference], interface: Interface, *, where: str
) -> Iterator[_Inference]:
    """All inferences, without the last one if it is incomplete."""
    for number, inference in enumerate(inferences, start=1):
        missing = _missing(inference, interface)
        if missing and number < len(inferences):
            raise UsageError.at(f"{where}:{inference.line}", f"an inference lacks {missing}")
        if not missing:
            yield inference


def _missing(inference: _Inference, interface: Interface) -> str:
    """The missing tensors: all inputs are needed, and all outputs or none."""
    has_outputs = any(kind == "o" for kind, _ in inference.values)
    roles = [("i", "input", interface.inputs)]
    roles += [("o", "output", interface.outputs)] if has_outputs else []
    for kind, word, ports in roles:
        for number, port in enumerate(ports):
            found = len(inference.values.get((kind, number), b""))
            if found != port.size_bytes:
                lost = port.size_bytes - found
                return f"{lost:,} of the {port.size_bytes:,} bytes of {word} {number}"
    return ""
