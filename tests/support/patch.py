"""Changes single numbers of a .tflite file, to make files that no writer writes."""

# mypy: allow-untyped-calls
# (the schema's accessors carry no types)

from __future__ import annotations

import struct
from typing import Any

import tflite


def model_table(data: bytes) -> Any:
    """The root table."""
    return tflite.Model.GetRootAs(data)


def subgraph_table(data: bytes) -> Any:
    """The only sub-graph."""
    return model_table(data).Subgraphs(0)


def field_position(table: Any, slot: int) -> int:
    """Where the field of a table lies in the file; the table has to have it."""
    offset = table._tab.Offset(4 + 2 * slot)
    assert offset, f"the table has no field {slot}"
    return int(table._tab.Pos + offset)


def target_position(table: Any, slot: int) -> int:
    """Where the vector, string or table lies that a field refers to."""
    position = field_position(table, slot)
    return position + int(struct.unpack_from("<I", table._tab.Bytes, position)[0])


def vtable_position(table: Any) -> int:
    """Where the vtable of a table lies: its size, the table's size, an entry for each field."""
    return int(table._tab.Pos - struct.unpack_from("<i", table._tab.Bytes, table._tab.Pos)[0])


def patch(data: bytes, position: int, form: str, value: float) -> bytes:
    """The file with one number, of struct's `form`, changed."""
    changed = bytearray(data)
    struct.pack_into(f"<{form}", changed, position, value)
    return bytes(changed)
