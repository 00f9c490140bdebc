"""Python values as C text: array tables, struct initialisers and literals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass

import numpy as np

from tinyml_rules.ir.graph import Array

_LINE_WIDTH = 96
_BYTES_A_LINE = 24
_C_TYPES = {"int8": "int8_t", "int32": "int32_t"}


def comment(text: str) -> str:
    """Any text, safe within a C comment: printable ASCII without quotes, `*`, `/` and `\\`."""
    return re.sub(r"[^ !#-)+-.0->@-\[\]-~]", "?", text)


def float_literal(value: float) -> str:
    """A float32 that reads back as the same number."""
    text = str(np.float32(value))
    return f"{text}f" if re.search(r"[.e]", text) else f"{text}.0f"


def integer_literal(value: int) -> str:
    """An integer that fits int32, written so that it is one on a 16-bit machine too."""
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)


def sum_words(*, wraps: bool) -> dict[str, Callable[[str, str], str]]:
    """What a template says for an int32 `plus` another, or one to `increase` by another, and for a
    number `times` another within such a sum.

    With `wraps` the sum is unsigned, so that one beyond int32 is defined, and wraps.
    """
    if wraps:
        return {
            "plus": lambda one, other: f"(int32_t)((uint32_t){one} + (uint32_t)({other}))",
            "increase": lambda to, term: f"{to} = (int32_t)((uint32_t){to} + (uint32_t)({term}));",
            "times": lambda one, other: f"(uint32_t){one} * (uint32_t){other}",
        }
    return {
        "plus": lambda one, other: f"{one} + {other}",
        "increase": lambda to, term: f"{to} += {term};",
        "times": lambda one, other: f"{one} * {other}",
    }


def names_identifier(text: str, identifier: str) -> bool:
    """Whether C text names it, as a word of its own."""
    return re.search(rf"\b{identifier}\b", text) is not None


def array(name: str, values: Array, *, space: str) -> str:
    """A constant table of the values in memory order; `space` qualifies where it lies."""
    flat = values.reshape(-1)
    lines = "\n".join(_wrapped([integer_literal(int(value)) for value in flat.tolist()]))
    c_type = _C_TYPES[str(flat.dtype)]
    return f"static const {c_type} {space}{name}[{flat.size}] = {{\n{lines}\n}};"


def far_array(name: str, values: Array) -> str:
    """A constant table of int8 that may lie anywhere in the flash of an AVR, as `__memx`.

    In assembly, because GCC refuses an object of more than 32767 bytes there.  Among the code, and
    not in `.progmemx`: the linker script of binutils takes that for a kind of `.progmem` and so
    pushes what has to be near, the firmware's own tables included, out of reach.
    """
    assert str(values.dtype) == "int8"
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
    return f"extern const int8_t __memx {name}[];\n__asm__({text});"


def _wrapped(items: list[str]) -> Iterator[str]:
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > _LINE_WIDTH:
            yield line
            line = "   "
        line += f" {item},"
    yield line


def struct_initialiser(name: str, params: object, *, indent: int = 1) -> str:
    """`{ .member = value, ... }` from a dataclass; an array becomes a pointer to its table."""
    assert is_dataclass(params)
    lines = []
    for field in fields(params):
        value = getattr(params, field.name)
        if isinstance(value, np.ndarray):
            text = f"{name}_{field.name}"
        elif is_dataclass(value):
            text = struct_initialiser(name, value, indent=indent + 1)
        else:
            text = integer_literal(int(value))
        lines.append(f"{'    ' * indent}.{field.name} = {text},")
    return "{\n" + "\n".join(lines) + "\n" + "    " * (indent - 1) + "}"
