"""Windows of 3x3 in tiles of 2x2 outputs: sizes, ends, ties and bounds equal TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import TIES, kernel_of, of_ends
from tests.support.chained import chained
from tests.support.combined import target_or_skip
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.tflm import tflm_outputs
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation, wrap_int32
from tinyml_rules.compiler import compile_model, select_program
from tinyml_rules.cores.dsp.winograd import (
    BOUNDED,
    MOST_VALUES,
    OUTPUTS,
    TILE,
    VALUES,
    WEIGHTS,
    from_tiles,
    in_tiles,
)
from tinyml_rules.errors import TinymlError
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.weighted import WRAPPING_FACTOR, wrapping
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.overview.kernels import kernels_of
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import load_target

PART = "nrf52840"
PARTS = {PART: 1, "mps2_an505": 7, "atsamv71": 3}
"""Cortex-M4, M33, and M7 with an order of its own; each with one of so many models."""
WINOGRAD = "conv_2d_winograd_of_"
RELU: Mapping[str, Any] = {"activation": Activation.RELU, "zero_points": (-128, -128)}
SIZES = ((2, 3), (3, 4), (4, 5), (5, 6), (3, 7), (2, 8), (1, 9), (5, 2), (4, 1))
"""Of the outputs: rows and pixels, every residue of a tile, or of two, behind others and alone."""


def ends(outputs: int, values: int) -> npt.NDArray[np.int8]:
    """Random weights, half of them the ends of their range, -128 among them."""
    random = np.random.default_rng(outputs + values)
    found = random.integers(-128, 128, (outputs, values))
    is_end = random.integers(0, 2, found.shape) == 1
    return np.where(is_end, random.choice((-128, 127), found.shape), found).astype(np.int8)


def _layer(size: tuple[int, int], channels: int, outputs: int, number: int) -> ModelSpec:
    """Without padding where the number is odd; ties, large biases, a clamp in turn."""
    more: tuple[Mapping[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0)},
        {"bias_size": 2**19, "factor": 2.0**-12},
        RELU,
        {},
        {"activation": Activation.RELU6},
    )
    is_valid = number % 2 == 1
    image = (1, size[0] + 2 * is_valid, size[1] + 2 * is_valid, channels)
    sums = {"values": ends(outputs, 9 * channels), "is_per_axis": number % 3 == 0}
    padding = Padding.VALID if is_valid else Padding.SAME
    return conv(image, outputs=outputs, padding=padding, **{**sums, **more[number % len(more)]})


def _layers() -> Iterator[tuple[str, ModelSpec]]:
    shapes = [(size, 16, 4 + number % 5) for number, size in enumerate(SIZES)]
    shapes += [((3, 5), channels, 5) for channels in (8, 24, 32, 40, 48, 56, 64)]
    shapes += [((2, 4), 16, outputs) for outputs in (1, 2, 3, 8, 9)]
    for number, (size, channels, outputs) in enumerate(shapes):
        name = f"winograd_{size[0]}_{size[1]}_{channels}_{outputs}_{number % 2}"
        yield name, _layer(size, channels, outputs, number)


def _extremes() -> Iterator[tuple[str, ModelSpec]]:
    """Two images; sums that wrap; weights of one value or two by turns, which ends of int8 meet."""
    yield "batches", conv((2, 3, 8, 16), outputs=4, values=ends(4, 144))
    yield "wraps", wrapping(conv((1, 4, 5, 16), outputs=4, factor=WRAPPING_FACTOR))
    for first, second in ((-128, -128), (127, -128), (-127, 127)):
        values = np.array([[first, second]] * 4 * 72, np.int8)
        sums: dict[str, Any] = {"values": values, "factor": 2.0**-15, "is_per_axis": False}
        yield f"ends_{first % 256}_{second % 256}", conv((1, 4, 5, 16), outputs=4, **sums)


MODELS = dict([*_layers(), *_extremes()])


@pytest.fixture(name="of_any_size")
def _of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small layers, too, for which other kernels are as fast."""
    take_wherever_they_can(monkeypatch, WINOGRAD)


def _can(model: ModelSpec) -> bool:
    """A window of 3x3 has taps that are never in an image of one row or one pixel."""
    return kernel_of(model).startswith(WINOGRAD)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.usefixtures("of_any_size")
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Nearly all of them take such a kernel, and give the reference's bytes."""
    assert sum(map(_can, MODELS.values())) >= len(MODELS) - 2
    models = dict(list(MODELS.items())[:: PARTS[part]])
    cases = {name: of_ends(model) for name, model in models.items() if _can(model)}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.usefixtures("of_any_size")
def test_pieces(tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    models = {f"{name}_in_pieces": model for name, model in _layers() if _can(model)}
    cases = {name: of_ends(model) for name, model in list(models.items())[:9]}
    assert_rows_in_pieces(cases, PART, folder=tmp_path)


@pytest.mark.parametrize(
    ("how", "rows"),
    [(Mode.STREAM, 5), (Mode.STREAM, 6), (Mode.LAYER, 5), ("pushed", 6), ("slices", 5)],
)
def test_several(how: Mode | str, rows: int, tmp_path: Path) -> None:
    """Layers in turn, each with the row that it keeps, in checked builds."""
    image, outputs = (1, rows, 8, 16), 16
    layer = conv(image, outputs=outputs, values=ends(outputs, 144), **RELU)
    model = chained(layer, layer, conv(image, outputs=5, values=ends(5, 144), bias_size=None))
    file = build_model(model)
    more: dict[str, Any] = {"schedule": how} if isinstance(how, Mode) else {}
    more |= {"push_rows": True} if how == "pushed" else {}
    more |= {"slices": True, "schedule": Mode.STREAM} if how == "slices" else {}
    target = target_or_skip(PART)
    compiled = compile_model(Request(file, "model", target, checked=True, **more))
    assert compiled.files["model.c"].count(".weights = model_node_") == 3
    assert WINOGRAD in compiled.files["model.c"]
    samples = of_ends(layer).samples[0]
    (expected,) = tflm_outputs(file, [samples])
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected.tobytes()


def test_round_trip() -> None:
    """Weights come back from their words, whatever the number of outputs is."""
    for outputs in range(1, 10):
        for channels in (4, 8, 20):
            weights = ends(outputs, 9 * channels).reshape(outputs, 3, 3, channels)
            assert np.array_equal(from_tiles(in_tiles(weights), outputs, channels), weights)


def test_order_of_weights() -> None:
    """A weight in the middle is at the four places in the middle of a tile, in the word of its
    output and its channel."""
    weights = np.zeros((6, 3, 3, 8), np.int8)
    weights[5, 1, 1, 6] = -3
    halves = np.frombuffer(in_tiles(weights).tobytes(), "<i2").reshape(2, 16, 2, 2, 4, 2)
    places = [5, 6, 9, 10]
    assert np.argwhere(halves).tolist() == [[1, place, 1, 0, 1, 1] for place in places]
    assert halves[1, places, 1, 0, 1, 1].tolist() == [-3, 3, 3, -3]


def _four_times(values: npt.NDArray[np.int8], weights: npt.NDArray[np.int8]) -> Any:
    """Of one output of 4x4 pixels [4][4][channels] and weights [3][3][channels], what C makes: four
    times the sums [2][2], with every step modulo 2^32."""
    seen = np.einsum("ai,ijc,bj->abc", VALUES, values.astype(np.int64), VALUES)
    meets = np.einsum("ai,ijc,bj->abc", WEIGHTS, weights.astype(np.int64), WEIGHTS)
    assert max(np.abs(seen).max(), np.abs(meets).max()) < 2**15
    places = wrap_int32((seen * meets).sum(axis=2))
    return wrap_int32(OUTPUTS @ wrap_int32(places @ OUTPUTS.T))


def _sums(values: npt.NDArray[np.int8], weights: npt.NDArray[np.int8]) -> Any:
    tiles = np.lib.stride_tricks.sliding_window_view(values, (3, 3), axis=(0, 1))
    return np.einsum("yxcij,ijc->yx", tiles.astype(np.int64), weights.astype(np.int64))


def test_meaning() -> None:
    """Random values and the ends of their range: always four times the sum, modulo 2^32."""
    random = np.random.default_rng(3)
    for channels in (1, 2, 16, 300, 4000):
        for _ in range(20):
            values, weights = (
                random.choice((-128, -127, 0, 127), (side, side, channels)).astype(np.int8)
                for side in (2 * TILE, 3)
            )
            expected = wrap_int32(4 * _sums(values, weights))
            assert np.array_equal(_four_times(values, weights), expected)


@pytest.mark.parametrize("channels", [3640, 3641])
def test_bound(channels: int) -> None:
    """Four times the largest sum of products is within 32 bits up to the bound, and not beyond."""
    is_within = 9 * channels <= MOST_VALUES
    model = build_model(conv((1, 3, 3, channels), outputs=1))
    program = select_program(Request(model, "model", load_target("host")))
    assert BOUNDED.holds(program.steps[0].facts) == is_within
    least = np.full((4, 4, channels), -128, np.int8)
    window = least[:3, :3]
    assert np.array_equal(_four_times(least, window), 4 * _sums(least, window)) == is_within


WIDE = build_model(conv((1, 4, 4, 80), outputs=80, **RELU))
"""Weights of 58 kB, or 205 kB in tiles."""


@pytest.mark.parametrize(
    ("part", "settings", "takes_it"),
    [
        (PART, {}, True),
        ("stm32f303", {}, False),
        ("stm32f303", {"optimize": Optimize.SPEED}, True),
        ("stm32f303", {"kernels": (("0", f"{WINOGRAD}16"),)}, True),
        (PART, {"optimize": Optimize.SIZE}, False),
        (PART, {"ram": 6000}, False),
        (PART, {"slide": 1}, False),
    ],
)
def test_where(part: str, settings: dict[str, Any], *, takes_it: bool) -> None:
    """Where a third of the flash has room for all constants, or speed counts; where the RAM has;
    and where rows come in their order."""
    program = select_program(Request(WIDE, "model", load_target(part), **settings))
    assert program.steps[0].kernel.name.startswith(WINOGRAD) == takes_it


def test_little_room() -> None:
    """Where rows have to be made in pieces, or more than once, no kernel makes two at a time."""
    layer = conv((1, 12, 12, 16), outputs=16, **RELU)
    file = build_model(chained(layer, layer, layer))
    most = compile_model(Request(file, "model", load_target(PART)))
    assert WINOGRAD in most.files["model.c"]
    little = Request(file, "model", load_target(PART), ram=4000)
    try:
        compiled = compile_model(little)
    except TinymlError:
        pytest.fail("there is a plan without tiles")
    assert WINOGRAD not in compiled.files["model.c"]


@pytest.mark.parametrize("channels", [8, 12, 16, 24, 32, 40])
def test_one_kernel_for_channels(channels: int) -> None:
    """Its loop has whole rounds of 16 channels, behind 8 or as many: there is no other way."""
    model = build_model(conv((1, 4, 4, channels), outputs=4))
    (step,) = select_program(Request(model, "model", load_target(PART))).steps
    able = [name for name in step.candidates if name.startswith(WINOGRAD)]
    rest = channels % 16 or 16
    assert able == ([f"{WINOGRAD}{rest}"] if rest in (8, 16) else [])


def test_reasons() -> None:
    """Why a layer has another kernel: flash and RAM, the order of rows, tiles over the edge."""
    square = build_model(conv((1, 5, 5, 16), outputs=16))
    requests = {
        "flash": Request(WIDE, "model", load_target("stm32f303")),
        "order": Request(WIDE, "model", load_target(PART), slide=1),
        "edge": Request(square, "model", load_target(PART)),
    }
    found = {name: kernels_of(request)[0].verdicts for name, request in requests.items()}
    against = {
        name: next(each.against for each in verdicts if each.kernel == f"{WINOGRAD}16")
        for name, verdicts in found.items()
    }
    assert against == {
        "flash": "no room for 7,552 bytes of scratch memory or in flash for its constants",
        "order": "makes 2 rows at a time, from the first to the last",
        "edge": "does not pay: whole tiles have too many outputs of no use",
    }


def test_some_of_several() -> None:
    """Where flash is short, layers with the most products for a byte go first."""
    first = conv((1, 8, 8, 48), outputs=48)
    others = (
        conv((1, 8, 8, 48), (2, 2), outputs=80, strides=(2, 2), bias_size=None),
        conv((1, 4, 4, 80), outputs=80, bias_size=None),
    )
    model = chained(first, *others)
    program = select_program(Request(build_model(model), "model", load_target("stm32f303")))
    names = [step.kernel.name.startswith(WINOGRAD) for step in program.steps]
    assert names == [True, False, False]
    assert program.constant_bytes < 524_288 // 3
