"""A file as an array in C, as `xxd -i` writes it and firmwares with TFLM have it -> its bytes.

Read with a few passes of `re` and one of `bytes`, each linear in the length of the file.
"""

from __future__ import annotations

import re

from tinyml_rules.errors import ModelError

C_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp")
"""Suffixes of files with such an array."""
_MOST_NAMES = 5
_COMMENT = re.compile(rb"/(?:\*.*?(?:\*/|\Z)|/[^\n]*)", re.DOTALL)
_HEAD = re.compile(rb"\b([A-Za-z_]\w*)\s*\[[^][{};=]*\][^][{};=]*=\s*\{\s*(?=[-'0-9])")
"""The name of an array, up to its first number."""
_NUMBER = re.compile(rb"(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0([0-7]*)|([1-9][0-9]*))[uUlL]*")
_BASES = (16, 2, 8, 10)
_MOST_DIGITS = 20
"""Longest number that is converted; longer ones exceed a byte, and Python refuses thousands of
digits."""


def array_bytes(text: bytes, where: str) -> bytes | None:
    """The bytes of the one array of numbers in C source; None where there is none.  Raises
    ModelError for several, for what is no byte, and for another length than the file says."""
    if b"\0" in text:
        return None
    source = _COMMENT.sub(b" ", text)
    arrays = _arrays(source)
    if not arrays:
        return None
    if len(arrays) > 1:
        names = [each[0] for each in arrays[:_MOST_NAMES]]
        shown = ", ".join(names + ["…"] * (len(arrays) > _MOST_NAMES))
        raise ModelError.at(where, f"has {len(arrays)} arrays, expected one: {shown}")
    [(name, start, end)] = arrays
    if end < 0:
        raise ModelError.at(where, f"array {name} has no end, expected '}}'")
    data = _values(source[start:end], f"{where}: array {name}")
    length = re.search(rb"\b%s_(?:len|size)\s*=\s*([0-9]{1,9})\b" % name.encode(), source)
    if length and int(length[1]) != len(data):
        what = f"array {name} has {len(data)} values, but its length says {int(length[1])}"
        raise ModelError.at(where, what, hint="a part of it is lost: make the file again")
    return data


def _arrays(source: bytes) -> list[tuple[str, int, int]]:
    """The name of each array, and where its numbers begin and end; -1 for one without an end."""
    found = []
    place = 0
    while place >= 0 and (head := _HEAD.search(source, place)):
        place = source.find(b"}", head.end())
        found.append((head[1].decode(), head.end(), place))
    return found


def _values(body: bytes, where: str) -> bytes:
    """The bytes between the braces; few numbers are different, so each spelling is parsed once."""
    words = body.split(b",")
    if not words[-1].strip():  # after the last comma
        words.pop()
    known: dict[bytes, int] = {}
    for word in dict.fromkeys(words):
        value = _value(word.strip())
        if value is None:
            shown = word.strip()[:_MOST_DIGITS].decode("utf-8", "replace")
            what = f"value {words.index(word)} is '{shown}', expected a number from 0 to 255"
            raise ModelError.at(where, what)
        known[word] = value
    return bytes(map(known.__getitem__, words))


def _value(word: bytes) -> int | None:
    """The value of a number in C; None if it is not a byte."""
    match = _NUMBER.fullmatch(word)
    if not match:
        return None
    digits, base = next(
        (digits, base)
        for digits, base in zip(match.groups(), _BASES, strict=True)
        if digits is not None
    )
    value = int(digits or b"0", base) if len(digits) <= _MOST_DIGITS else 256
    return value if value <= 255 else None
