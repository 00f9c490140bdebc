"""Every kind of arena on every kind of target: results, variables, memory never cleared."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.arena.models import assert_equals_tflm, compiled, samples_of
from tests.conftest import ZooModel
from tests.support.hand_written import CACHE, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.cli import main
from tinyml_rules.errors import UsageError
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.runners import run_image

VARIABLES = (".data", ".bss", ".tinyml")

CASES = [
    ("sine", "host", False),
    ("sine", "atmega328", False),
    ("speech", "nrf52840", False),
    ("speech", "host", True),
    ("speech", "nrf52840", True),
]


@pytest.mark.parametrize("arena", list(ArenaMode))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_equals_tflm(
    case: tuple[str, str, bool], arena: ArenaMode, zoo_model: ZooModel, tmp_path: Path
) -> None:
    name, part, is_pushed = case
    target, model = target_or_skip(part), zoo_model(name)
    made = compiled(model, target, arena, is_pushed=is_pushed)
    assert made.report.interface == made.interface
    assert made.interface.has_begin == (is_pushed and arena is not ArenaMode.STATIC)
    assert_equals_tflm(made, model, target, tmp_path)


@pytest.mark.parametrize(("name", "part", "is_pushed"), CASES)
def test_a_model_in_the_callers_arena_has_no_variables(
    name: str, part: str, is_pushed: bool, zoo_model: ZooModel, tmp_path: Path
) -> None:
    target = target_or_skip(part)
    made = compiled(zoo_model(name), target, ArenaMode.CALLER, is_pushed=is_pushed)
    image = build_image(target, sources=made.files, interface=made.interface, folder=tmp_path)
    (model_object,) = image.model_objects
    with model_object.open("rb") as file:
        elf = ELFFile(file)
        sizes = {section.name: section["sh_size"] for section in elf.iter_sections()}
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        commons = [each.name for each in table.iter_symbols() if each["st_shndx"] == "SHN_COMMON"]
    variables = {each: size for each, size in sizes.items() if each.startswith(VARIABLES) and size}
    assert (variables, commons) == ({}, [])


@pytest.mark.parametrize("arena", [ArenaMode.STATIC, ArenaMode.SHARED])
def test_ram_of_the_host_counts_the_arena(
    arena: ArenaMode, zoo_model: ZooModel, tmp_path: Path
) -> None:
    """A common symbol has no section in an object, but it is RAM all the same."""
    host = target_or_skip("host")
    made = compiled(zoo_model("sine"), host, arena)
    image = build_image(host, sources=made.files, interface=made.interface, folder=tmp_path)
    assert measure_image(host, image).static_ram_bytes == made.report.arena_bytes


DIRTY = """
#include "dirty.h"
#include "speech.h"
static int8_t rows[SPEECH_INPUT_COUNT], out[SPEECH_OUTPUT_COUNT];
static int32_t memory[(SPEECH_ARENA_BYTES + 3) / 4];
int8_t *dirty_input(void) {{ return rows; }}
const int8_t *dirty_output(void) {{ return out; }}
void dirty_invoke(void) {{
    for (unsigned i = 0; i < sizeof memory; i++) {{
        ((int8_t *)memory)[i] = (int8_t)(i * 7 + 3);
    }}
    speech_begin(memory);
    for (int i = 0; i < 5; i++) {{
        speech_push_row(memory, rows);
    }}
    speech_begin(memory);
    for (int i = 0; i < {rows}; i++) {{
        speech_push_row(memory, rows + i * {row_bytes});
    }}
    for (int i = 0; i < SPEECH_OUTPUT_COUNT; i++) {{
        out[i] = speech_output(memory)[i];
    }}
}}
"""
DIRTY_HEADER = """#include <stdint.h>
int8_t *dirty_input(void);
const int8_t *dirty_output(void);
void dirty_invoke(void);
"""


@pytest.mark.parametrize("part", ["host", "nrf52840"])
def test_memory_that_was_used_for_something_else(
    part: str, zoo_model: ZooModel, tmp_path: Path
) -> None:
    """`begin` needs no cleared memory, and drops an inference that was broken off."""
    target, model = target_or_skip(part), zoo_model("speech")
    made = compiled(model, target, ArenaMode.CALLER, is_pushed=True)
    rows, row_bytes = made.interface.pushed_rows, made.interface.row_bytes
    source = DIRTY.format(rows=rows, row_bytes=row_bytes)
    interface = Interface("dirty", (_port("dirty_input", 1960),), (_port("dirty_output", 4),))
    sources = {**made.files, "dirty.h": DIRTY_HEADER, "dirty.c": source}
    image = build_image(target, sources=sources, interface=interface, kind="test", folder=tmp_path)
    samples = samples_of(made)
    result = run_image(target, image, samples.tobytes(), timeout_s=120, cache=CACHE)
    assert result.output == tflm_outputs(model.read_bytes(), [samples])[0].tobytes()


def _port(accessor: str, count: int) -> Port:
    return Port(accessor, accessor, (count,), 1.0, 0, False)


def test_unknown_word() -> None:
    with pytest.raises(UsageError) as caught:
        OPTIONS["arena"].parse("callee")
    assert str(caught.value) == (
        "arena: error: unknown 'callee', expected one of static, caller, shared\n"
        "  hint: did you mean 'caller'?"
    )


def test_command_line(zoo_model: ZooModel, tmp_path: Path) -> None:
    model = str(zoo_model("sine"))
    words = ["--arena", "caller", "--optimize", "layers", "--out", str(tmp_path)]
    assert main(["compile", model, *words]) == 0
    header = (tmp_path / "sine.h").read_text()
    for line in (
        "#define SINE_ARENA_BYTES 27",
        "int8_t *sine_input(void *arena);",
        "const int8_t *sine_output(const void *arena);",
        "void sine_invoke(void *arena);",
    ):
        assert line in header.splitlines()
