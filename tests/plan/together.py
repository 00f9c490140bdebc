"""Many compiled models in one program, run on their samples under the sanitizers of addresses and
undefined behaviour."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.compiler import Compiled
from tinyml_rules.ir.interface import ArenaMode

FLAGS = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@dataclass(frozen=True)
class Variant:
    """One model under one schedule, with its samples and what is expected of it."""

    compiled: Compiled
    count: int
    samples: bytes
    truth: bytes

    @property
    def name(self) -> str:
        return self.compiled.interface.name


def wrong_outputs(group: Sequence[Variant], folder: Path) -> list[str]:
    """The names of the models that give other bytes than expected."""
    found = outputs_of(group, folder)
    return [each.name for each in group if found[each.name] != each.truth]


def outputs_of(group: Sequence[Variant], folder: Path) -> dict[str, bytes]:
    """{name: outputs of all samples}."""
    for each in group:
        for name, text in each.compiled.files.items():
            (folder / name).write_text(text, encoding="utf-8")
    (folder / "main.c").write_text(_main_text(group), encoding="utf-8")
    program = folder / "all"
    command = ["gcc", *FLAGS, *SANITIZERS, str(folder / "main.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=300)
    samples = b"".join(each.samples for each in group)
    done = subprocess.run(
        [str(program)], input=samples, capture_output=True, timeout=300, check=True
    )
    position, found = 0, {}
    for each in group:
        size = each.count * sum(port.size_bytes for port in each.compiled.interface.outputs)
        found[each.name] = done.stdout[position : position + size]
        position += size
    assert position == len(done.stdout)
    return found


def _main_text(group: Sequence[Variant]) -> str:
    """A program that runs each model on its samples, from standard input to standard output."""
    lines = ["#include <stdio.h>"]
    for each in group:  # in one file the arena that models share would have several sizes
        lines.append(f"#define tinyml_shared_arena {each.name}_shared_arena")
        lines += [f'#include "{each.name}.c"', "#undef tinyml_shared_arena"]
    lines.append("int main(void) {")
    for each in group:
        lines += ["    {", *_memory(each), f"    for (int i = 0; i < {each.count}; i++) {{"]
        lines += [*_sample(each), "    }", "    }"]
    return "\n".join([*lines, "    return 0;", "}", ""])


def _memory(variant: Variant) -> Iterator[str]:
    """The caller's memory, not a byte more than is asked for, and what comes before all samples."""
    interface = variant.compiled.interface
    if interface.arena is ArenaMode.CALLER:
        size = f"{interface.name.upper()}_ARENA_BYTES"
        yield f"    static _Alignas(int32_t) int8_t arena[{size} ? {size} : 1];"
    if interface.slide:
        yield f"    {interface.name}_reset({interface.argument});"
    if interface.has_begin:
        yield f"    {interface.name}_begin({interface.argument});"


def _sample(variant: Variant) -> Iterator[str]:
    interface = variant.compiled.interface
    arena = interface.argument
    if interface.slide:
        yield from _stream(variant)
        return
    if interface.pushed_rows:
        before = f"{arena}, " if arena else ""
        yield f"        {interface.inputs[0].c_type} row[{interface.row_count}];"
        yield f"        for (int r = 0; r < {interface.pushed_rows}; r++) {{"
        yield "            if (fread(row, 1, sizeof row, stdin) != sizeof row) return 1;"
        yield f"            {interface.entry}({before}row);"
        yield "        }"
    else:
        for port in interface.inputs:
            read = f"fread({port.accessor}({arena}), 1, {port.size_bytes}, stdin)"
            yield f"        if ({read} != {port.size_bytes}) return 1;"
        if interface.has_slices:
            before = f"{arena}, " if arena else ""
            yield f"        while ({interface.name}_invoke_slice({before}3)) {{ }}"
        else:
            yield f"        {interface.entry}({arena});"
    for port in interface.outputs:
        yield f"        fwrite({port.accessor}({arena}), 1, {port.size_bytes}, stdout);"


def _stream(variant: Variant) -> Iterator[str]:
    """A window that slides: 1 and all rows, or 0 and those that the window before has not."""
    interface = variant.compiled.interface
    before = f"{interface.argument}, " if interface.argument else ""
    yield f"        {interface.inputs[0].c_type} row[{interface.row_count}];"
    yield "        const int begins = getchar();"
    yield f"        if (begins) {interface.name}_reset({interface.argument});"
    yield f"        int left = begins ? {interface.pushed_rows} : {interface.slide};"
    yield "        while (left-- > 0) {"
    yield "            if (fread(row, 1, sizeof row, stdin) != sizeof row) return 1;"
    yield f"            if ({interface.entry}({before}row)) {{"
    for port in interface.outputs:
        outputs = f"{port.accessor}({interface.argument})"
        yield f"                fwrite({outputs}, 1, {port.size_bytes}, stdout);"
    yield "            }"
    yield "        }"
