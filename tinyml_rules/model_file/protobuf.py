"""Which model a protobuf message holds, by the numbers and types of its fields: a message does not
say what it is."""

from __future__ import annotations

from dataclasses import dataclass

_MOST_FIELDS = 10_000
"""Most fields that are read."""
_NUMBER, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_SIZES = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}
_ONNX = {*range(1, 9), 14, 20, 25, 26}
"""The fields of a ModelProto; 1 is the version of the format, 7 the graph."""
_SAVED_MODEL = {1, 2}
"""Fields of a SavedModel: its version, its graphs."""
_FROZEN_GRAPH = {1, 2, 3, 4, 5}
"""Fields of a GraphDef; 1 is a node."""
_NODE = {*range(1, 8)}
"""Fields of a NodeDef; 1 is its name, 2 its operator."""

_KINDS = 200
"""Core ML's first field for a kind of model."""


@dataclass(frozen=True)
class _Field:
    number: int
    kind: int
    value: int
    """The number, or where the bytes begin."""
    size: int = 0


def is_onnx(data: bytes) -> bool:
    """Whether it is a model of ONNX."""
    kinds = _kinds(_fields(data))
    return kinds.keys() <= _ONNX and kinds.get(1) == _NUMBER and kinds.get(7) == _BYTES


def is_saved_model(data: bytes) -> bool:
    """Whether it is the saved_model.pb of a SavedModel."""
    found = _fields(data)
    is_first = bool(found) and (found[0].number, found[0].value) == (1, 1)
    return is_first and _kinds(found) == {1: _NUMBER, 2: _BYTES}


def is_frozen_graph(data: bytes) -> bool:
    """Whether it is a graph of TensorFlow 1."""
    found = _fields(data)
    if not found or not _kinds(found).keys() <= _FROZEN_GRAPH or _kinds(found).get(1) != _BYTES:
        return False
    first = next(each for each in found if each.number == 1)
    node = _kinds(_fields(data[first.value : first.value + first.size]))
    return node.keys() <= _NODE and node.get(1) == node.get(2) == _BYTES


def is_core_ml(data: bytes) -> bool:
    """Whether it is a model of Core ML: its version, its description, then one field for its
    kind."""
    found = _fields(data)
    if not found or (found[0].number, found[0].kind) != (1, _NUMBER):
        return False
    numbers = set(_kinds(found)) - {1, 10}
    return _kinds(found).get(2) == _BYTES and bool(numbers - {2}) and min(numbers - {2}) >= _KINDS


def _kinds(fields: tuple[_Field, ...]) -> dict[int, int]:
    return {each.number: each.kind for each in fields}


def _fields(data: bytes) -> tuple[_Field, ...]:
    """The fields of a message in order, those within them left alone; none for what is none."""
    found: list[_Field] = []
    place = 0
    try:
        while place < len(data) and len(found) < _MOST_FIELDS:
            key, place = _varint(data, place)
            kind = key & 7
            value, size = place, _SIZES.get(kind, 0)
            if kind == _NUMBER:
                value, place = _varint(data, place)
            elif kind == _BYTES:
                size, value = _varint(data, place)
                place = value
            elif not size:
                return ()
            place += size
            found.append(_Field(key >> 3, kind, value, size))
    except IndexError:
        return ()
    return tuple(found) if place <= len(data) else ()


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number, and where it ends; IndexError beyond the end, and for one of more than 64 bits."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[place + shift // 7]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + shift // 7 + 1
    raise IndexError(place)
