"""What training changes, as one image that a firmware can be given anew: numbers of the kernels'
params, tables, and how inputs and outputs are quantized.

The C around it depends on the layout alone.  Sizes, which are C's `int`, stay in the C.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.emit.parts import Part
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.c_struct import Member, members
from tinyml_rules.ir.interface import Interface
from tinyml_rules.ir.signing import Signing

MAGIC = b"TMLX"
FORMAT, SIGNED_FORMAT = 1, 2
HEADER_BYTES = 64
HASH_BYTES = 16
LAYOUT_AT = 8
_HEADER = "<4sHH16s16sIII"
"""Magic, format, bytes of this header, hashes of layout and model, version, size, CRC-32 of all
but these four bytes and the signature; zeros up to HEADER_BYTES, the first four of which are the
number of the key where there is a signature.  That is after everything else, which it covers, and
is part of the size."""
CRC_AT = struct.calcsize(_HEADER) - 4
KEY_AT = CRC_AT + 4
ALIGNMENT = 16
_NUMBERS = {
    **{"int8_t": "<i1", "uint8_t": "<u1", "int16_t": "<i2", "uint16_t": "<u2"},
    **{"int32_t": "<i4", "uint32_t": "<u4", "float": "<f4"},
}
"""The encoding of a number in the image, by its C type; a type without one is a size."""


@dataclass(frozen=True)
class Number:
    """Bytes that are copied from the image to `target`, a C expression."""

    target: str
    offset: int
    size_bytes: int


@dataclass(frozen=True)
class Pointer:
    """A pointer `target` to `c_type`, to what begins at `offset`."""

    target: str
    offset: int
    c_type: str


@dataclass(frozen=True)
class Image:
    """The body after the header, and where in it everything is."""

    body: bytes
    numbers: tuple[Number, ...]
    pointers: tuple[Pointer, ...]
    signature: Signing = Signing.NONE

    @property
    def size_bytes(self) -> int:
        """With the header, and the signature."""
        return HEADER_BYTES + len(self.body) + self.signature.size_bytes

    def pointer(self, target: str) -> Pointer:
        """The one of a table."""
        return next(each for each in self.pointers if each.target == target)

    def file(self, *, layout: bytes, model: bytes, version: int) -> bytes:
        """The whole image, but for its signature."""
        number = SIGNED_FORMAT if self.signature.size_bytes else FORMAT
        size, hashes = self.size_bytes, (layout[:HASH_BYTES], model[:HASH_BYTES])
        head = struct.pack(_HEADER[:-1], MAGIC, number, HEADER_BYTES, *hashes, version, size)
        return with_crc(head + bytes(HEADER_BYTES - CRC_AT) + self.body)


def with_crc(image: bytes) -> bytes:
    """An image, without a signature, with the CRC-32 of what is in it."""
    head, rest = image[:CRC_AT], image[KEY_AT:]
    return head + struct.pack("<I", zlib.crc32(head + rest)) + rest


def with_key(image: bytes, number: int) -> bytes:
    """An image that is to be signed by the key of that number."""
    return with_crc(image[:KEY_AT] + struct.pack("<I", number) + image[KEY_AT + 4 :])


def image_of(parts: Sequence[Part], interface: Interface, signature: Signing) -> Image:
    """Of all steps, each with tables of its own, and of all ports."""
    numbers: list[Number] = []
    pointers: list[Pointer] = []
    body = bytearray()

    def put(data: bytes, alignment: int) -> int:
        body.extend(bytes(-len(body) % alignment))
        body.extend(data)
        return HEADER_BYTES + len(body) - len(data)

    for number, port in enumerate(interface.ports):
        if port.is_quantized:
            data = struct.pack("<fh", port.scale, port.zero_point)
            target = f"{interface.name}_ports[{number}]"
            numbers.append(Number(target, put(data, 4), len(data)))
    for name, member in _all_members(parts):
        target = f"{name}.{member.name}"
        if member.is_table:
            values = np.ascontiguousarray(member.value)
            data = values.astype(values.dtype.newbyteorder("<")).tobytes()
            pointers.append(Pointer(target, put(data, ALIGNMENT), member.c_type))
        else:
            data = np.array(member.value, _NUMBERS[member.c_type]).tobytes()
            numbers.append(Number(target, put(data, len(data)), len(data)))
    body.extend(bytes(-len(body) % ALIGNMENT))
    return Image(bytes(body), tuple(numbers), tuple(pointers), signature)


def _all_members(parts: Sequence[Part]) -> Iterator[tuple[str, Member]]:
    """(the C name of the struct, what training may change of it), numbers before tables."""
    steps = [
        (part.names.node(step).removeprefix("&"), step)
        for part in parts
        for step in part.steps
        if step.has_constants
    ]
    every = [pair for name, step in steps for pair in _members(name, step.params)]
    yield from (pair for pair in every if not pair[1].is_table)
    yield from (pair for pair in every if pair[1].is_table)


def _members(name: str, params: object) -> Iterator[tuple[str, Member]]:
    for member in members(params):
        if member.is_struct:
            yield from _members(f"{name}.{member.name}", member.value)
        elif member.is_table or member.c_type in _NUMBERS:
            yield name, member


def layout_hash(text: str, interface: Interface, image: Image) -> bytes:
    """Of the C text without what the image has, of the shapes outside, of all places, and of how it
    is signed."""
    ports = [(port.shape, port.dtype.value, port.is_quantized) for port in interface.ports]
    places = [vars(each) for each in (*image.numbers, *image.pointers)]
    signed = (image.signature.value,) if image.signature.size_bytes else ()
    return hashlib.sha256(repr((text, ports, places, image.size_bytes, *signed)).encode()).digest()


def check_size(image: Image, name: str, int_max: int) -> None:
    """Raise UnsupportedError where a processor's `int` does not count the image's bytes."""
    if image.size_bytes > int_max:
        what = (
            f"the image of the weights has {image.size_bytes:,} bytes, expected at most "
            f"{int_max:,}, the most that an `int` of the target holds"
        )
        raise UnsupportedError.at(name, what, hint="leave the weights in flash, or take them out")
