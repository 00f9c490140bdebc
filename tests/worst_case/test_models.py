"""Bounds of models: with known bits all is as on the emulator, and no input takes more.

The speech model's rows are pushed, sine has every input, and cases of operators have their samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.conftest import ZooModel
from tests.docs.pages import DOCS
from tests.support.hand_written import CACHE, target_or_skip
from tests.support.operator_cases import (
    cases_of,
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
)
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.firmware.image import Image
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.runners.model import build_test
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.figures import described
from tinyml_rules.worst_case.image import bound_of_image
from tinyml_rules.worst_case.inference import random_samples

TARGETS = ("atmega1284p", "nrf51", "lm3s6965", "nrf52840", "riscv32imc")
CASES = (
    ("add", "same_shape"),
    ("arg_max", "int8_to_int32"),
    ("conv_2d", "same"),
    ("depthwise_conv_2d", "relu_at_lowest"),
    ("fully_connected", "packed_per_axis"),
    ("gather", "computed_int8"),
    ("max_pool_2d", "same"),
    ("softmax", "batches"),
)
ALONE = {
    **dict.fromkeys(
        ("nrf51", "riscv32imc"),
        (("average_pool_2d", "same"), ("dynamic_update_slice", "computed")),
    ),
    "atmega1284p": (("average_pool_2d", "same"), ("l2_normalization", "depth_6")),
    "lm3s6965": (("dynamic_update_slice", "computed"),),
}
"""Whose bounds need ranges: of what is divided, of an address, of a shift.  What takes a place as
an input is run with its own samples alone."""
CONVOLUTIONS = (
    ("depthwise_conv_2d", "five_channels_strided"),
    ("depthwise_conv_2d", "highest_zero_point"),
    ("depthwise_conv_2d", "relu_at_lowest"),
    ("conv_2d", "highest_zero_point"),
    ("conv_2d", "activation_relu6"),
    ("conv_2d", "relu_of_long_shifts"),
)
IN_CONSTANT_TIME = {
    "atmega1284p": CONVOLUTIONS,
    "riscv32imc": (*CONVOLUTIONS, ("fully_connected", "packed_per_axis")),
}
SINGLE = {
    **{"atmega1284p": 1.2, "nrf51": 1.2, "lm3s6965": 1.05, "nrf52840": 1.05},
    "riscv32imc": 1.1,
}
ZOO = {
    **{"atmega1284p": 1.1, "nrf51": 1.1, "lm3s6965": 1.001, "nrf52840": 1.001},
    "riscv32imc": 1.02,
}
"""How far above the largest measured a bound may be."""
BATCH = 12

Samples = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Built:
    """A test image of a model that says how often its loops run."""

    target: Target
    compiled: Compiled
    image: Image

    @classmethod
    def of(cls, request: Request, folder: Path) -> Built:
        """Compiled and linked."""
        compiled = compile_model(replace(request, loop_limits=True))
        image = build_test(compiled, request.target, folder=folder)
        return cls(request.target, compiled, image)

    def measured(self, samples: bytes) -> list[int]:
        """What each inference takes on the emulator, which gives what known bits give."""
        run = run_image(self.target, self.image, samples, cache=CACHE)
        counted = list(run.estimated_cycles or run.counts)
        _, known = bound_of_image(self.target, self.image, input_bytes=samples, cache=CACHE)
        assert known.output == run.output
        assert [(each.most, each.least) for each in known.calls] == [(n, n) for n in counted]
        return self.inferences(counted)

    def inferences(self, counts: Sequence[int]) -> list[int]:
        """The sums of the calls of each."""
        calls = self.compiled.interface.calls
        return [sum(counts[first : first + calls]) for first in range(0, len(counts), calls)]

    def bounds(self) -> tuple[int, int]:
        """The most and the least of an inference."""
        program, bound = bound_of_image(self.target, self.image, cache=CACHE)
        worst = described(
            self.compiled.interface,
            program,
            bound,
            accounts=self.compiled.accounts,
            has_accounts=False,
        )
        return worst.cycles, worst.least_cycles


@pytest.mark.parametrize("target_name", TARGETS)
def test_sine(target_name: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """Every input that there is."""
    target = target_or_skip(target_name)
    request = Request(zoo_model("sine").read_bytes(), "sine", target, optimize=Optimize.LAYERS)
    built = Built.of(request, tmp_path)
    counted = built.measured(bytes(range(256)))
    most, least = built.bounds()
    assert least <= min(counted)
    assert max(counted) <= most <= ZOO[target_name] * max(counted)


@pytest.mark.parametrize("target_name", TARGETS)
def test_speech(target_name: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """Pushed rows; inputs that a search has made slow do not take more either."""
    target = target_or_skip(target_name)
    request = Request(zoo_model("speech").read_bytes(), "speech", target, push_rows=True)
    built = Built.of(request, tmp_path)
    most, least = built.bounds()
    first = random_samples(built.compiled.interface, 4)
    assert least <= min(built.measured(first))
    slowest = climbed(built, np.frombuffer(first, np.int8).reshape(4, -1), rounds=2)
    assert slowest <= most <= ZOO[target_name] * slowest


def climbed(built: Built, pool: Samples, *, rounds: int) -> int:
    """The most that an inference takes for inputs changed at random, of which the slowest is
    changed again."""
    random = np.random.default_rng(3)

    def counts(samples: Samples) -> Sequence[int]:
        run = run_image(built.target, built.image, samples.tobytes(), cache=CACHE)
        return built.inferences(list(run.estimated_cycles or run.counts))

    found = counts(pool)
    most, best = max(found), pool[int(np.argmax(found))]
    for _ in range(rounds):
        tries = np.repeat(best[None], BATCH, axis=0)
        for each in tries:
            width = 1 + int(each.size * random.choice([0.01, 0.1, 0.4]))
            at = int(random.integers(0, each.size - width + 1))
            noise = random.integers(-128, 128, width, dtype=np.int8)
            each[at : at + width] = random.choice([-128, 127]) if random.random() < 0.5 else noise
        found = counts(tries)
        if max(found) > most:
            most, best = max(found), tries[int(np.argmax(found))]
    return most


@pytest.mark.parametrize("target_name", TARGETS)
def test_operators(target_name: str, tmp_path: Path) -> None:
    """Single layers: each has a bound that their own samples, extremes and noise keep."""
    target = target_or_skip(target_name)
    for operator, name in (*CASES, *ALONE.get(target_name, ())):
        case = cases_of(operator)[name]
        built = Built.of(Request(file_of(case), "m", target), tmp_path / operator)
        is_any = operator != "dynamic_update_slice"
        more = random_samples(built.compiled.interface, 20) if is_any else b""
        counted = built.measured(sample_bytes(case, graph_of(case, name="m")) + more)
        most, least = built.bounds()
        assert least <= min(counted), operator
        largest = SINGLE[target_name] * max(counted)
        assert max(counted) <= most <= largest, (operator, most, max(counted))


@pytest.mark.parametrize("target_name", IN_CONSTANT_TIME)
def test_constant_time(target_name: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """The page's figures; the outputs are those of the usual code, for extremes and noise too."""
    target = target_or_skip(target_name)
    request = Request(zoo_model("speech").read_bytes(), "speech", target)
    usual = Built.of(request, tmp_path / "usual")
    constant = Built.of(replace(request, constant_time=True), tmp_path / "constant")
    samples = random_samples(usual.compiled.interface, 6)
    runs = [run_image(target, each.image, samples, cache=CACHE) for each in (usual, constant)]
    assert runs[0].output == runs[1].output
    before, (most, least) = usual.bounds(), constant.bounds()
    assert most - least <= 0.001 * most
    assert most <= 1.01 * before[0]
    page = (DOCS / "how-to" / "worst-case-time.md").read_text(encoding="utf-8")
    assert f"| {target_name} | as usual | {before[0]:,} | {before[1]:,} |" in page
    assert f"| {target_name} | `constant_time` | {most:,} | {least:,} |" in page


@pytest.mark.parametrize("target_name", IN_CONSTANT_TIME)
def test_constant_time_of_layers(target_name: str, tmp_path: Path) -> None:
    """Layers that have such code give the bytes of TFLM: sums above and below all bounds, the
    highest zero point, long shifts."""
    target = target_or_skip(target_name)
    for operator, name in IN_CONSTANT_TIME[target_name]:
        case = cases_of(operator)[name]
        request = Request(file_of(case), "m", target, constant_time=True)
        compiled = compile_model(request)
        assert compiled.files != compile_model(replace(request, constant_time=False)).files
        image = build_test(compiled, target, folder=tmp_path / operator / name)
        graph = graph_of(case, name="m")
        run = run_image(target, image, sample_bytes(case, graph), cache=CACHE)
        assert is_right(case, result_bytes(case, graph, run.output)), (operator, name)


def test_limit_of_a_template_that_is_too_small(zoo_model: ZooModel, tmp_path: Path) -> None:
    """A run with known inputs finds that a loop runs more often than its template says."""
    target = target_or_skip("atmega1284p")
    request = Request(zoo_model("speech").read_bytes(), "speech", target, loop_limits=True)
    compiled = compile_model(request)
    wrong = {
        name: text.replace("TINYML_AT_MOST(12)", "TINYML_AT_MOST(6)")
        if isinstance(text, str)
        else text
        for name, text in compiled.files.items()
    }
    assert wrong != compiled.files
    image = build_test(replace(compiled, files=wrong), target, folder=tmp_path)
    samples = random_samples(compiled.interface, 3)
    with pytest.raises(UnsupportedError, match=r"speech_\w+ at 0x.*more often than its limit of 6"):
        bound_of_image(target, image, input_bytes=samples, cache=CACHE)
