"""A model whose constants are an image: what its C has besides, and the image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinyml_rules.cores import qualifiers_of
from tinyml_rules.emit.constants import exchanged_constants, image_text, sizes_alone
from tinyml_rules.emit.image import (
    ALIGNMENT,
    CRC_AT,
    FORMAT,
    HASH_BYTES,
    HEADER_BYTES,
    KEY_AT,
    MAGIC,
    SIGNED_FORMAT,
    Number,
    Pointer,
    check_size,
    image_of,
    layout_hash,
)
from tinyml_rules.emit.parts import Part
from tinyml_rules.ir.interface import Interface
from tinyml_rules.ir.signing import Signing
from tinyml_rules.target.target import Target

_SECTIONS = {"avr": ".progmem.tinyml."}
_SECTION = ".rodata.tinyml."
"""By architecture: linker scripts take what begins so for constants."""


@dataclass(frozen=True)
class ImageWords:
    """What the templates say of an image that can be exchanged."""

    numbers: Sequence[Number]
    pointers: Sequence[Pointer]
    size_bytes: int
    """With the header, and the signature."""
    layout: bytes
    """Bytes of the hash of the layout that an image has to have."""
    signature: Signing
    """By what an image is signed."""
    alignment: int = ALIGNMENT
    """Bytes: an image begins at a multiple of it."""
    magic: str = f"0x{int.from_bytes(MAGIC, 'little'):08x}"
    """The first four bytes of an image as a C number."""
    crc_at: int = CRC_AT
    """Byte of an image at which its CRC-32 begins."""
    key_at: int = KEY_AT
    """Byte of an image at which the number of its key begins, where it is signed."""

    @property
    def signature_bytes(self) -> int:
        """Of the signature at an image's end; 0 without one."""
        return self.signature.size_bytes

    @property
    def format(self) -> str:
        """The four bytes after the magic: size of the header and number of the format, as a C
        number."""
        number = SIGNED_FORMAT if self.signature_bytes else FORMAT
        return f"0x{HEADER_BYTES << 16 | number:08x}"


def exchanged(
    parts: Sequence[Part],
    interface: Interface,
    text: Callable[[Sequence[str]], str],
    *,
    version: int,
    signature: Signing,
    target: Target,
) -> tuple[Sequence[str], ImageWords, bytes]:
    """The constants as C text, what the templates say of the image, and the image itself.  `text`:
    the C with such constants and without the hash of a model's file.  Raises UnsupportedError for
    an image that the target cannot count."""
    image = image_of(parts, interface, signature)
    check_size(image, interface.name, target.int_max)
    layout = layout_hash(text(list(sizes_alone(parts))), interface, image)
    sha256 = bytes.fromhex(parts[-1].names.schedule.program.graph.sha256)
    data = image.file(layout=layout, model=sha256, version=version)
    flash = qualifiers_of(target.features).flash
    name = f"{interface.name}_image"
    section = _SECTIONS.get(target.architecture, _SECTION) + interface.name
    whole = image_text(name, data, section=section, flash=flash, alignment=ALIGNMENT)
    texts = [whole, *exchanged_constants(parts, image, name=name, flash=flash)]
    words = ImageWords(
        image.numbers, image.pointers, image.size_bytes, layout[:HASH_BYTES], signature
    )
    return texts, words, data
