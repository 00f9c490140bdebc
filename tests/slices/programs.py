"""A program that runs models in slices: all inputs in, all outputs out, sample after sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.decide.probes import HEADER
from tests.support.hand_written import CACHE
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import Compiled
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

SIZES = (1, 2, 7)
"""Of slices; with several, samples take turns."""


@dataclass(frozen=True)
class Sliced:
    """A compiled model, and its inputs, an array each with a sample in each row."""

    compiled: Compiled
    inputs: Sequence[AnyArray]

    @property
    def interface(self) -> Interface:
        return self.compiled.interface

    @property
    def given(self) -> AnyArray:
        """The bytes of each sample."""
        count = len(self.inputs[0])
        rows = [np.ascontiguousarray(each).reshape(count, -1) for each in self.inputs]
        return np.concatenate([row.view(np.uint8) for row in rows], axis=1)

    @property
    def output_bytes(self) -> int:
        return sum(port.size_bytes for port in self.interface.outputs)


def _function(model: Sliced, sizes: Sequence[int], first: int, made: int) -> list[str]:
    """One sample: the outputs, or zeros where there are none, then how many slices it took."""
    interface = model.interface
    name = interface.name
    is_mine = interface.arena is ArenaMode.CALLER
    arena = f"{name}_memory" if is_mine else ""
    before = f"{arena}, " if is_mine else ""
    lines = [f"static void run_{name}(int sample)", "{"]
    lines.append(f"static const int sizes[] = {{ {', '.join(map(str, sizes))} }};")
    lines.append(f"const int n = sizes[sample % {len(sizes)}];")
    if is_mine or interface.has_variables:
        lines.append(f"if (sample == 0) {{ {name}_reset({arena}); }}")
    fill = []
    for port in interface.inputs:
        fill.append(f"copy({port.accessor}({arena}), given + {first}, {port.size_bytes});")
        first += port.size_bytes
    lines += fill
    if not interface.has_variables:  # one that is begun and dropped
        lines += [f"if (sample % 3 == 2) {{ {name}_invoke_slice({before}n);"]
        lines += [f"{name}_reset({arena});", *fill, "}"]
    lines.append("uint16_t slices = 1;")
    lines.append(f"while ({name}_invoke_slice({before}n)) {{ slices++; }}")
    condition = f"{name}_has_outputs({arena})" if interface.ends_early else "1"
    size = model.output_bytes
    lines.append(f"for (int i = 0; i < {size}; i++) {{ found[{made} + i] = 0; }}")
    lines.append(f"if ({condition}) {{")
    place = made
    for port in interface.outputs:
        lines.append(f"copy(found + {place}, {port.accessor}({arena}), {port.size_bytes});")
        place += port.size_bytes
    lines += ["}", f"copy(found + {place}, &slices, 2);", "}"]
    if is_mine:
        need = f"({name.upper()}_ARENA_BYTES + 15) / 16"
        lines.insert(0, f"static struct {{ _Alignas(16) int8_t bytes[16]; }} {arena}[{need}];")
    return lines


def source_of(models: Sequence[Sliced], sizes: Sequence[int]) -> str:
    """The C of the program's one model."""
    read = sum(each.given.shape[1] for each in models)
    made = sum(each.output_bytes + 2 for each in models)
    lines = ['#include "probe.h"', "#include <stdbool.h>"]
    lines += [f'#include "{each.interface.name}.h"' for each in models]
    lines += [f"static int8_t given[{read}];", f"static int32_t words[{made // 4 + 1}];"]
    lines.append("static int8_t *const found = (int8_t *)words;")
    lines += ["static void copy(void *to, const void *from, int count)", "{"]
    lines += ["for (int i = 0; i < count; i++) {"]
    lines += ["((int8_t *)to)[i] = ((const int8_t *)from)[i];", "}", "}"]
    read = made = 0
    for each in models:
        lines += _function(each, sizes, read, made)
        read += each.given.shape[1]
        made += each.output_bytes + 2
    lines += [
        "int8_t *probe_input(void) { return given; }",
        "const int32_t *probe_output(void) { return words; }",
        "void probe_invoke(void) {",
        "static int sample;",
        *(f"run_{each.interface.name}(sample);" for each in models),
        "sample++;",
        "}",
    ]
    return "\n".join([*lines, ""])


def run_slices(
    target: Target, models: Sequence[Sliced], folder: Path, sizes: Sequence[int] = SIZES
) -> list[tuple[AnyArray, AnyArray]]:
    """(the bytes of all outputs, the number of slices) of each model's samples, of which all have
    as many."""
    sources: dict[str, str | bytes] = {"probe.h": HEADER, "probe.c": source_of(models, sizes)}
    for each in models:
        sources |= each.compiled.outputs
    given = np.concatenate([each.given for each in models], axis=1)
    words = sum(each.output_bytes + 2 for each in models) // 4 + 1
    interface = Interface(
        "probe",
        (Port("given", "probe_input", (given.shape[1],), 1.0, 0, False),),
        (Port("found", "probe_output", (words,), 0.0, 0, False, DType.INT32),),
    )
    image = build_image(target, sources=sources, interface=interface, kind="test", folder=folder)
    result = run_image(target, image, given.tobytes(), cache=CACHE)
    found = np.frombuffer(result.output, np.uint8).reshape(len(given), -1)
    results, place = [], 0
    for each in models:
        end = place + each.output_bytes
        counts = np.ascontiguousarray(found[:, end : end + 2]).view("<u2")[:, 0]
        results.append((found[:, place:end], counts))
        place = end + 2
    return results
