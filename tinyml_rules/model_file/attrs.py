"""An operator's options as a table of the file: the inverse of `ir/options.decode`, by slot and
type, so that everything the reader decodes can be written.  Knows no operator."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from flatbuffers.builder import Builder

_SCALARS = {
    "int8": "Int8",
    "uint8": "Uint8",
    "int32": "Int32",
    "uint32": "Uint32",
    "float32": "Float32",
    "bool": "Bool",
}
_VECTORS = {"int32[]": np.int32, "uint8[]": np.uint8}


def write_attrs(builder: Builder, attrs: object) -> int:
    """The offset of the table; a field without a slot is a pass's own, and stays out."""
    found = {
        each.metadata["slot"]: (each.metadata["kind"], getattr(attrs, each.name), each.default)
        for each in fields(attrs)  # type: ignore[arg-type]
        if "slot" in each.metadata
    }
    # vectors and strings are outside the table and must be written before it is begun
    outside = {
        slot: _outside(builder, kind, value)
        for slot, (kind, value, _) in found.items()
        if kind not in _SCALARS and value
    }
    builder.StartObject(max(found, default=-1) + 1)
    for slot, (kind, value, default) in found.items():
        if kind in _SCALARS:
            getattr(builder, f"Prepend{_SCALARS[kind]}Slot")(slot, value, default)
    for slot, offset in outside.items():
        builder.PrependUOffsetTRelativeSlot(slot, offset, 0)
    return int(builder.EndObject())


def _outside(builder: Builder, kind: str, value: Any) -> int:
    """The offset of a string or of a vector."""
    if kind == "string":
        return int(builder.CreateString(value))
    return int(builder.CreateNumpyVector(np.array(value, _VECTORS[kind])))
