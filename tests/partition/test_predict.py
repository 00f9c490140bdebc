"""NAME_predict gives the real numbers of a reference, bit for bit, and so do its three parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.emit.compiled import STRICT_CPP
from tests.partition.models import MODELS, SAMPLES, Ends
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target

TARGETS = ("host", SANITIZED, "atmega1284p", "nrf51", "nrf52840", "riscv32imc")

SAME_BYTES = """
static int same_bytes(const void *one, const void *other, unsigned size) {
    const uint8_t *const first = one, *const second = other;
    unsigned same = 0;
    while (same < size && first[same] == second[same]) {
        same++;
    }
    return same == size;
}"""
"""Without a library of C."""


def outside(model: ModelSpec, tensors: tuple[int, ...], names: str) -> tuple[Port, ...]:
    """What a caller hands over or takes, as ports of a program around the model."""
    specs = [model.tensors[index] for index in tensors]
    return tuple(
        Port(f"{names}{place}", f"{names}{place}", each.shape, 0.0, 0, False, DType(each.dtype))
        for place, each in enumerate(specs)
    )


def around(models: Mapping[str, Ends], arena: ArenaMode) -> tuple[Interface, str, str]:
    """The interface of a program that calls all models, its header and its source: for each model
    the outputs of `predict`, then one byte that tells whether the three parts give the same."""
    inputs: list[Port] = []
    outputs: list[Port] = []
    lines, body = ['#include "all.h"', SAME_BYTES], []
    for name, each in models.items():
        sources = outside(each.reference, each.reference.inputs, f"{name}_from_")
        results = outside(each.reference, each.reference.outputs, f"{name}_to_")
        same = Port(f"{name}_same", f"{name}_same", (1,), 0.0, 0, False, DType.UINT8)
        inputs += sources
        outputs += (*results, same)
        body += call_of(name, sources, results, arena)
        lines.append(f'#include "{name}.h"')
        lines += [f"static {port.c_type} {port.accessor}_parts[{port.count}];" for port in results]
        if arena is ArenaMode.CALLER:
            lines.append(f"static int32_t {name}_memory[({name.upper()}_ARENA_BYTES + 3) / 4 + 1];")
    for port in (*inputs, *outputs):
        lines.append(f"static {port.c_type} {port.accessor}_values[{port.count}];")
        lines.append(f"{port.c_type} *{port.accessor}(void) {{ return {port.accessor}_values; }}")
    source = "\n".join([*lines, "void all_invoke(void) {", *body, "}", ""])
    heads = [f"{port.c_type} *{port.accessor}(void);" for port in (*inputs, *outputs)]
    header = "\n".join(["#include <stdint.h>", *heads, "void all_invoke(void);", ""])
    return Interface("all", tuple(inputs), tuple(outputs)), header, source


def call_of(
    name: str, sources: tuple[Port, ...], results: tuple[Port, ...], arena: ArenaMode
) -> list[str]:
    """The calls of a model."""
    memory = [f"{name}_memory"] if arena is ArenaMode.CALLER else []
    given = [f"{port.accessor}_values" for port in sources]
    taken = [f"{port.accessor}_values" for port in results]
    parts = [f"{port.accessor}_parts" for port in results]
    same = [
        f"same_bytes({one}, {other}, sizeof {one})" for one, other in zip(taken, parts, strict=True)
    ]
    return [
        f"{name}_predict({', '.join((*memory, *given, *taken))});",
        f"{name}_quantize_inputs({', '.join((*memory, *given))});",
        f"{name}_quantized_main({', '.join(memory)});",
        f"{name}_dequantize_outputs({', '.join((*memory, *parts))});",
        f"{name}_same_values[0] = {' && '.join(same)} ? 1 : 0;",
    ]


def compiled(models: Mapping[str, Ends], target: Target, arena: ArenaMode) -> list[Compiled]:
    """Every model with the option."""
    return [
        compile_model(Request(each.file, name, target, partition=True, arena=arena))
        for name, each in models.items()
    ]


def rows(arrays: list[AnyArray]) -> bytes:
    """Sample after sample, each with all its arrays."""
    parts = [np.ascontiguousarray(each).reshape(SAMPLES, -1).view(np.uint8) for each in arrays]
    return np.concatenate(parts, axis=1).tobytes()


def check(target: Target, folder: Path, arena: ArenaMode = ArenaMode.STATIC) -> None:
    """All models in one program."""
    interface, header, source = around(MODELS, arena)
    sources = {"all.h": header, "all.c": source}
    for each in compiled(MODELS, target, arena):
        sources |= {name: text for name, text in each.files.items() if name[-2:] in (".c", ".h")}
    image = build_image(target, sources=sources, interface=interface, kind="test", folder=folder)
    samples = rows([array for each in MODELS.values() for array in each.samples])
    output = run_image(target, image, samples).output
    is_same = np.ones((SAMPLES, 1), np.uint8)
    columns = [array for each in MODELS.values() for array in (*each.truth, is_same)]
    assert output == rows(columns)


@pytest.mark.parametrize("target_name", TARGETS)
def test_predict(target_name: str, tmp_path: Path) -> None:
    """On every kind of floating point: of the processor, and of the compilers' libraries."""
    check(target_or_skip(target_name), tmp_path)


@pytest.mark.parametrize("arena", [ArenaMode.CALLER, ArenaMode.SHARED])
def test_arenas(arena: ArenaMode, tmp_path: Path) -> None:
    """Each function is handed the caller's memory; a shared one is filled, run and read in turn."""
    check(target_or_skip(SANITIZED), tmp_path, arena)


def test_core_is_the_same() -> None:
    """Everything is in the header, and the C is that of a model without it."""
    target = target_or_skip("host")
    for name, each in MODELS.items():
        files = compile_model(Request(each.file, name, target)).outputs
        parted = compile_model(Request(each.file, name, target, partition=True)).outputs
        changed = {file for file in files if files[file] != parted[file]}
        assert changed == {f"{name}.h", f"{name}.report.json"}  # which names the options


@pytest.mark.parametrize("compiler", [("g++", "-std=c++98"), ("avr-g++", "-std=gnu++11")])
def test_in_cpp(compiler: tuple[str, ...], tmp_path: Path) -> None:
    """The header in C++, without a warning."""
    for each in compiled(MODELS, target_or_skip("host"), ArenaMode.CALLER):
        header = tmp_path / f"{each.interface.name}.h"
        header.write_text(each.files[header.name], encoding="utf-8")
        source = header.with_suffix(".cpp")
        source.write_text(f'#include "{header.name}"\n', encoding="utf-8")
        run_tool([*compiler, *STRICT_CPP, "-fsyntax-only", str(source)], where=header.name)


FLOATING = re.compile(
    r"__(aeabi_[fd]|aeabi_i2[fd]|(add|sub|mul|div)[sd]f3|float\w*[sd]f|fix\w*[sd]f)"
)
"""What compilers call for real numbers on a processor without a unit for them."""


@pytest.mark.parametrize("target_name", ["atmega1284p", "nrf51", "riscv32imc"])
@pytest.mark.parametrize("call", ["quantized_main", "predict"])
def test_floating_point_is_linked_where_it_is_called(
    target_name: str, call: str, tmp_path: Path
) -> None:
    """The core alone has none, though the header offers conversions."""
    target = target_or_skip(target_name)
    (model,) = compiled({"float_ends": MODELS["float_ends"]}, target, ArenaMode.STATIC)
    arguments = "values, values" if call == "predict" else ""
    main = (
        '#include "all.h"\n#include "float_ends.h"\nstatic float values[6];\n'
        "static int8_t value[1];\nint8_t *all_io(void) { return value; }\n"
        f"void all_invoke(void) {{ (void)values; float_ends_{call}({arguments}); }}\n"
    )
    header = "#include <stdint.h>\nint8_t *all_io(void);\nvoid all_invoke(void);\n"
    port = Port("io", "all_io", (1,), 0.0, 0, False)
    sources = {"all.h": header, "all.c": main}
    sources |= {name: text for name, text in model.files.items() if name[-2:] in (".c", ".h")}
    image = build_image(
        target,
        sources=sources,
        interface=Interface("all", (port,), (port,)),
        kind="minimal",
        folder=tmp_path,
    )
    with image.elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        names = [symbol.name for symbol in table.iter_symbols()]
    assert any(map(FLOATING.match, names)) == (call == "predict")
