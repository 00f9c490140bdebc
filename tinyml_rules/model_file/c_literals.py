"""Numbers, characters and strings of C as bytes."""

from __future__ import annotations

import re

LITERAL_OR_COMMENT = re.compile(
    rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+(?:"|(?=\n)|\Z)'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+(?:'|(?=\n)|\Z)"
    rb"|/(?:\*.*?(?:\*/|\Z)|/[^\n]*)",
    re.DOTALL,
)
"""A string or a character, which ends with its line at the latest, or a comment."""
MOST_DIGITS = 20
"""Longest number that is converted; longer ones exceed a byte, and Python refuses thousands of
digits."""
_NUMBER = re.compile(rb"-?(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0([0-7]*)|([1-9][0-9]*))[uUlL]*")
_CAST = re.compile(rb"\((?:unsigned char|signed char|char|u?int8_t|byte)\)\s*")
_BASES = (16, 2, 8, 10)
_STRING = re.compile(rb'\s*[uU8L]{0,2}"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"')
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))
_MOST = 255


def without_comment(found: re.Match[bytes]) -> bytes:
    """Of a match of LITERAL_OR_COMMENT: a blank for a comment, its number for a character."""
    word = found[0]
    if word.startswith(b"/"):
        return b" "
    if word.startswith(b"'") and word.endswith(b"'"):
        data = _unescaped(word[1:-1])
        return b"%d" % data[0] if len(data) == 1 else word
    return word


def is_number(word: bytes) -> bool:
    """Whether a word is a whole number, of any size."""
    return _NUMBER.fullmatch(word) is not None


def byte_of(word: bytes) -> int | None:
    """The byte of a number in C, from -128 to 255; None for another."""
    word = _CAST.sub(b"", word, count=1)
    match = _NUMBER.fullmatch(word)
    if not match:
        return None
    digits, base = next(
        (digits, base)
        for digits, base in zip(match.groups(), _BASES, strict=True)
        if digits is not None
    )
    value = int(digits or b"0", base) if len(digits) <= MOST_DIGITS else _MOST + 1
    value = -value if word.startswith(b"-") else value
    return value % (_MOST + 1) if -128 <= value <= _MOST else None


def string_bytes(source: bytes, place: int) -> tuple[bytes, int]:
    """The bytes of the strings at a place, which C joins, and the place after them."""
    parts = []
    while found := _STRING.match(source, place):
        parts.append(_unescaped(found[1]))
        place = found.end()
    return b"".join(parts), max(place, found.end() if found else place + 1)


def _unescaped(text: bytes) -> bytes:
    """The bytes of what is between quotes; of a number beyond a byte the lowest eight bits."""
    return _ESCAPE.sub(_escaped, text)


def _escaped(found: re.Match[bytes]) -> bytes:
    hexadecimal, octal, letter = found.groups()
    if letter is not None:
        return bytes([_LETTERS.get(letter[0], letter[0])])
    value = int(hexadecimal[-2:], 16) if hexadecimal else int(octal, 8)
    return bytes([value % (_MOST + 1)])
