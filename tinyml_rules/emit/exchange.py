"""A model whose constants are an image: what its C has besides, and the image."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tinyml_rules.cores import qualifiers_of
from tinyml_rules.emit.constants import exchanged_constants, image_text, sizes_alone
from tinyml_rules.emit.image import (
    ALIGNMENT,
    CRC_AT,
    FORMAT,
    HASH_BYTES,
    HEADER_BYTES,
    MAGIC,
    check_size,
    image_of,
    layout_hash,
)
from tinyml_rules.emit.parts import Part
from tinyml_rules.ir.interface import Interface
from tinyml_rules.target.target import Target

_SECTIONS = {"avr": ".progmem.tinyml."}
_SECTION = ".rodata.tinyml."
"""By architecture: linker scripts take what begins so for constants."""


def exchanged(
    parts: Sequence[Part],
    interface: Interface,
    text: Callable[..., str],
    *,
    version: int,
    target: Target,
) -> tuple[Mapping[str, object], bytes]:
    """The words of the templates, and the image.  `text`: the C for such words.  Raises
    UnsupportedError for an image that the target cannot count."""
    image = image_of(parts, interface)
    check_size(image, interface.name, target.int_max)
    layout = layout_hash(text(constants=list(sizes_alone(parts)), sha256=""), interface, image)
    sha256 = bytes.fromhex(parts[-1].names.schedule.program.graph.sha256)
    data = image.file(layout=layout, model=sha256, version=version)
    flash = qualifiers_of(target.features).flash
    name = f"{interface.name}_image"
    section = _SECTIONS.get(target.architecture, _SECTION) + interface.name
    whole = image_text(name, data, section=section, flash=flash, alignment=ALIGNMENT)
    words = {
        "constants": [whole, *exchanged_constants(parts, image, name=name, flash=flash)],
        "image": image,
        "image_alignment": ALIGNMENT,
        "image_magic": f"0x{int.from_bytes(MAGIC, 'little'):08x}",
        "image_format": f"0x{HEADER_BYTES << 16 | FORMAT:08x}",
        "image_crc_at": CRC_AT,
        "layout_hash": list(layout[:HASH_BYTES]),
    }
    return words, data
