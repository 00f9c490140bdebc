"""The options of custom operators: a FlexBuffer map of numbers, truth values and texts.

Nothing deeper is read: a map or vector inside another may refer to the same bytes over and over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flatbuffers import flexbuffers

MOST_BYTES = 65_536
MOST_OPTIONS = 256


class BrokenOptionsError(Exception):
    """The bytes are no such map."""


def read_options(data: bytes) -> Mapping[str, Any]:
    """{name: value}; no bytes are no options.  Raises BrokenOptionsError."""
    if not data:
        return {}
    if len(data) > MOST_BYTES:
        raise BrokenOptionsError(f"{len(data):,} bytes, expected at most {MOST_BYTES:,}")
    try:
        root = flexbuffers.GetRoot(data)
        if not root.IsMap:
            raise BrokenOptionsError("not a FlexBuffer map")
        pairs = root.AsMap
        keys, values = pairs.Keys, pairs.Values
        if len(keys) > MOST_OPTIONS:
            raise BrokenOptionsError(f"{len(keys)} options, expected at most {MOST_OPTIONS}")
        return {keys[place].AsKey: _value(values[place]) for place in range(len(keys))}
    except BrokenOptionsError:
        raise
    except Exception as error:  # the library has no error of its own for broken bytes
        raise BrokenOptionsError(f"a broken FlexBuffer ({error})") from error


def _value(found: Any) -> Any:
    for kind in ("Bool", "Int", "Float", "String"):
        if getattr(found, f"Is{kind}"):
            return getattr(found, f"As{kind}")
    if found.IsNull:
        return None
    raise BrokenOptionsError("an option that is not a number, a truth value or a text")
