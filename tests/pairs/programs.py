"""A program that runs many rows: what each is given goes in, what it gives comes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from tests.pairs.covering import Row
from tests.pairs.requests import CLASSES, raw_of
from tests.support.counted_calls import FUNCTIONS, INVOKE_SYMBOL, main_of
from tests.support.images import linked, object_of
from tinyml_rules.compiler import Compiled
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.support import weights_source
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

HEAD = """\
#include <stdint.h>

#include "port.h"

/* Seen from elsewhere, as there may be rows that do not need it. */
void put(int32_t number);

void put(int32_t number)
{
    tinyml_port_write(&number, sizeof number);
}
"""
TAIL = """\
/* These are as well. */
int8_t bytes[{most}];
float real[{most}], scores[{classes}];
void print(char letter);
void fill(int8_t *to, int count);

void print(char letter)
{{
    tinyml_port_write(&letter, 1u);
}}

void fill(int8_t *to, int count)
{{
    for (int i = 0; i < count; i++) {{
        to[i] = bytes[i];
    }}
}}

static void read(size_t size)
{{
    if (!tinyml_port_read(bytes, size)) {{
        tinyml_port_exit(TINYML_EXIT_INPUT_TRUNCATED);
    }}
}}
"""
HOOKS = """\
extern int {name}_begun, {name}_ended;
#define {NAME}_NODE_BEGIN(node) ({name}_begun += (node) + 1)
#define {NAME}_NODE_END(node) ({name}_ended += (node) + 1)
"""


@dataclass(frozen=True)
class OfRow:
    """A model that was compiled under a name with what a row says."""

    name: str
    row: Row
    compiled: Compiled

    def has(self, switch: str) -> bool:
        """Whether a switch of the row is on."""
        return self.row[switch] == "yes"


@dataclass(frozen=True)
class Case(OfRow):
    """The model of these tests."""

    @property
    def is_raw(self) -> bool:
        """It takes raw values."""
        return self.row["sensor"] in ("raw", "both")

    @property
    def has_decisions(self) -> bool:
        """It decides."""
        return self.row["sensor"] in ("decisions", "both")

    def data(self, samples: np.typing.NDArray[np.int8]) -> bytes:
        """What the program reads for samples."""
        return raw_of(samples) if self.is_raw else samples.tobytes()


def source_of(cases: Sequence[Case], samples: int) -> str:
    """The C of the program."""
    most = max(2 * case.compiled.interface.inputs[0].count for case in cases)
    tail = TAIL.format(most=most, classes=CLASSES)
    return program_of(cases, tail, (_function(case, samples) for case in cases))


def program_of(cases: Sequence[OfRow], functions: str, runs: Iterable[Sequence[str]]) -> str:
    """The C of a program with functions of its own, and those that run the models."""
    lines = [HEAD, FUNCTIONS, *(f'#include "{case.name}.h"' for case in cases), functions]
    lines += chain.from_iterable(runs)
    return "\n".join([*lines, main_of(f"run_{case.name}" for case in cases)])


def _function(case: Case, samples: int) -> list[str]:
    name, interface = case.name, case.compiled.interface
    body = [*_given(case), f"tinyml_port_write({interface.outputs[0].accessor}(@), {CLASSES}u);"]
    if case.has_decisions:
        body += [f"put({name}_decide(@));"]
        body += [f"put({name}_reaches_threshold(@, {place}));" for place in range(CLASSES)]
    return run_of(case, samples, body, [f"{name}_dump_outputs(@, print);", "print(0);"])


def run_of(case: OfRow, samples: int, body: Sequence[str], dump: Sequence[str]) -> list[str]:
    """The function that runs a model: `body` for each sample, then whether its hooks were called,
    and `dump` where the row has that.  In these `@` is the arena, if it is the caller's."""
    name = case.name
    is_mine = case.compiled.interface.arena is ArenaMode.CALLER
    before = [f"int {name}_begun, {name}_ended;"] if case.has("hooks") else []
    if is_mine:
        before.append(f"static int32_t {name}_memory[({name.upper()}_ARENA_BYTES + 3) / 4 + 1];")
    tests = [f"put({name}_selftest(@));"] if case.has("selftest") else []
    loop = f"for (int turn = 0; turn < {samples}; turn++) {{"
    lines = [f"static void run_{name}(void)", "{", *tests, loop, *body]
    if case.has("hooks"):
        lines.append(f"put({name}_begun > 0 && {name}_begun == {name}_ended);")
    lines += [*(dump if case.has("dump") else []), "}", "}", ""]
    given = f"{name}_memory" if is_mine else ""
    first = f"{given}, " if is_mine else ""
    return [*before, *(line.replace("@, ", first).replace("@", given) for line in lines)]


def _given(case: Case) -> list[str]:
    """From what is read to an output; with a dump the input's lines are printed on the way."""
    name, interface = case.name, case.compiled.interface
    count, put = interface.inputs[0].count, [each.function for each in interface.raw_inputs]
    if interface.pushed_rows:
        size = interface.row_bytes
        dump = f"{name}_dump_row(row, bytes, print);" if case.has("dump") else ""
        push = f"{put[0]}(@, bytes);" if case.is_raw else f"{dump} {name}_push_row(@, bytes);"
        begin = [f"{name}_begin(@);"] if interface.has_begin else []
        loop = f"for (int row = 0; row < {interface.pushed_rows}; row++) {{"
        return [*begin, f"{loop} read({2 * size if case.is_raw else size}u); {push} }}"]
    accessor, upper = interface.inputs[0].accessor, name.upper()
    lines = [f"read({2 * count if case.is_raw else count}u);"]
    if case.has("partition"):
        if not case.is_raw:
            real = f"{upper}_INPUT_SCALE * (float)(bytes[i] - {upper}_INPUT_ZERO_POINT)"
            lines.append(f"for (int i = 0; i < {count}; i++) {{ real[i] = {real}; }}")
        values = "bytes" if case.is_raw else "real"
        if not case.has("dump"):
            return [*lines, f"{name}_predict(@, {values}, scores);"]
        lines.append(f"{name}_quantize_inputs(@, {values});")
        return [*lines, f"{name}_dump_inputs(@, print);", f"{name}_quantized_main(@);"]
    lines.append(f"{put[0]}(@, bytes);" if case.is_raw else f"fill({accessor}(@), {count});")
    if case.has("dump"):
        lines.append(f"{name}_dump_inputs(@, print);")
    if case.has("slices"):
        return [*lines, f"{name}_reset(@);", f"while ({name}_invoke_slice(@, 3)) {{ }}"]
    return [*lines, f"{interface.entry}(@);"]


def write_sources(cases: Sequence[OfRow], folder: Path) -> tuple[list[Path], Path]:
    """The files of the models, each a unit of its own, and that of all weights: those of each begin
    behind those of the one before."""
    weights, sources = b"", []
    for case in cases:
        for made, content in case.compiled.sources.items():
            data = content if isinstance(content, bytes) else content.encode()
            (folder / made).write_bytes(data)
        if case.has("hooks"):
            text = HOOKS.format(name=case.name, NAME=case.name.upper())
            (folder / f"{case.name}_hooks.h").write_text(text, encoding="utf-8")
        start = f"#define {case.name.upper()}_WEIGHTS_START {len(weights)}\n"
        weights += case.compiled.binaries.get(f"{case.name}.weights.bin", b"")
        arena = f"#define tinyml_shared_arena {case.name}_shared_arena\n"
        unit = folder / f"unit_{case.name}.c"
        unit.write_text(f'{start}{arena}#include "{case.name}.c"\n', encoding="utf-8")
        sources.append(unit)
    file = folder / "all.weights.bin"
    file.write_bytes(weights)
    return sources, file


def run(
    target: Target, cases: Sequence[Case], samples: np.typing.NDArray[np.int8], folder: Path
) -> bytes:
    """What the program writes on a target."""
    folder.mkdir()
    sources, weights = write_sources(cases, folder)
    objects = [object_of(target, each, folder) for each in sources]
    source = source_of(cases, len(samples))
    image = image_of(target, cases, source, objects, weights, name="pairs")
    return run_image(target, image, b"".join(case.data(samples) for case in cases)).output


def image_of(
    target: Target,
    cases: Sequence[OfRow],
    source: str,
    objects: Sequence[Path],
    weights: Path,
    *,
    name: str,
) -> Image:
    """The program of a source, linked in the folder of the weights with the objects of the
    models."""
    folder = weights.parent
    main = folder / f"{name}_main.c"
    main.write_text(source, encoding="utf-8")
    has_weights = any(case.compiled.interface.has_external_weights for case in cases)
    more = [weights_source(target, kind="test")] if has_weights else []
    return linked(
        target,
        [main, *more],
        folder,
        name=name,
        models=objects,
        invoke_symbol=INVOKE_SYMBOL,
        weights=weights if has_weights else None,
    )
