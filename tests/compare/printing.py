"""Firmware that prints its inferences: what a device's log would hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.hand_written import CACHE, interface
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.interface import Interface
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image

_HEADER = "#include <stdint.h>\nint8_t *printing_io(void);\nvoid printing_invoke(void);\n"
_SOURCE = """
#include <stddef.h>
#include "{name}.h"
#include "printing.h"
void tinyml_port_write(const void *, size_t);
static int8_t value;
{arena}
static uint32_t x = 1;
static void put(char letter) {{ tinyml_port_write(&letter, 1); }}
static void fill(void *memory, int count)
{{
    for (int8_t *byte = memory; count > 0; count--) {{
        x = x * 1664525u + 1013904223u;
        *byte++ = (int8_t)(x >> 24);
    }}
}}
int8_t *printing_io(void) {{ return &value; }}
void printing_invoke(void)
{{
    {call}
    {name}_dump_outputs({argument}put);
}}
"""


def _call(interface: Interface, argument: str) -> str:
    """C that fills the inputs, prints them and runs the model."""
    name = interface.name
    if interface.pushed_rows:
        row = f"static {interface.inputs[0].c_type} row[{interface.row_count}];"
        work = (
            f"fill(row, sizeof row); {name}_dump_row(y, row, put); {name}_push_row({argument}row);"
        )
        return f"{row} for (int y = 0; y < {interface.pushed_rows}; y++) {{ {work} }}"
    memory = argument.removesuffix(", ")
    filled = "".join(
        f"fill({each.accessor}({memory}), {each.size_bytes}); " for each in interface.inputs
    )
    return f"{filled}{name}_dump_inputs({argument}put); {name}_invoke({memory});"


def printed(request: Request, folder: Path, *, inferences: int = 2) -> bytes:
    """What the firmware of the part prints, on its emulator."""
    compiled = compile_model(replace(request, dump=True))
    has_arena = bool(compiled.interface.argument)
    size = f"({request.name.upper()}_ARENA_BYTES + 7) / 8 + 1"
    argument = "arena, " if has_arena else ""
    text = _SOURCE.format(
        name=request.name,
        arena=f"static long long arena[{size}];" if has_arena else "",
        call=_call(compiled.interface, argument),
        argument=argument,
    )
    image = build_image(
        request.target,
        sources={**compiled.files, "printing.h": _HEADER, "printing.c": text},
        interface=interface("printing", {"printing_io": 1}, {"printing_io": 1}),
        kind="test",
        folder=folder,
    )
    return run_image(request.target, image, bytes(inferences), cache=CACHE).output
