"""Two models in one program over one arena: results in turn, and how much RAM there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.arena.models import compiled, samples_of, symbols_of
from tests.conftest import ZooModel
from tests.support.hand_written import CACHE, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import Compiled
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.ir.interface import ArenaMode, Interface, Port
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

PARTS = ["host", "nrf52840", "atmega328"]

HEADER = """#include <stdint.h>
int8_t *both_first(void);
int8_t *both_second(void);
const int8_t *both_results(void);
void both_invoke(void);
"""

# first, second, first again: neither may depend on what it left behind
SOURCE = """
#include "both.h"
#include "{first}.h"
#include "{second}.h"
static int8_t first_in[{FIRST}_INPUT_COUNT], second_in[{SECOND}_INPUT_COUNT];
static int8_t out[{FIRST}_OUTPUT_COUNT + {SECOND}_OUTPUT_COUNT + {FIRST}_OUTPUT_COUNT];
int8_t *both_first(void) {{ return first_in; }}
int8_t *both_second(void) {{ return second_in; }}
const int8_t *both_results(void) {{ return out; }}
static int8_t *copy(int8_t *to, const int8_t *from, int count) {{
    for (int i = 0; i < count; i++) {{
        *to++ = *from++;
    }}
    return to;
}}
static int8_t *run_first(int8_t *to) {{
    copy({first}_input(), first_in, {FIRST}_INPUT_COUNT);
    {first}_invoke();
    return copy(to, {first}_output(), {FIRST}_OUTPUT_COUNT);
}}
void both_invoke(void) {{
    int8_t *to = run_first(out);
    copy({second}_input(), second_in, {SECOND}_INPUT_COUNT);
    {second}_invoke();
    to = copy(to, {second}_output(), {SECOND}_OUTPUT_COUNT);
    run_first(to);
}}
"""


@pytest.mark.parametrize("part", PARTS)
def test_in_turn(part: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """With --gc-sections and --fatal-warnings, which every link has."""
    target, models, pair = _pair(part, zoo_model, tmp_path, ArenaMode.SHARED)
    image = _link(target, pair, tmp_path, kind_is_test=True)
    inputs = [samples_of(made) for made in pair]
    joined = np.concatenate([each.reshape(len(each), -1) for each in inputs], axis=1)
    result = run_image(target, image, joined.tobytes(), timeout_s=120, cache=CACHE)
    first, second = (
        tflm_outputs(model.read_bytes(), [samples])[0].reshape(len(samples), -1)
        for model, samples in zip(models, inputs, strict=True)
    )
    assert result.output == np.concatenate([first, second, first], axis=1).tobytes()


@pytest.mark.parametrize("part", PARTS)
def test_there_is_one_arena(part: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """As large as that of the larger model, and RAM for nothing else."""
    target, _, shared = _pair(part, zoo_model, tmp_path, ArenaMode.SHARED)
    elf = _link(target, shared, tmp_path / "shared", kind_is_test=False)
    symbols = symbols_of(elf.elf)
    largest = max(made.report.arena_bytes for made in shared)
    assert symbols["tinyml_shared_arena"][1] == largest
    assert not [name for name in symbols if name.endswith("_arena") and "shared" not in name]
    if target.memory is None:
        return
    _, _, own = _pair(part, zoo_model, tmp_path, ArenaMode.STATIC)
    apart = _link(target, own, tmp_path / "own", kind_is_test=False)
    saved = min(made.report.arena_bytes for made in own)
    rounding = 8  # of .bss
    sizes = [measure_image(target, image).static_ram_bytes for image in (apart, elf)]
    assert sizes[0] - sizes[1] >= saved - rounding


def _pair(
    part: str, zoo_model: ZooModel, folder: Path, arena: ArenaMode
) -> tuple[Target, list[Path], list[Compiled]]:
    """Sine beside speech, or where that is too large beside itself under another name."""
    target = target_or_skip(part)
    models = [zoo_model("sine"), zoo_model("speech")]
    if target.architecture == "avr":
        models[1] = folder / "wave.tflite"
        models[1].write_bytes(models[0].read_bytes())
    return target, models, [compiled(model, target, arena) for model in models]


def _link(target: Target, pair: list[Compiled], folder: Path, *, kind_is_test: bool) -> Image:
    first, second = (made.interface.name for made in pair)
    words = {"first": first, "second": second, "FIRST": first.upper(), "SECOND": second.upper()}
    inputs = [made.interface.inputs[0].count for made in pair]
    outputs = [made.interface.outputs[0].count for made in pair]
    interface = Interface(
        "both",
        (_port("both_first", inputs[0]), _port("both_second", inputs[1])),
        (_port("both_results", 2 * outputs[0] + outputs[1]),),
    )
    sources = {name: text for made in pair for name, text in made.files.items()}
    return build_image(
        target,
        sources={**sources, "both.h": HEADER, "both.c": SOURCE.format(**words)},
        interface=interface,
        kind="test" if kind_is_test else "minimal",
        folder=folder,
    )


def _port(accessor: str, count: int) -> Port:
    return Port(accessor, accessor, (count,), 1.0, 0, False)
