"""A program that runs models and writes what each decides: int32 numbers, sample after sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.support.hand_written import CACHE
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import Compiled
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target


@dataclass(frozen=True)
class Probe:
    """A compiled model, and C expressions of integers; `@` stands for what a function is given
    first.  The text of `before` stands in front of them."""

    compiled: Compiled
    expressions: tuple[str, ...]
    before: str = ""

    @property
    def interface(self) -> Interface:
        return self.compiled.interface

    @property
    def input_bytes(self) -> int:
        return self.interface.inputs[0].count


def with_memory(text: str, interface: Interface) -> str:
    """A call's text with the arena where the model has one of its caller's."""
    if interface.argument:
        return text.replace("@, ", f"{interface.name}_memory, ").replace(
            "@", f"{interface.name}_memory"
        )
    return text.replace("@, ", "").replace("@", "")


def source_of(probes: Sequence[Probe]) -> str:
    """The C of the program's one model."""
    lines = ['#include "probe.h"', "#include <stdbool.h>"]
    lines += [f'#include "{probe.interface.name}.h"' for probe in probes]
    for probe in probes:
        name = probe.interface.name
        if probe.interface.arena is ArenaMode.CALLER:
            size = f"({name.upper()}_ARENA_BYTES + 3) / 4"
            lines.append(f"static int32_t {name}_memory[{size}];")
    count = sum(len(probe.expressions) for probe in probes)
    lines += [
        f"static int8_t given[{sum(probe.input_bytes for probe in probes)}];",
        f"static int32_t found[{count}];",
        "int8_t *probe_input(void) { return given; }",
        "const int32_t *probe_output(void) { return found; }",
        "void probe_invoke(void) {",
    ]
    first_byte = first_value = 0
    for probe in probes:
        lines += _run(probe, first_byte, first_value)
        first_byte += probe.input_bytes
        first_value += len(probe.expressions)
    return "\n".join([*lines, "}", ""])


def _run(probe: Probe, first_byte: int, first_value: int) -> list[str]:
    interface = probe.interface
    if interface.pushed_rows:
        step = interface.row_bytes
        loop = f"for (int i = 0; i < {interface.pushed_rows}; i++)"
        begin = [f"{interface.name}_begin(@);"] if interface.has_begin else []
        fill = [*begin, f"{loop} {{ {interface.entry}(@, given + {first_byte} + i * {step}); }}"]
    else:
        loop = f"for (int i = 0; i < {probe.input_bytes}; i++)"
        to = interface.inputs[0].accessor
        fill = [f"{loop} {{ {to}(@)[i] = given[{first_byte} + i]; }}", f"{interface.entry}(@);"]
    body = [*fill, probe.before]
    body += [
        f"found[{first_value + place}] = (int32_t)({text});"
        for place, text in enumerate(probe.expressions)
    ]
    return ["{", *(with_memory(line, interface) for line in body), "}"]


HEADER = """#include <stdint.h>
int8_t *probe_input(void);
const int32_t *probe_output(void);
void probe_invoke(void);
"""


def build_probes(target: Target, probes: Sequence[Probe], folder: Path) -> Image:
    """The program, whose input is that of all models one after the other."""
    sources: dict[str, str | bytes] = {"probe.h": HEADER, "probe.c": source_of(probes)}
    for probe in probes:
        sources |= probe.compiled.outputs
    count = sum(len(probe.expressions) for probe in probes)
    read = sum(probe.input_bytes for probe in probes)
    interface = Interface(
        "probe",
        (Port("given", "probe_input", (read,), 1.0, 0, False),),
        (Port("found", "probe_output", (count,), 0.0, 0, False, DType.INT32),),
    )
    return build_image(target, sources=sources, interface=interface, kind="test", folder=folder)


def run_probes(
    target: Target, probes: Sequence[Probe], samples: Sequence[AnyArray], folder: Path
) -> list[AnyArray]:
    """What each model decides of its samples, int8 in rows, of which all have as many."""
    image = build_probes(target, probes, folder)
    given = np.concatenate([each.reshape(len(each), -1) for each in samples], axis=1)
    result = run_image(target, image, given.astype(np.int8).tobytes(), cache=CACHE)
    found = np.frombuffer(result.output, "<i4").reshape(len(given), -1)
    ends = np.cumsum([len(probe.expressions) for probe in probes])
    return np.split(found, ends[:-1], axis=1)
