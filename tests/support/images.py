"""Test images: objects of models, a program around them, and what every firmware of a part has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2

from tinyml_rules.firmware.build import link_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.support import FIRMWARE_FOLDER, support_sources
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target


@cache
def main_template(file: Path) -> jinja2.Template:
    """Of the program around models: a word that nobody gives is an error."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the output is C
    )
    return environment.from_string(file.read_text(encoding="utf-8"))


def object_of(target: Target, source: Path, folder: Path, *, compiler: Sequence[str] = ()) -> Path:
    """The object of a C file that includes what is in the folder; `compiler`: with its flags, in
    place of the target's own."""
    file = folder / f"{source.stem}.o"
    command = target.toolchain.compile_command(source, file, include=(folder, FIRMWARE_FOLDER))
    if compiler:
        command = [*compiler, "-c", str(source), "-o", str(file)]
    run_tool(command, where=source.name)
    return file


def linked(
    target: Target,
    sources: Sequence[Path],
    folder: Path,
    *,
    name: str,
    models: Sequence[Path] = (),
    invoke_symbol: str = "main",
    weights: Path | None = None,
) -> Image:
    """The image of objects of models, and of sources with those that every test image has."""
    every = (*sources, *support_sources(target, kind="test"))
    image = Image(
        name=name,
        invoke_symbol=invoke_symbol,
        kind="test",
        elf=folder / f"{name}.elf",
        map_file=folder / f"{name}.map",
        objects=(*models, *(object_of(target, source, folder) for source in every)),
        model_objects=tuple(models),
        weights=weights,
    )
    link_image(target, image)
    return image
