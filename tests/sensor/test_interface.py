"""The C functions as a firmware calls them: names, kinds of inputs, rows, arenas, and no floats."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.decide.test_on_targets import FLOAT
from tests.emit.compiled import build_program, named_model
from tests.sensor.images import Case, Toml, described, identity, image_of, run_cases
from tests.sensor.images import compiled as with_sensor
from tests.sensor.meaning import expected, packed
from tests.support.combined import target_or_skip, targets_of_each_kind
from tests.support.dead_channels import convolutions
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import read_description
from tinyml_rules.system.process import run_program
from tinyml_rules.target.target import load_target

HOST = load_target("host")
ADC: Toml = {"raw": "uint12", "scale": 0.001, "mean": 2.0, "std": 1.5}


def output_of(program: Path, data: bytes) -> bytes:
    """What a program writes that is given bytes."""
    file = program.with_suffix(".in")
    file.write_bytes(data)
    return run_program([str(program), str(file)], where="program", timeout_s=60).stdout


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("raw", ["uint8", "int8", "uint10", "int16", "uint16", "int24", "uint32"])
def test_types(raw: str, dtype: str, tmp_path: Path) -> None:
    """Raw values of any width for quantized ones of any type."""
    bits = int(raw.removeprefix("u").removeprefix("int"))
    table: Toml = {"raw": raw, "scale": 3 / 2**bits, "offset": -0.5, "reference": "exact"}
    zero_point, scale = (
        (130, 1 / 90) if dtype == "uint8" else (0, 1 / (20000 if dtype == "int16" else 90))
    )
    rng = np.random.default_rng(bits)
    least = 0 if raw.startswith("u") else -(2 ** (bits - 1))
    values = rng.integers(least, least + 2**bits, (256, 3))
    model = identity((1, 256, 3), scale=scale, zero_point=zero_point, dtype=dtype)
    made = with_sensor("m", model, HOST, described(table, tmp_path))
    put = run_cases(HOST, [Case("m", made, packed(table, values, rng))], tmp_path)["m"]
    wanted = expected(table, values, scale=scale, zero_point=zero_point, dtype=dtype)
    assert np.array_equal(put.of(dtype), wanted.reshape(-1))


@pytest.mark.parametrize(
    ("raw", "dtype", "zero_point"),
    [
        ("uint8", "int8", -128),
        ("int8", "int8", 0),
        ("int8", "uint8", 128),
        ("uint16", "int16", -(2**15)),
    ],
)
def test_flip(raw: str, dtype: str, zero_point: int, tmp_path: Path) -> None:
    """Where the map is the quantization itself, a bit is inverted, and nothing lies in flash."""
    zero_point = 0 if dtype == "int16" else zero_point
    table: Toml = {"raw": raw, "scale": 0.25}
    if raw == "uint16":
        table["offset"] = -(2**13)
    model = identity((1, 256), scale=0.25, zero_point=zero_point, dtype=dtype)
    made = with_sensor("m", model, HOST, described(table, tmp_path))
    figures = made.report.raw_inputs[0]
    assert (figures.form, figures.constant_bytes) == ("flip", 0)
    data = np.arange(256, dtype=np.uint16).astype(raw).tobytes()
    if raw == "uint16":
        data = np.arange(0, 2**16, 256, dtype=np.uint16).tobytes()
    values = np.frombuffer(data, raw).astype(np.int64)
    wanted = expected(table, values[:, None], scale=0.25, zero_point=zero_point, dtype=dtype)
    put = run_cases(HOST, [Case("m", made, data)], tmp_path)["m"]
    assert np.array_equal(put.of(dtype), wanted.reshape(-1))


SEVERAL = """
#include <stdio.h>
#include <string.h>
#include "model.h"

static const unsigned char raw[] = {{ 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xff }};
{arena}

int main(int argc, char **argv)
{{
    (void)argc;
    (void)argv;
    memset(model_input_right({given}), 77, 3);
    model_put_raw_left({given}{comma}raw + 1);
    (void)fwrite(model_input_left({given}), 1, 3, stdout);
    (void)fwrite(model_input_right({given}), 1, 3, stdout);
    return 0;
}}
"""


@pytest.mark.parametrize("suffix", ["c", "cpp"])
@pytest.mark.parametrize("arena", [ArenaMode.STATIC, ArenaMode.CALLER, ArenaMode.SHARED])
def test_one_of_two_inputs(arena: ArenaMode, suffix: str, tmp_path: Path) -> None:
    """By the tensor's name; the other has no such function; in C and C++, without a warning."""
    file = tmp_path / "sensor.toml"
    file.write_text('[input.left]\nraw = "uint16"\nendianness = "big"\nscale = 0.001\n')
    model = build_model(named_model("left", "right"))
    request = Request(model, "model", HOST, arena=arena, sensor=read_description(file))
    made = compile_model(request)
    assert "put_raw_right" not in made.files["model.h"]
    assert made.report.interface == made.interface
    is_mine = arena is ArenaMode.CALLER
    memory = "static int memory[MODEL_ARENA_BYTES / sizeof(int) + 1];" if is_mine else ""
    given = "memory" if is_mine else ""
    main = SEVERAL.format(arena=memory, given=given, comma=", " if is_mine else "")
    program = build_program(main, made, folder=tmp_path, suffix=suffix)
    found = np.frombuffer(output_of(program, b""), np.int8)
    left = made.interface.inputs[0]
    values = np.array([[0x3456], [0x789A], [0xBCFF]])
    wanted = expected(
        {"raw": "uint16", "scale": 0.001}, values, scale=left.scale, zero_point=left.zero_point
    )
    assert found.tolist() == [*wanted.reshape(-1).tolist(), 77, 77, 77]


def test_real_input_quantized_at_the_front(tmp_path: Path) -> None:
    """The quantized tensor behind the QUANTIZE is written; it is called as the file calls the real
    one."""
    tensors = (
        TensorSpec("volts", (1, 4), "float32"),
        TensorSpec("q", (1, 4), scales=(0.02,), zero_points=(5,)),
        TensorSpec("out", (1, 4), scales=(0.02,), zero_points=(5,)),
    )
    operators = (OperatorSpec("QUANTIZE", (0,), (1,)), OperatorSpec("RELU", (1,), (2,)))
    model = build_model(ModelSpec(tensors, operators, (0,), (2,)))
    made = with_sensor("m", model, HOST, described(ADC, tmp_path))
    raw = np.array([[0, 1000, 2000, 4095]])
    data = packed(ADC, raw.T, np.random.default_rng(0))
    put = run_cases(HOST, [Case("m", made, data)], tmp_path)["m"]
    wanted = expected(ADC, raw.T, scale=0.02, zero_point=5)
    assert put.of("int8").tolist() == wanted.reshape(-1).tolist()
    assert made.interface.raw_inputs[0].tensor == "volts"


PARTS = """
#include <stdio.h>
#include "model.h"

static const unsigned char raw[] = { 0x34, 0x12, 0x78, 0x56, 0xbc, 0x9a };
static const float right[] = { 0.65f, -1.15f, 3.25f };

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    model_quantize_inputs(raw, right);
    (void)fwrite(model_input_left(), 1, 3, stdout);
    (void)fwrite(model_input_right(), 1, 3, stdout);
    return 0;
}
"""


def test_partition(tmp_path: Path) -> None:
    """The part that quantizes takes raw values where they are described."""
    file = tmp_path / "sensor.toml"
    file.write_text('[input.left]\nraw = "uint16"\nscale = 0.001\n')
    model = build_model(named_model("left", "right"))
    sensor = read_description(file)
    made = compile_model(Request(model, "model", HOST, partition=True, sensor=sensor))
    program = build_program(PARTS, made, folder=tmp_path)
    left, right = made.interface.inputs
    table: Toml = {"raw": "uint16", "scale": 0.001}
    raw = np.array([[0x1234], [0x5678], [0x9ABC]])
    wanted = expected(table, raw, scale=left.scale, zero_point=left.zero_point)
    others = [round(each / right.scale) + right.zero_point for each in (0.65, -1.15, 3.25)]
    found = np.frombuffer(output_of(program, b""), np.int8)
    assert found.tolist() == [*wanted.reshape(-1).tolist(), *others]


ROWS = """
#include <stdio.h>
#include "whole.h"
#include "rows.h"

static unsigned char raw[WHOLE_PUT_RAW_BYTES];
{memory}

int main(int argc, char **argv)
{{
    FILE *const file = fopen(argv[argc - 1], "rb");

    while (file && fread(raw, 1, sizeof raw, file) == sizeof raw) {{
        whole_put_raw(raw);
        whole_invoke();
        (void)fwrite(whole_{last}(), 1, {count}, stdout);
        {begin}
        for (int row = 0; row < ROWS_ROWS_EXPECTED; row++) {{
            rows_push_raw_row({given}raw + row * ROWS_PUSH_RAW_ROW_BYTES);
        }}
        (void)fwrite(rows_{last}({only}), 1, {count}, stdout);
    }}
    return 0;
}}
"""


@pytest.mark.parametrize("arena", [ArenaMode.STATIC, ArenaMode.CALLER])
@pytest.mark.parametrize("is_checked", [False, True])
def test_rows(arena: ArenaMode, is_checked: bool, tmp_path: Path) -> None:
    """Row by row gives what the whole input gives."""
    model = build_model(convolutions(channels=8, dead=0.0, size=8))
    sensor = described(ADC, tmp_path)
    request = Request(model, "whole", HOST, sensor=sensor, checked=is_checked)
    whole = compile_model(request)
    rows = compile_model(replace(request, name="rows", push_rows=True, arena=arena))
    assert rows.interface.raw_inputs[0].size_bytes * 8 == whole.interface.raw_inputs[0].size_bytes
    assert rows.report.interface == rows.interface
    is_mine, last = arena is ArenaMode.CALLER, whole.interface.outputs[-1]
    main = ROWS.format(
        memory="static int memory[ROWS_ARENA_BYTES / sizeof(int) + 1];" if is_mine else "",
        begin="rows_begin(memory);" if is_mine else "",
        given="memory, " if is_mine else "",
        only="memory" if is_mine else "",
        last=last.accessor.removeprefix("whole_"),
        count=last.count,
    )
    program = build_program(main, whole, rows, folder=tmp_path)
    rng = np.random.default_rng(3)
    samples = b"".join(packed(ADC, rng.integers(0, 4096, (64, 1)), rng) for _ in range(3))
    found = output_of(program, samples)
    outputs = [found[at : at + last.count] for at in range(0, len(found), last.count)]
    assert len(outputs) == 6
    assert outputs[0::2] == outputs[1::2]
    assert len(set(outputs)) == 3


@pytest.mark.parametrize("part", targets_of_each_kind())
def test_no_float_symbol(part: str, tmp_path: Path) -> None:
    """A firmware with raw values in all forms and a model of integers has nothing of real
    numbers."""
    target, shape = target_or_skip(part), (1, 32, 2)
    tables: dict[str, Toml] = {
        "line": ADC,
        "lines": {**ADC, "mean": [1.0, 2.0], "std": [1.5, 2.5]},
        "table": {"raw": "uint8", "scale": 0.03},
        "steps": {"raw": "int16", "scale": 0.0001},
        "flip": {"raw": "uint8", "scale": 0.05},
    }
    cases = []
    for name, table in tables.items():
        zero_point = -128 if name == "flip" else 3
        model = identity(shape, scale=0.05, zero_point=zero_point)
        made = with_sensor(name, model, target, described(table, tmp_path, name=name))
        assert made.report.raw_inputs[0].form == name.removesuffix("s") or name == "steps"
        cases.append(Case(name, made, bytes(made.interface.raw_inputs[0].size_bytes)))
    made = with_sensor(
        *("conv", build_model(convolutions(channels=4, dead=0.0, size=4)), target),
        described(ADC, tmp_path, name="conv"),
    )
    cases.append(Case("conv", made, bytes(made.interface.raw_inputs[0].size_bytes)))
    image = image_of(target, cases, tmp_path)
    with image.elf.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(symbols, SymbolTableSection)
        names = {symbol.name for symbol in symbols.iter_symbols()}
    assert "conv_put_raw" in names
    assert [name for name in names if FLOAT.search(name)] == []


def test_header(tmp_path: Path) -> None:
    """It says what is taken; without a description there is nothing of it."""
    model = identity((1, 4, 3), scale=0.05, zero_point=0)
    table: Toml = {"raw": "int16", "offset_bytes": 6, "stride_bytes": 12, "scale": 0.001}
    header = with_sensor("m", model, HOST, described(table, tmp_path)).files["m.h"]
    assert "#define M_PUT_RAW_BYTES 48\nvoid m_put_raw(const void *raw);\n" in header
    plain = with_sensor("m", model, HOST, None)
    assert not re.search("raw", plain.files["m.h"] + plain.files["m.c"])
    assert plain.report.raw_inputs == ()


def test_small_code(tmp_path: Path) -> None:
    """For 8 bits a line where code is to be small, else a table."""
    forms = {}
    for optimize in (Optimize.SIZE, Optimize.BALANCED):
        model = identity((1, 4), scale=0.05, zero_point=0)
        sensor = described({"raw": "uint8", "scale": 0.03}, tmp_path)
        made = with_sensor("m", model, HOST, sensor, optimize=optimize)
        forms[optimize] = made.report.raw_inputs[0]
    assert [each.form for each in forms.values()] == ["line", "table"]
    assert [each.constant_bytes for each in forms.values()] == [8, 256]
