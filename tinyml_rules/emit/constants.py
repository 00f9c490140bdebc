"""The constants of a model as C text: tables and structs in flash, or, where they can be exchanged,
structs in RAM whose values and tables are an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml_rules.emit.c_text import array, far_array, struct_initialiser
from tinyml_rules.emit.image import Image
from tinyml_rules.emit.parts import Part
from tinyml_rules.emit.self_test import table_names

_BYTES_A_LINE = 24


def constants(parts: Sequence[Part], *, flash: str, table: str) -> Iterator[str]:
    """The tables of each step, those that another has already left out, then its struct."""
    known = table_names(parts)
    written: set[object] = set()
    steps = ((part.names, step) for part in parts for step in part.steps)
    for names, step in steps:
        if not step.has_constants:
            continue
        name = names.node(step).removeprefix("&")
        found = {}
        for member, values in step.tables.items():
            is_new = values.key not in written
            written.add(values.key)
            found[member] = known[values.key]
            if is_new and values.is_far:
                yield far_array(found[member], values.values)
            elif is_new:
                yield array(found[member], values.values, space=table)
        struct = f"struct {names.function(step)}_params"
        initialiser = struct_initialiser(step.params, found)
        yield f"static const {struct} {flash}{name} = {initialiser};"


def exchanged_constants(
    parts: Sequence[Part], image: Image, *, name: str, flash: str
) -> Iterator[str]:
    """A struct a step, which begins with what the compiled image `name` has."""
    for part in parts:
        for step in part.steps:
            if step.has_constants:
                node = part.names.node(step).removeprefix("&")
                found = {}
                for member in step.tables:
                    table = image.pointer(f"{node}.{member}")
                    place = f"(const void {flash}*)({name} + {table.offset})"
                    found[member] = f"(const {table.c_type} {flash}*){place}"
                struct = f"struct {part.names.function(step)}_params"
                yield f"static {struct} {node} = {struct_initialiser(step.params, found)};"


def sizes_alone(parts: Sequence[Part]) -> Iterator[str]:
    """What of these structs stays when the image is another one."""
    for part in parts:
        for step in part.steps:
            if step.has_constants:
                node = part.names.node(step).removeprefix("&")
                yield f"{part.names.function(step)} {node} {struct_initialiser(step.params, None)}"


def image_text(name: str, data: bytes, *, section: str, flash: str, alignment: int) -> str:
    """The image itself, in a section of its own."""
    where = f'__attribute__((used, aligned({alignment}), section("{section}")))'
    lines = [
        f"    {', '.join(map(str, data[start : start + _BYTES_A_LINE]))},"
        for start in range(0, len(data), _BYTES_A_LINE)
    ]
    body = "\n".join(lines)
    return f"const {flash}uint8_t {name}[{len(data)}] {where} = {{\n{body}\n}};"
