"""Builds the firmware around one compiled model: compile, link, and say what does not fit.

For the command line and the tests; the SCons front end runs the same commands itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import jinja2

from tinyml_rules.errors import DoesNotFitError, ToolError, UsageError
from tinyml_rules.firmware.image import Image, Kind
from tinyml_rules.firmware.measure import check_fits, measure_image
from tinyml_rules.firmware.ram import static_ram_bytes
from tinyml_rules.firmware.support import (
    FIRMWARE_FOLDER,
    link_memory,
    read_ahead,
    support_sources,
    weights_file,
    weights_source,
)
from tinyml_rules.ir.interface import Interface
from tinyml_rules.system.ours import check_ours
from tinyml_rules.system.process import run_tool
from tinyml_rules.system.templates import templates
from tinyml_rules.target.missing import require_tools
from tinyml_rules.target.target import Target
from tinyml_rules.target.toolchain import Memory, MemoryRegion

_OVERFLOW = re.compile(r"region `\w+' overflowed|will not fit in region|is not within region")
_OTHER_FOLDER = "build in a folder of its own"
_ROOM_TO_MEASURE = 64
"""Factor by which the memory is enlarged to link a firmware whose excess size is to be reported."""


@dataclass(frozen=True)
class ModelObjects:
    """One compiled model, to be linked into images that are made in `folder`."""

    interface: Interface
    folder: Path
    sources: Path
    """The folder with the compiler's files."""
    files: tuple[Path, ...]


def build_image(
    target: Target,
    *,
    sources: Mapping[str, str | bytes] | Path,
    interface: Interface,
    kind: Kind = "minimal",
    folder: Path,
) -> Image:
    """Compile and link the firmware of one model into `folder`, which is made.

    `sources`: the compiler's files by name, or the folder that holds them.  Raises ToolError
    if a tool is missing or fails, DoesNotFitError if the linker runs out of memory.
    """
    model = compile_objects(target, sources=sources, interface=interface, folder=folder)
    return build_image_around(target, model, kind=kind)


def compile_objects(
    target: Target,
    *,
    sources: Mapping[str, str | bytes] | Path,
    interface: Interface,
    folder: Path,
) -> ModelObjects:
    """The first half of `build_image`: the objects that both kinds of images share."""
    require_tools(target, for_runs=False)
    _make_folder(folder)
    source_folder = _write_sources(sources, folder / "model")
    flags, headers = read_ahead(target) if interface.has_external_weights else ([], [])
    include = (source_folder, FIRMWARE_FOLDER, *headers)
    found = sorted(source_folder.glob("*.c"))
    files = _compile(target, found, folder / "model_objects", include=include, more=flags)
    return ModelObjects(interface, folder, source_folder, files)


def build_image_around(
    target: Target, model: ModelObjects, *, kind: Kind, is_watched: bool = False
) -> Image:
    """The second half: compile what is not the model, and link."""
    interface, folder = model.interface, model.folder
    main = folder / f"{kind}_main.c"
    check_ours([main.name], folder, hint=_OTHER_FOLDER)
    main.write_text(render_main(interface, kind=kind), encoding="utf-8", newline="\n")
    support = [main, *support_sources(target, kind=kind, is_watched=is_watched)]
    if interface.has_external_weights:
        support.append(weights_source(target, kind=kind))
    include = (model.sources, FIRMWARE_FOLDER)
    rest = _compile(target, support, folder / f"{kind}_objects", include=include)
    image = Image(
        name=interface.name,
        invoke_symbol=interface.outermost if kind == "minimal" else interface.entry,
        kind=kind,
        elf=folder / f"{interface.name}_{kind}.elf",
        map_file=folder / f"{interface.name}_{kind}.map",
        objects=(*model.files, *rest),
        model_objects=model.files,
        weights=weights_file(model.sources, interface),
    )
    link_image(target, image)
    return image


def render_main(interface: Interface, *, kind: Kind) -> str:
    """The C file with main() for a model of this interface."""
    return _templates().get_template(f"{kind}_main.c.j2").render(model=interface)


@cache
def _templates() -> jinja2.Environment:
    return templates(FIRMWARE_FOLDER, escapes=False)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError.at(str(folder), f"cannot be a folder ({error.strerror})") from error


def _write_sources(sources: Mapping[str, str | bytes] | Path, folder: Path) -> Path:
    if isinstance(sources, Path):
        return sources
    folder.mkdir(exist_ok=True)
    check_ours(sources, folder, hint=_OTHER_FOLDER)
    for name, content in sources.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
    return folder


def _compile(
    target: Target,
    sources: Sequence[Path],
    folder: Path,
    *,
    include: Sequence[Path],
    more: Sequence[str] = (),
) -> tuple[Path, ...]:
    folder.mkdir(exist_ok=True)
    objects = []
    for source in sources:
        object_file = folder / f"{source.stem}.o"
        command = target.toolchain.compile_command(source, object_file, include=include, more=more)
        run_tool(command, where=source.name)
        objects.append(object_file)
    return tuple(objects)


def link_image(target: Target, image: Image) -> None:
    """Link the objects of `image`; DoesNotFitError with the figures if the linker runs out."""
    memory = link_memory(target, image.kind)
    try:
        _link_into(target, image, memory=memory)
    except ToolError as error:
        if memory is None or not _OVERFLOW.search(str(error)):
            raise
        _raise_does_not_fit(target, image, memory=memory, linker_error=error)


def _link_into(target: Target, image: Image, *, memory: Memory | None) -> None:
    toolchain = target.toolchain

    def link(variables_bytes: int | None) -> None:
        command = toolchain.link_command(
            image.objects,
            image.elf,
            map_file=image.map_file,
            memory=memory,
            variables_bytes=variables_bytes,
        )
        run_tool(command, where=image.name)

    link(None)
    if memory is not None and toolchain.links_twice:
        link(static_ram_bytes(image.elf, memory))


def _raise_does_not_fit(
    target: Target, image: Image, *, memory: Memory, linker_error: ToolError
) -> None:
    """Link once more with room to spare, so that the error can name sizes and consumers."""
    room = _room_to_measure(memory)
    try:
        _link_into(target, image, memory=room)
        size = measure_image(replace(target, memory=room, test_memory=room), image)
    except ToolError:
        raise DoesNotFitError(linker_error.problems) from linker_error
    finally:
        image.elf.unlink(missing_ok=True)  # nobody may take it for a firmware
    check_fits(target, size, where=image.name, kind=image.kind)
    raise DoesNotFitError(linker_error.problems) from linker_error


def _room_to_measure(memory: Memory) -> Memory:
    """Every region much larger.  RAM below flash grows downwards, so as not to run into it."""

    def larger(region: MemoryRegion) -> MemoryRegion:
        return replace(region, bytes=region.bytes * _ROOM_TO_MEASURE)

    ram = larger(memory.ram)
    if memory.ram.origin < memory.flash.origin:
        ram = replace(ram, origin=memory.ram.origin + memory.ram.bytes - ram.bytes)
    return Memory(
        flash=larger(memory.flash),
        ram=ram,
        regions={name: larger(region) for name, region in memory.regions.items()},
    )
