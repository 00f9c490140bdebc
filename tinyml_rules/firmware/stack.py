"""The worst-case stack of a linked firmware, computed without running it.

The deepest calls from reset on (`calls.py`), and on top of them every interrupt handler that may
be active with them (`interrupts.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tinyml_rules.errors import ToolError
from tinyml_rules.firmware.calls import CallGraph
from tinyml_rules.firmware.handlers import FAULT, find_handlers
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.interrupts import Frame, StackBound, nested
from tinyml_rules.firmware.linked_code import read_code
from tinyml_rules.firmware.loaded import Loaded
from tinyml_rules.target.target import Target


def worst_stacks(target: Target, image: Image) -> tuple[StackBound, int]:
    """The stack of the whole firmware from reset on, and bytes of one call of `<name>_invoke`.

    The latter includes the return address where the call instruction pushes it.

    Raises ToolError for recursion, an indirect call, or a frame without a bound.
    """
    graph, loaded = _read(target, image.elf, image.stack_usage_files, where=image.name)
    bound = _bound(target, graph, loaded, nesting={}, is_test=image.kind == "test")
    return bound, graph.worst(graph.address_of(image.invoke_symbol))


def worst_stack(
    target: Target,
    elf: Path,
    stack_usage_files: Iterable[Path],
    *,
    where: str,
    nesting: Mapping[str, int],
) -> StackBound:
    """The stack of a program with the user's own code; raises the same errors.

    `nesting`: how often a handler may be active at once, by its name.  Raises UsageError for one
    that may interrupt itself and is not named there, and for a name that no handler has.
    """
    graph, loaded = _read(target, elf, stack_usage_files, where=where)
    return _bound(target, graph, loaded, nesting=nesting, is_test=False)


def _bound(
    target: Target, graph: CallGraph, loaded: Loaded, *, nesting: Mapping[str, int], is_test: bool
) -> StackBound:
    main = graph.worst(graph.reset) - graph.code.return_address_bytes
    found = find_handlers(target, graph, loaded, is_test=is_test)
    bound = nested(target.architecture, graph, main, found, nesting=nesting)
    return replace(bound, path=tuple(_path(graph)))


def _path(graph: CallGraph) -> Iterator[Frame]:
    """The deepest calls; the processor enters the first without a return address."""
    pushed = graph.code.return_address_bytes
    for address, added in graph.path(graph.reset):
        yield Frame(graph.name(address), added - (pushed if address == graph.reset else 0))


def _read(
    target: Target, elf: Path, files: Iterable[Path], *, where: str
) -> tuple[CallGraph, Loaded]:
    code, loaded = read_code(target, elf, where=where)
    replaced = () if FAULT in loaded.weak else (FAULT,)
    frames = read_frames(files, where=where, replaced=replaced)
    return CallGraph(code, frames, where=where), loaded


def read_frames(
    files: Iterable[Path], *, where: str, replaced: Collection[str] = ()
) -> dict[str, int]:
    """Bytes of stack of each function itself, from GCC's `.su` files.

    Of two static functions with one name the larger counts; of those of startup code not the
    `replaced` ones, in whose place the program has its own, perhaps in assembly.
    """
    frames: dict[str, int] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            location, size, qualifier = line.split("\t")
            source, *_, function = location.rsplit(":", 3)
            if function in replaced and Path(source).name == "startup.c":
                continue
            if qualifier == "dynamic":
                raise ToolError.at(where, f"the stack frame of {function} has no bound")
            frames[function] = max(frames.get(function, 0), int(size))
    return frames
