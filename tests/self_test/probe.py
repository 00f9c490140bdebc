"""Images whose model is a self test: what it returned is their only output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.hand_written import interface
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.request.request import Request

PASSED, CONSTANTS, WEIGHTS, INFERENCE, STACK = range(5)
"""As the header has them."""
HEADER = "#include <stdint.h>\nint8_t *probe_io(void);\nvoid probe_invoke(void);\n"


def probe_source(
    name: str, *, is_given_memory: bool = False, before: str = "", outside: str = ""
) -> str:
    """`before`: C in front of the call, for one that is to find something; `outside`: C in front of
    the function."""
    memory = f"static long long arena[({name.upper()}_ARENA_BYTES + 7) / 8 + 1];"
    return f"""
#include "{name}.h"
#include "probe.h"
{outside}
static int8_t probe_value;
{memory if is_given_memory else ""}
int8_t *probe_io(void) {{ return &probe_value; }}
void probe_invoke(void) {{
    {before}
    probe_value = (int8_t){name}_selftest({"arena" if is_given_memory else ""});
}}
"""


def compiled_probe(request: Request, *, before: str = "", outside: str = "") -> Compiled:
    """The model with its self test, and the C that calls it."""
    compiled = compile_model(replace(request, selftest=True))
    is_given_memory = bool(compiled.interface.argument)
    text = probe_source(
        request.name, is_given_memory=is_given_memory, before=before, outside=outside
    )
    files = {**compiled.files, "probe.h": HEADER, "probe.c": text}
    probe = interface("probe", {"probe_io": 1}, {"probe_io": 1})
    probe = replace(
        probe,
        page_bytes=compiled.interface.page_bytes,
        weights_bytes=compiled.interface.weights_bytes,
    )
    weights = list(compiled.binaries.values())
    binaries = {"probe.weights.bin": weights[0]} if weights else {}
    return replace(compiled, files=files, interface=probe, binaries=binaries)


def probe_image(request: Request, folder: Path, *, before: str = "", outside: str = "") -> Image:
    """The image that runs it once for each byte of input."""
    compiled = compiled_probe(request, before=before, outside=outside)
    return build_image(
        request.target,
        sources=compiled.outputs,
        interface=compiled.interface,
        kind="test",
        folder=folder,
    )
