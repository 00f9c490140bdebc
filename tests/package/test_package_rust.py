"""Crates of Rust, built by cargo with the oldest Rust that they are for, and run on this computer:
what their models give is compared with TFLM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.package import test_package_streams as heard
from tests.package.package_builds import printed_by
from tests.package.rust_builds import (
    Package,
    cargo,
    filled,
    output_of,
    printed_bytes,
    streamed,
    workspace,
)
from tests.package.rust_models import packages_of
from tests.slide.networks import COLUMNS
from tests.support.tflm import AnyArray, tflm_outputs
from tests.support.wake_word import frames

SAMPLES = 12
INVOKES = "show(&model.invoke(), &mut found);"
IN_SLICES = "let mut run = model.slices();\nwhile run.run(2) {}\nshow(&run.finish(), &mut found);"


DECIDES = """\
let outputs = model.invoke();
show(&outputs, &mut found);
found.push(outputs.decide() as u8);
found.extend(outputs.top_k().map(|class| class as u8));
for class in decides::Class::ALL {
    found.extend(outputs.fixed_point(class).to_le_bytes());
    found.push(u8::from(outputs.reaches_threshold(class)));
}
"""
PUSHES = """\
for row in sample.chunks_exact({name}::ROW_COUNT) {{
    let mut values = [0; {name}::ROW_COUNT];
    for (value, byte) in values.iter_mut().zip(row) {{ *value = *byte as i8; }}
    if let Some(outputs) = model.push_row(&values) {{ show(&outputs, &mut found); }}
}}
"""


@pytest.fixture(scope="module")
def packages(zoo_model: ZooModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Package]:
    """By name."""
    return packages_of(tmp_path_factory.mktemp("models"), zoo_model("kws"))


@pytest.fixture(scope="module")
def built(
    packages: dict[str, Package], heard_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A workspace of all packages, and of programs by their names; all built."""
    interfaces = {name: package.interface for name, package in packages.items()}
    runs = {
        "kws": f"model.selftest().unwrap();\n{filled(interfaces['kws'])}\n{INVOKES}",
        "decides": f"{filled(interfaces['decides'])}\n{DECIDES}",
        "several": f"{filled(interfaces['several'])}\n{INVOKES}",
        "int16": f"{filled(interfaces['int16'])}\n{INVOKES}",
        "bools": f"{filled(interfaces['bools'])}\n{INVOKES}",
        "wake": f"{filled(interfaces['wake'])}\n{IN_SLICES}",
        "rows": PUSHES.format(name="rows"),
        "spotter": PUSHES.format(name="spotter"),
    }
    programs = {name: streamed(interfaces[name], text) for name, text in runs.items()}
    raw = "model.put_raw(sample.try_into().unwrap());\nshow(&model.invoke(), &mut found);"
    size = interfaces["decides"].raw_inputs[0].size_bytes
    programs["raw"] = streamed(interfaces["decides"], raw, bytes_each=size)
    programs["reals"] = REALS
    every = [*packages.values(), microphone(heard_model)]
    folder = workspace(tmp_path_factory.mktemp("rust"), every, programs)
    cargo(folder, "build", "-p", "programs", "-p", "heard", "--bins", "--examples")
    return folder


def microphone(model: Path) -> Package:
    """A wake word with a microphone in front of it and an event behind it."""
    sensor = model.with_name("microphone.toml")
    return Package("heard", model, "esp32", (f"--sensor={sensor}",))


heard_model = heard.model


def random_samples(package: Package, count: int = SAMPLES) -> list[AnyArray]:
    """Any bytes, of indices those that are one."""
    generator = np.random.default_rng(7)
    found = []
    for port in package.interface.inputs:
        least, most = (
            (0, 1)
            if port.c_type == "bool"
            else (0, 5)
            if port.c_type == "int32_t"
            else port.dtype.limits
        )
        values = generator.integers(least, most, (count, *port.shape), endpoint=True)
        found.append(values.astype(str(port.dtype)))
    return found


def as_bytes(arrays: list[AnyArray]) -> bytes:
    """All arrays of the first sample, then of the next."""
    rows = [np.ascontiguousarray(each).reshape(len(each), -1).view(np.uint8) for each in arrays]
    return np.concatenate(rows, axis=1).tobytes()


def in_threads(arrays: list[AnyArray]) -> bytes:
    """The same in the order of two threads."""
    return as_bytes([each[0::2] for each in arrays]) + as_bytes([each[1::2] for each in arrays])


@pytest.mark.parametrize("name", ["kws", "several", "int16", "bools", "rows"])
def test_inferences(name: str, built: Path, packages: dict[str, Package]) -> None:
    """Of two values in two threads, each as if it were alone: TFLM's bytes."""
    samples = random_samples(packages[name])
    found = output_of(built, name, as_bytes(samples))
    assert found == in_threads(tflm_outputs(packages[name].model.read_bytes(), samples))


def test_streams_of_two_values(built: Path, packages: dict[str, Package]) -> None:
    """A model with variables, in slices: each value has a stream of its own."""
    samples = frames(2 * SAMPLES)
    found = output_of(built, "wake", samples.tobytes())
    data = packages["wake"].model.read_bytes()
    streams = [
        tflm_outputs(data, [each], is_sequence=True) for each in (samples[0::2], samples[1::2])
    ]
    assert found == b"".join(as_bytes(each) for each in streams)


def test_windows_that_slide(built: Path, packages: dict[str, Package]) -> None:
    """Rows of a stream; the outputs are those of TFLM for each window."""
    rows = np.random.default_rng(5).integers(-128, 128, (2, 2, 49, COLUMNS)).astype(np.int8)
    found = output_of(built, "spotter", rows.transpose(1, 0, 2, 3).tobytes())
    windows = [each.reshape(-1, COLUMNS)[at : at + 49] for each in rows for at in range(0, 50, 2)]
    inputs = np.stack(windows).reshape(-1, 1, 49, COLUMNS, 1)
    assert found == as_bytes(tflm_outputs(packages["spotter"].model.read_bytes(), [inputs]))


def test_decisions(built: Path, packages: dict[str, Package]) -> None:
    """Those of TFLM's outputs, as numpy has them."""
    samples = random_samples(packages["decides"])
    found = output_of(built, "decides", as_bytes(samples))
    (outputs,) = tflm_outputs(packages["decides"].model.read_bytes(), samples)
    (decision,) = packages["decides"].compiled().decisions
    assert decision.fixed_point is not None
    one = 2**decision.fixed_point.fraction_bits
    expected = b""
    for row in np.concatenate([outputs[0::2], outputs[1::2]]).reshape(SAMPLES, -1):
        order = np.argsort(-row.astype(int), kind="stable")
        expected += row.tobytes() + bytes([order[0], *order[:3]])
        for value in (row.astype(int) + 128) / 256:
            expected += int(value * one).to_bytes(4, "little") + bytes([bool(value >= 0.5)])
    assert found == expected


def test_raw_values(built: Path, packages: dict[str, Package], tmp_path: Path) -> None:
    """Of a sensor: what C gives for them."""
    model = packages["decides"]
    compiled = model.compiled("host")
    (raw,) = compiled.interface.raw_inputs
    for name, text in compiled.files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "main.c").write_text(f"""\
#include <stdio.h>
#include "decides.h"
static _Alignas(16) char arena[DECIDES_ARENA_BYTES];
int main(void) {{
    char raw[{raw.size_bytes}];
    while (fread(raw, sizeof raw, 1, stdin)) {{
        decides_put_raw(arena, raw);
        decides_invoke(arena);
        fwrite(decides_output(arena), 1, DECIDES_OUTPUT_COUNT, stdout);
    }}
}}
""")
    printed_by(["gcc", "-O1", "main.c", "decides.c", "-o", "raw"], tmp_path)
    given = np.random.default_rng(3).integers(-9000, 9000, (SAMPLES, raw.size_bytes // 2))
    turns = np.concatenate([given[0::2], given[1::2]]).astype(np.int16)
    expected = printed_bytes(tmp_path / "raw", turns.tobytes())
    found = output_of(built, "raw", given.astype(np.int16).tobytes())
    assert found == expected
    assert len({*np.frombuffer(found, np.uint8)}) > 5


def test_microphone(built: Path, heard_model: Path) -> None:
    """The example: samples in, what TensorFlow's front end, TFLM and ESPHome's decider give out."""
    found = printed_by([built / "target" / "debug" / "examples" / "run"], built)
    assert heard.answers(found) == heard.expected(heard_model)


REALS = """\
use std::io::{Read, Write};

pub fn main() {
    let mut given = Vec::new();
    std::io::stdin().read_to_end(&mut given).unwrap();
    let mut found = Vec::new();
    for bytes in given.chunks_exact(4) {
        let real = f32::from_le_bytes(bytes.try_into().unwrap());
        found.push(kws::input::quantize(real) as u8);
        found.extend(int16::input::quantize(real).to_le_bytes());
        found.push(uint8::input::quantize(real));
        found.extend(kws::output::dequantize(bytes[0] as i8).to_le_bytes());
        let both = i16::from_le_bytes([bytes[0], bytes[1]]);
        found.extend(int16::output::dequantize(both).to_le_bytes());
        found.extend(uint8::output::dequantize(bytes[0]).to_le_bytes());
    }
    std::io::stdout().write_all(&found).unwrap();
}
"""
REALS_IN_C = """\
#include <stdio.h>
#include <string.h>
#include "kws.h"
#include "int16.h"
#include "uint8.h"
#define PUT(value) fwrite(&(value), sizeof(value), 1, stdout)
int main(void) {
    float real;
    while (fread(&real, 4, 1, stdin)) {
        int16_t both;
        memcpy(&both, &real, 2);
        int8_t a = kws_quantize_input(real), first = (int8_t)both;
        int16_t b = int16_quantize_input(real);
        uint8_t c = uint8_quantize_input(real);
        float d = kws_dequantize_output(first), e = int16_dequantize_output(both),
              f = uint8_dequantize_output((uint8_t)first);
        PUT(a); PUT(b); PUT(c); PUT(d); PUT(e); PUT(f);
    }
}
"""


def test_real_numbers(built: Path, packages: dict[str, Package], tmp_path: Path) -> None:
    """Quantized and back as the header does it, to the bit: any floats, ties, and no numbers."""
    generator = np.random.default_rng(11)
    bits = generator.integers(0, 2**32, 20_000).astype(np.uint32).view(np.float32)
    steps = [
        np.float32(port.scale) * np.arange(-300, 300, dtype=np.float32) / 2
        for name in ("kws", "int16", "uint8")
        for port in packages[name].interface.inputs
    ]
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
    reals = np.concatenate(
        [bits, generator.normal(0, 30, 20_000).astype(np.float32), *steps, special]
    )
    given = reals.tobytes()
    (tmp_path / "reals.c").write_text(REALS_IN_C)
    for name in ("kws", "int16", "uint8"):
        (tmp_path / f"{name}.h").write_text(packages[name].compiled("host").files[f"{name}.h"])
    printed_by(["gcc", "-O1", "reals.c", "-o", "reals"], tmp_path)
    found = output_of(built, "reals", given)
    assert found == printed_bytes(tmp_path / "reals", given)
