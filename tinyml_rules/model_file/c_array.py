"""A file as an array in C, as `xxd -i` writes it and firmwares with TFLM have it -> its bytes.

Read with a few passes of `re` and one of `bytes`, each linear in the length of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tinyml_rules.errors import ModelError
from tinyml_rules.model_file.c_literals import (
    LITERAL_OR_COMMENT,
    MOST_DIGITS,
    byte_of,
    is_number,
    string_bytes,
    without_comment,
)

_MOST_NAMES = 5
_SPLICE = re.compile(rb"\\\r?\n")
_NUMBERS = rb"\{\s*(?:\{\s*)?(?=[-'0-9(])"
_HEAD = re.compile(
    rb"\b([A-Za-z_]\w*)\s*\[[^][{};=]*\][^][{};=]*=?\s*" + _NUMBERS
    + rb"|\barray\s*<[^<{};=]*>\s*([A-Za-z_]\w*)\s*=?\s*" + _NUMBERS
)  # fmt: skip
"""The name of an array, or of a std::array, up to its first number."""
_TEXT_HEAD = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:\[[^][{};=]*\][^][{};=]*)?=\s*(?=\")")
"""The same for one that is a string."""
_BEGINNING = 8
"""Bytes at the beginning of a file by which it is known, in at most so many characters of C:"""
_MOST_CHARACTERS = 256
_WORDS = "expected the bytes of a .tflite file"
_GENERATED = (
    "code that STM32Cube.AI or Edge Impulse (EON) generated has weights, and no model: name the "
    ".tflite file that was given to it"
)


@dataclass(frozen=True)
class _Array:
    """An array by its name: `begin` and `end` of its values in the source; without an end -1."""

    name: str
    begin: int
    end: int


def array_bytes(text: bytes, where: str, is_wanted: Callable[[bytes], bool]) -> bytes | None:
    """The bytes of the one array in C source that is wanted by its first bytes; if there is one
    alone, of that.  None where there is none.  Raises ModelError for several, for what is no byte,
    and for another length than the file says."""
    if b"\0" in text:
        return None
    source = LITERAL_OR_COMMENT.sub(without_comment, _SPLICE.sub(b"", text))
    arrays = list(_arrays(source))
    wanted = [each for each in arrays if is_wanted(_beginning(source, each))]
    texts = [data for data in _texts(source) if is_wanted(data)] if not wanted else []
    if len(texts) == 1:
        return texts[0]
    if not arrays and not texts:
        return None
    if len(wanted or texts) > 1:
        _refuse_several(where, wanted, len(wanted or texts))
    if len(arrays) > 1 and not wanted:
        what = f"none of its {len(arrays):,} arrays ({_names(arrays)}) is a model, {_WORDS}"
        raise ModelError.at(where, what, hint=_GENERATED)
    return _array_bytes(source, (wanted or arrays)[0], where)


def _array_bytes(source: bytes, array: _Array, where: str) -> bytes:
    name = array.name
    if array.end < 0:
        raise ModelError.at(where, f"array {name} has no end, expected '}}'")
    data = _values(source[array.begin : array.end], f"{where}: array {name}")
    length = re.search(rb"\b%s_(?:len|size)\s*=\s*([0-9]{1,9})\b" % name.encode(), source)
    if length and int(length[1]) != len(data):
        what = f"array {name} has {len(data):,} values, but its length says {int(length[1]):,}"
        raise ModelError.at(where, what, hint="a part of it is lost: make the file again")
    return data


def _arrays(source: bytes) -> Iterator[_Array]:
    place = 0
    while place >= 0 and (head := _HEAD.search(source, place)):
        place = source.find(b"}", head.end())
        yield _Array((head[1] or head[2]).decode(), head.end(), place)


def _texts(source: bytes) -> Iterator[bytes]:
    """The bytes of every string that is given to a variable."""
    place = 0
    while head := _TEXT_HEAD.search(source, place):
        data, place = string_bytes(source, head.end())
        yield data


def _beginning(source: bytes, array: _Array) -> bytes:
    """The first bytes of an array; fewer where they are none."""
    last = array.begin + _MOST_CHARACTERS
    begun = source[array.begin : last if array.end < 0 else min(last, array.end)]
    values = (byte_of(word.strip()) for word in begun.split(b",")[:_BEGINNING])
    return bytes(value for value in values if value is not None)


def _names(arrays: list[_Array]) -> str:
    names = [each.name for each in arrays[:_MOST_NAMES]]
    return ", ".join(names + ["…"] * (len(arrays) > _MOST_NAMES))


def _refuse_several(where: str, arrays: list[_Array], count: int) -> None:
    names = f": {_names(arrays)}" if arrays else ""
    hint = "copy the one that is meant into a file of its own"
    raise ModelError.at(where, f"has {count:,} models, expected one{names}", hint=hint)


def _values(body: bytes, where: str) -> bytes:
    """The bytes between the braces; few numbers are different, so each spelling is parsed once."""
    words = body.split(b",")
    if not words[-1].strip():  # after the last comma
        words.pop()
    known: dict[bytes, int] = {}
    for word in dict.fromkeys(words):
        value = byte_of(word.strip())
        if value is None:
            shown = word.strip()[:MOST_DIGITS].decode("utf-8", "replace")
            what = f"value {words.index(word)} is '{shown}', expected a number from -128 to 255"
            raise ModelError.at(where, what, hint=_GENERATED if is_number(word.strip()) else "")
        known[word] = value
    return bytes(map(known.__getitem__, words))
