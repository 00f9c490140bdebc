"""Builds a test image around pieces of emit/runtime, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from tests.support.images import linked
from tinyml_rules.emit.runtime import pieces_for, template_of
from tinyml_rules.emit.templates_of import PACKAGE
from tinyml_rules.emit.words import sum_words
from tinyml_rules.firmware.image import Image
from tinyml_rules.target.target import Target


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
        loader=jinja2.FileSystemLoader([PACKAGE, PACKAGE / "emit"]),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the output is C
    )
    texts = [
        environment.get_template(
            template_of(piece, target.features).relative_to(PACKAGE).as_posix()
        ).render(p="", **sum_words(wraps=wraps).context, **words)
        for piece in pieces_for(pieces, target.features)
    ]
    source = folder / "main.c"
    source.write_text(environment.from_string(main.read_text()).render(pieces=texts, **words))
    return linked(target, [source], folder, name="pieces")
