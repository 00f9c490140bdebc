"""Multipliers that are all 2^30: every kernel that requantizes has a form that shifts alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.ops import test_depthwise_along_row as along_row_tests
from tests.ops import test_depthwise_along_row_of_bytes as bytes_tests
from tests.ops import test_unsigned_pairs as unsigned_tests
from tests.ops import test_weight_pairs as pairs_tests
from tests.ops.test_cases import FEATURES, wrong_in_c
from tests.support.combined import Job, run_combined, target_or_skip, targets_of_each_kind
from tests.support.operator_cases import cases_of, graph_of
from tests.support.power_of_two import with_powers_of_two
from tests.support.stages import passed, selected
from tests.support.tflm import tflm_outputs
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation, multiply_by_quantized_multiplier
from tinyml_rules.cores import cores_of, finish_of
from tinyml_rules.ir.rounding import Rounding, plain_kernel
from tinyml_rules.lower.rounding import round_once
from tinyml_rules.lower.select import select
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.cases.weighted import of_powers
from tinyml_rules.ops._shared.positive_records import powers_of_shifts, rounds_of
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.target.target import load_target

NEVER_SHIFTING = (
    *(Rounding.INT16, Rounding.INT16_ONCE, Rounding.INT16_WIDE),
    Rounding.NEAREST,
)
"""Roundings of int16 and of LiteRT's FULLY_CONNECTED, which have no form that shifts alone."""
WEIGHTED = ("conv_2d", "depthwise_conv_2d", "fully_connected", "transpose_conv")
MOST_SUM = 2**23 - 1
TOO_SMALL = ("atmega328",)
"""For speech."""


def _every(models: Iterator[tuple[str, ModelSpec]], step: int) -> dict[str, ModelSpec]:
    return {name: of_powers(model) for name, model in [*models][::step]}


def _clamped(models: Mapping[str, ModelSpec]) -> dict[str, ModelSpec]:
    """Those whose results are not below the zero point."""
    return {
        name: model
        for name, model in models.items()
        if model.operators[0].options["FusedActivationFunction"] == Activation.RELU
    }


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few outputs and narrow rows, too, for which other kernels are faster."""
    pairs = ("conv_2d_unsigned_", "fully_connected_unsigned_pairs")
    take_wherever_they_can(monkeypatch, *pairs, "along_row")


SWEEPS: Mapping[str, tuple[str, dict[str, ModelSpec]]] = {
    "nrf52840_pairs": ("nrf52840", _every(iter(_clamped(pairs_tests.MODELS).items()), 1)),
    "atmega1284p_unsigned": ("atmega1284p", _every(iter(unsigned_tests.MODELS.items()), 4)),
    "atmega1284p_rows": ("atmega1284p", _every(bytes_tests._models(Padding.SAME, 1), 5)),
    **{
        f"{part}_rows_by_{stride}": (
            part,
            _every(along_row_tests._models(Padding.SAME, stride), 5),
        )
        for part in along_row_tests.PARTS
        for stride in (1, 2)
    },
}
"""By name the target and its models: the shapes for which the fastest kernels are tested."""


@pytest.mark.parametrize("name", SWEEPS)
def test_equals_tflm(name: str, tmp_path: Path) -> None:
    """Many of them take such a form, and all give the reference's bytes."""
    part, models = SWEEPS[name]
    taken = [each for each, model in models.items() if _is_shifted(model, part)]
    assert len(taken) >= len(models) // 4
    cases = {each: pairs_tests.of_ends(model) for each, model in models.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


def _is_shifted(model: ModelSpec, part: str) -> bool:
    (step,) = round_once(selected(model, features=load_target(part).features)).steps
    return step.kernel.rounding.is_shift


def _rounded_kernels() -> Iterator[tuple[str, str, bool]]:
    """(core, kernel, whether it shifts alone) of all cases on all kinds of processors that have
    such forms for results of both signs, where a sum is bounded."""
    for operator in WEIGHTED:
        for case in cases_of(operator).values():
            graph = graph_of(case, name="model")
            for features in FEATURES:
                finish = finish_of(features)
                if finish is None or Rounding.SHIFT not in finish.forms:
                    continue
                core = next(each.name for each in cores_of(features) if each.finish is finish)
                for step in round_once(select(graph, features, builtin_operators())).steps:
                    rounding = step.kernel.rounding
                    if rounding in NEVER_SHIFTING:
                        continue
                    if rounding is not Rounding.TWICE or step.shifting:
                        yield core, plain_kernel(step.kernel.name), rounding.is_shift


def test_every_kernel_shifts() -> None:
    """Whatever kernel requantizes bounded sums at once is among the cases with a shift alone."""
    found = set(_rounded_kernels())
    shifted = {kernel for _, kernel, is_shift in found if is_shift}
    assert shifted == {kernel for _, kernel, _ in found}
    cores = {core for core, _, is_shift in found if is_shift}
    assert cores == {"avr", "plain64", "plain32"}


@pytest.mark.parametrize("right", range(1, 16))
def test_records(right: int) -> None:
    """What the bytes of AVR's records stand for is TFLM's result, wherever that becomes another
    one: all sums that do not saturate fit two bytes."""
    steps = [(2 * result - 1) << right for result in range(300)]
    near = {step + off for step in steps for off in (-2, -1, 0, 1)}
    sums = np.array(sorted(each for each in near if 0 <= each <= MOST_SUM), np.int64)
    expected = multiply_by_quantized_multiplier(sums, 2**30, -right)
    power = int(powers_of_shifts(-right))
    rounded = sums + rounds_of(-right)
    if power < 0:
        found = (rounded >> 8) * -power >> 8
    else:
        assert expected[rounded >= 2**16].min(initial=256) > 255
        found = rounded * power >> 8
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("more", [0, 1])
def test_largest_sums(more: int, tmp_path: Path) -> None:
    """24 bits hold a sum, its sign and what rounds it; where they do not, it is multiplied."""
    model = dense(
        (1, 128),
        (1, 8),
        values=np.full((8, 128), 127, np.int8),
        activation=Activation.RELU,
        factor=2.0**-15,
        zero_points=(0, -128),
    )
    most = MOST_SUM - int(rounds_of(-14)) + more
    biases = np.full(8, most - 128 * 127 * 127, np.int32)
    model = with_tensor(model, 2, data=biases)
    assert _is_shifted(model, "atmega1284p") == (not more)
    assert not wrong_in_c({"largest": pairs_tests.of_ends(model)}, "atmega1284p", folder=tmp_path)


def test_one_other_multiplier() -> None:
    """A single channel of another ratio, and no step shifts alone; nor where results are larger."""
    model = of_powers(conv((1, 4, 5, 3), outputs=8))
    scales = model.tensors[1].scales
    for part in targets_of_each_kind():
        if finish_of(load_target(part).features) is None:
            continue
        other = with_tensor(model, 1, scales=(*scales[:-1], 1.1 * scales[-1]))
        assert not _is_shifted(other, part)
        assert not _is_shifted(of_powers(conv((1, 4, 5, 3), outputs=8, factor=2.0)), part)


@pytest.mark.parametrize("target_name", targets_of_each_kind())
def test_whole_model(target_name: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """speech with powers of two in the place of all scales, at the ends of int8 and at random."""
    target = target_or_skip(target_name)
    model = with_powers_of_two(zoo_model("speech").read_bytes())
    (source,) = (graph := passed(model)).inputs
    shape = graph.tensors[source].shape
    samples = np.random.default_rng(1).integers(-128, 128, (2, *shape)).astype(np.int8)
    samples[1] = np.where(samples[1] < 0, -128, 127)
    program = round_once(selected(model, features=target.features))
    finish = finish_of(target.features)
    is_shifted = {step.kernel.rounding.is_shift for step in program.steps}
    assert (True in is_shifted) == (finish is not None and finish.shifting is not None)
    jobs = [Job("speech", model, samples.tobytes())]
    found = run_combined(target, jobs, folder=tmp_path)
    if target_name in TOO_SMALL:
        assert not found
    else:
        (expected,) = tflm_outputs(model, [samples])
        assert found["speech"] == expected.tobytes()
