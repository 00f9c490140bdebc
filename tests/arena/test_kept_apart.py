"""Two models that keep values, and one without, over one arena that each of them overwrites."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.arena.models import symbols_of
from tests.support.hand_written import CACHE, target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tests.support.wake_word import SMALL, wake_word
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.svdf.cases import svdf
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

COUNT = 24
SPECS = {"word": wake_word(SMALL), "plain": conv(), "filter": svdf()}
MODELS = {name: build_model(spec) for name, spec in SPECS.items()}
KEEPING = ("word", "filter")
HEADER = """#include <stdint.h>
int8_t *all_reset(void);
{inputs}
const int8_t *all_results(void);
void all_invoke(void);
"""
SOURCE = """
#include "all.h"
{headers}
static int8_t reset_in[1], out[{outputs}];
{inputs}
int8_t *all_reset(void) {{ return reset_in; }}
const int8_t *all_results(void) {{ return out; }}
void all_invoke(void) {{
    int8_t *to = out;
    if (reset_in[0]) {{
        word_reset();
        filter_reset();
    }}
{runs}
}}
"""
INPUT = """static int8_t {0}_in[{1}_INPUT_COUNT];
int8_t *all_{0}(void) {{ return {0}_in; }}"""
RUN = """    for (int i = 0; i < {1}_INPUT_COUNT; i++) {{
        {0}_input()[i] = {0}_in[i];
    }}
    {0}_invoke();
    for (int i = 0; i < {1}_OUTPUT_COUNT; i++) {{
        *to++ = (int8_t){0}_output()[i];
    }}"""


def _compiled(target: Target) -> dict[str, Compiled]:
    return {
        name: compile_model(Request(data, name, target, arena=ArenaMode.SHARED))
        for name, data in MODELS.items()
    }


def _linked(target: Target, made: dict[str, Compiled], folder: Path) -> Image:
    """One model whose inputs and outputs are those of all three, and whether to reset first."""
    names = [(name, name.upper()) for name in made]
    outputs = sum(each.interface.outputs[0].count for each in made.values())
    source = SOURCE.format(
        headers="\n".join(f'#include "{name}.h"' for name in made),
        inputs="\n".join(INPUT.format(*each) for each in names),
        runs="\n".join(RUN.format(*each) for each in names),
        outputs=outputs,
    )
    ports = [_port(f"all_{name}", each.interface.inputs[0].count) for name, each in made.items()]
    interface = Interface("all", (_port("all_reset", 1), *ports), (_port("all_results", outputs),))
    header = HEADER.format(inputs="\n".join(f"int8_t *all_{name}(void);" for name in made))
    sources = {name: text for each in made.values() for name, text in each.files.items()}
    sources |= {"all.h": header, "all.c": source}
    return build_image(target, sources=sources, interface=interface, kind="test", folder=folder)


def _port(accessor: str, count: int) -> Port:
    return Port(accessor, accessor, (count,), 1.0, 0, False)


def _samples() -> dict[str, AnyArray]:
    shapes = {name: spec.tensors[spec.inputs[0]].shape for name, spec in SPECS.items()}
    random = np.random.default_rng(2)
    return {
        name: random.integers(-128, 128, (COUNT, *shape)).astype(np.int8)
        for name, shape in shapes.items()
    }


@pytest.mark.parametrize("part", ["host", "nrf52840", "nrf51", "atmega1284p"])
def test_in_turn(part: str, tmp_path: Path) -> None:
    """From a fresh start, and again after a reset in the middle."""
    target, samples = target_or_skip(part), _samples()
    image = _linked(target, _compiled(target), tmp_path)
    resets = np.zeros((COUNT, 1), np.int8)
    resets[[0, COUNT // 2]] = 1
    inputs = [resets, *(each.reshape(COUNT, -1) for each in samples.values())]
    data = np.concatenate(inputs, axis=1).tobytes()
    result = run_image(target, image, data, timeout_s=120, cache=CACHE)
    expected = [_in_two_halves(name, samples[name]) for name in MODELS]
    assert result.output == np.concatenate(expected, axis=1).tobytes()


def _in_two_halves(name: str, samples: AnyArray) -> AnyArray:
    """TFLM's own reset() gives variables other first values: each half has an interpreter."""
    halves = [
        tflm_outputs(MODELS[name], [half], is_sequence=name in KEEPING)[0].reshape(len(half), -1)
        for half in np.split(samples, 2)
    ]
    return np.concatenate(halves).view(np.int8)


def test_ram(tmp_path: Path) -> None:
    """The arena is that of the model that needs the most for anything but variables."""
    target = target_or_skip("nrf52840")
    made = _compiled(target)
    symbols = symbols_of(_linked(target, made, tmp_path).elf)
    reports = {name: each.report for name, each in made.items()}
    assert symbols["tinyml_shared_arena"][1] == max(each.arena_bytes for each in reports.values())
    for name in KEEPING:
        kept = reports[name].variable_bytes
        assert symbols[f"{name}_kept"][1] == kept > 0
        assert reports[name].model_ram_bytes == reports[name].arena_bytes + kept
        alone = compile_model(Request(MODELS[name], name, target)).report
        assert alone.arena_bytes <= reports[name].model_ram_bytes
    assert reports["plain"].variable_bytes == 0
