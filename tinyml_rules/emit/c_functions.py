"""C functions of the firmware's own that a model calls: what the generated header declares."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from tinyml_rules.emit.c_text import struct_declaration
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_struct import members
from tinyml_rules.ir.program import Form, Program, Step

FLASH = "TINYML_FLASH"
"""What the header calls the qualifier of pointers to constants, for code that runs on any part."""


def c_functions(program: Program) -> dict[str, str]:
    """{name: struct, if it has members, and prototype}.  Raises UsageError for a function that two
    nodes call with other types."""
    found: dict[str, str] = {}
    first: dict[str, Step] = {}
    for step in program.steps:
        if not step.kernel.is_c_function:
            continue
        name, text = step.kernel.name, "\n".join(_declared(program, step))
        known = first.setdefault(name, step)
        if found.setdefault(name, text) != text:
            what = (
                f"calls the C function '{name}' with other types than node {known.node.index}, "
                "expected a function of its own"
            )
            raise UsageError.at(program.graph.where(step.node), what)
    return found


def _declared(program: Program, step: Step) -> Iterator[str]:
    """Models that share a function share the struct too: the same is declared once, and another of
    the same name is an error of the C compiler, as a prototype is."""
    name = step.kernel.name
    parameters = list(_parameters(program, step))
    if any(members(step.params)):
        flash = f"{FLASH} "
        struct = struct_declaration(
            f"{name}_params", step.params, prefix="", pointer=flash, far=flash
        )
        once = f"{name.upper()}_PARAMS_{zlib.crc32(struct.encode()):08X}"
        yield f"#ifndef {once}\n#define {once}\n{struct}\n#endif"
        parameters.insert(0, f"const struct {name}_params {FLASH} *params")
    yield f"void {name}({', '.join(parameters)});"


def _parameters(program: Program, step: Step) -> Iterator[str]:
    """The tensors; a variable is read and written.  Then the scratch memory, and the count."""
    tensors = program.graph.tensors
    for number, index in enumerate(step.inputs):
        const = "" if tensors[index].is_variable else "const "
        name = f"input_{number}" if len(step.inputs) > 1 else "input"
        yield f"{const}{tensors[index].dtype.c_type} *{name}"
    for number, index in enumerate(step.outputs):
        name = f"output_{number}" if len(step.outputs) > 1 else "output"
        yield f"{tensors[index].dtype.c_type} *{name}"
    for number in range(len(step.scratch)):
        yield f"int8_t *scratch_{number}"
    if step.kernel.form is Form.POINTWISE:
        yield "int count"
