"""Builds a test image around pieces of emit/runtime, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from tinyml_rules.emit import runtime
from tinyml_rules.emit.runtime import pieces_for, template_of
from tinyml_rules.emit.words import sum_words
from tinyml_rules.firmware.build import link_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.support import FIRMWARE_FOLDER, support_sources
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target

_EMIT = Path(runtime.__file__).parent.parent


def build_around_pieces(
    target: Target,
    folder: Path,
    *,
    main: Path,
    pieces: Sequence[str],
    wraps: bool = False,
    **words: Any,
) -> Image:
    """The template `main` around the pieces in the form that the target's features choose."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_EMIT),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the output is C
    )
    texts = [
        environment.get_template(
            template_of(piece, target.features).relative_to(_EMIT).as_posix()
        ).render(p="", **sum_words(wraps=wraps).context, **words)
        for piece in pieces_for(pieces, target.features)
    ]
    source = folder / "main.c"
    source.write_text(environment.from_string(main.read_text()).render(pieces=texts, **words))
    sources = (source, *support_sources(target, kind="test"))
    image = Image(
        name="pieces",
        invoke_symbol="main",
        kind="test",
        elf=folder / "pieces.elf",
        map_file=folder / "pieces.map",
        objects=tuple(folder / f"{each.stem}.o" for each in sources),
        model_objects=(),
    )
    for each, file in zip(sources, image.objects, strict=True):
        command = target.toolchain.compile_command(each, file, include=(FIRMWARE_FOLDER,))
        run_tool(command, where=each.name)
    link_image(target, image)
    return image
