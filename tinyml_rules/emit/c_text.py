"""Python values as C text: array tables, struct initialisers and literals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tinyml_rules.ir.c_struct import TABLE_TYPES, members
from tinyml_rules.ir.graph import Array

_LINE_WIDTH = 96
_BYTES_A_LINE = 24


def comment(text: str) -> str:
    """Any text, safe within a C comment: printable ASCII without quotes, `\\`, what begins or ends
    a comment, and trigraphs."""
    text = re.sub(r"[^ !#-\[\]-~]", "?", text)
    return re.sub(r"(?<=\*)/|(?<=/)\*|(?<=\?)\?", "_", text)


def float_literal(value: float) -> str:
    """A float32 that reads back as the same number; one that is no number, as a quotient."""
    number = np.float32(value)
    if np.isnan(number):
        return "(0.0f / 0.0f)"
    if np.isinf(number):
        return "(1.0f / 0.0f)" if number > 0 else "(-1.0f / 0.0f)"
    text = str(number)
    return f"{text}f" if re.search(r"[.e]", text) else f"{text}.0f"


def literal(c_type: str, value: Any) -> str:
    """A number of a C type."""
    return _WRITERS.get(c_type, integer_literal)(value)


def integer_literal(value: int) -> str:
    """An integer that fits int32, written so that it is one on a 16-bit machine too."""
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)


def _int64_literal(value: int) -> str:
    return "(-9223372036854775807LL - 1)" if value == -(2**63) else f"{value}LL"


def _unsigned_writer(suffix: str) -> Callable[[int], str]:
    return lambda value: f"{value}{suffix}" if value > 2**31 - 1 else str(value)


_WRITERS: dict[str, Callable[[Any], str]] = {
    "float": float_literal,
    "int64_t": _int64_literal,
    "uint32_t": _unsigned_writer("UL"),
    "uint64_t": _unsigned_writer("ULL"),
}
"""How numbers are written, by their C type; those of others by `integer_literal`."""


def names_identifier(text: str, identifier: str) -> bool:
    """Whether C text names it, as a word of its own."""
    return re.search(rf"\b{identifier}\b", text) is not None


def array(name: str, values: Array, *, space: str) -> str:
    """A constant table of the values in memory order; `space` qualifies its place."""
    flat = values.reshape(-1)
    c_type = TABLE_TYPES[str(flat.dtype)]
    write = _WRITERS.get(c_type, integer_literal)
    lines = "\n".join(_wrapped([write(value) for value in flat.tolist()]))
    return f"static const {c_type} {space}{name}[{flat.size}] = {{\n{lines}\n}};"


def far_array(name: str, values: Array) -> str:
    """A constant table of bytes that may be anywhere in the flash of an AVR, as `__memx`.

    In assembly, because GCC refuses an object of more than 32767 bytes there.  Among the code, and
    not in `.progmemx`: the linker script of binutils takes that for a kind of `.progmem` and so
    pushes what has to be near, the firmware's own tables included, out of reach.
    """
    assert values.itemsize == 1
    flat = values.reshape(-1).tolist()
    lines = [
        f'.section .text.tinyml_far.{name}, \\"a\\", @progbits',
        f".type {name}, @object",
        f".size {name}, {len(flat)}",
        f"{name}:",
        *(
            f"    .byte {', '.join(map(str, flat[start : start + _BYTES_A_LINE]))}"
            for start in range(0, len(flat), _BYTES_A_LINE)
        ),
        ".balign 2",  # code may follow
        ".text",
    ]
    text = "\n".join(f'        "{line}\\n"' for line in lines).lstrip()
    return f"extern const {TABLE_TYPES[str(values.dtype)]} __memx {name}[];\n__asm__({text});"


def _wrapped(items: list[str]) -> Iterator[str]:
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > _LINE_WIDTH:
            yield line
            line = "   "
        line += f" {item},"
    yield line


def struct_declaration(name: str, params: object, *, prefix: str, pointer: str, far: str) -> str:
    """`struct name { ... };`; pointers to tables are qualified with `pointer`, the one to weights
    that are far away with `far`, and structs of other names begin with `prefix`.  Nothing without
    members: an empty struct is not C."""
    lines: list[str] = []
    for member in members(params):
        if member.is_table:
            space = far if member.name == "weights" else pointer
            lines.append(f"    const {member.c_type} {space}*{member.name};")
        elif member.is_struct:
            lines.append(f"    struct {prefix}{member.c_type} {member.name};")
        else:
            lines.append(f"    {member.c_type} {member.name};")
    return "\n".join([f"struct {name} {{", *lines, "};"]) if lines else ""


def moved(address: str, by: str | int) -> str:
    """The address of an element, or a pointer, so many elements further on."""
    if by == 0:
        return address
    if address.startswith("&") and address.endswith("]"):
        return f"{address[:-1]} + {by}]"
    return f"&{address}[{by}]" if address.isidentifier() else f"&({address})[{by}]"


def struct_initialiser(
    params: object, table_names: Mapping[str, str] | None, *, indent: int = 1
) -> str:
    """`{ .member = value, ... }`; a table is named by its C name.  Without names, sizes alone."""
    lines = []
    for member in members(params):
        if member.is_struct:
            none: dict[str, str] | None = None if table_names is None else {}
            text = struct_initialiser(member.value, none, indent=indent + 1)
        elif table_names is None:
            text = str(member.value) if member.c_type == "int" and not member.is_table else "?"
        elif member.is_table:
            text = table_names[member.name]
        else:
            text = literal(member.c_type, member.value)
        lines.append(f"{'    ' * indent}.{member.name} = {text},")
    return "{\n" + "\n".join(lines) + "\n" + "    " * (indent - 1) + "}"
