"""Three sums in two products: every residue of outputs, pixels and values equals TFLM's, and so do
sums at the bounds of what fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_blocks import windows
from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import of_ends, sums_of
from tests.support.chained import chained
from tests.support.in_pieces import assert_rows_in_pieces, assert_vector_in_pieces
from tests.support.stages import passed
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.cores.triples import values_of_a_part
from tinyml_rules.ir.features import OF_WEIGHTS, Feature
from tinyml_rules.ir.program import Step
from tinyml_rules.ir.sums import Sums
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.lower.select import select
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.weighted import WRAPPING_FACTOR, wrapping
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.target.target import load_target

PARTS = {"nrf51": 12, "riscv32imc": 6, "lm3s6965": 6, "esp8266": 12}
"""And how many outputs a block has."""
VECTORS = {"nrf51": "12_by_1", "riscv32imc": "12_by_1", "lm3s6965": "6_by_2", "esp8266": "12_by_1"}
"""End of the names of kernels of vectors."""
TRIPLES = "triples_"
"""In the names of such kernels."""
FOR_SPEED: dict[str, Any] = {"optimize": Optimize.SPEED}
LARGEST = 2**20 // 128
"""Sizes of the weights of an output, added up, whose products reach the bound."""


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small layers, too, for which other kernels are as fast."""
    take_wherever_they_can(monkeypatch, TRIPLES)


def steps_of(
    model: ModelSpec, part: str, more: frozenset[Feature] = frozenset()
) -> tuple[Step, ...]:
    """Those of a part, for speed."""
    features = load_target(part).features | more
    choice = Choice(Optimize.SPEED)
    return select(passed(model), features, builtin_operators(), choice=choice).steps


def facts_of(model: ModelSpec) -> Sums:
    """Of the last layer."""
    facts: Sums = steps_of(model, "nrf51")[-1].facts
    return facts


def _pixels(block: int) -> Iterator[tuple[str, ModelSpec]]:
    """Every number of values, of outputs, and of pixels."""
    shapes = [(values, 1 + values % 7, 1 + values % 5) for values in range(1, 10)]
    shapes += [(3, outputs, 1 + outputs % 5) for outputs in range(1, 2 * block + 2)]
    shapes += [(5, 2 * block + 1, width) for width in range(2, 10)]
    shapes += [(values, block, 5) for values in (15, 33, 127, 256)]
    for number, (values, outputs, width) in enumerate(shapes):
        sums = sums_of(outputs, values, number)
        model = conv((1, 1 + number % 2, width, values), (1, 1), outputs=outputs, **sums)
        yield f"pixels_{values}_{outputs}_{width}", model


def _windows(block: int) -> Iterator[tuple[str, ModelSpec]]:
    return islice(windows(block - 2), 9)


def _vectors() -> Iterator[tuple[str, ModelSpec]]:
    for number, values in enumerate((*range(1, 8), 64, 515)):
        outputs, vectors = 1 + 2 * number, 1 + number % 3
        sums = {**sums_of(outputs, values, number), "is_per_axis": number % 2 == 1}
        yield f"vectors_{values}", dense((vectors, values), (vectors, outputs), **sums)


def _bounds() -> Iterator[tuple[str, ModelSpec]]:
    """The largest products in every place of a triple, sums of one part and of several, and such
    that wrap."""
    for values in (63, 200):
        for signs in ((1, 1, 1), (-1, -1, -1), (1, -1, 1), (-1, 1, -1)):
            rows = np.where(np.resize(signs, 12) > 0, 127, -128)
            ends = (rows[:, None] * np.ones(values)).astype(np.int8)
            sums: dict[str, Any] = {"values": ends, "factor": 2.0**-15, "is_per_axis": False}
            name = f"{values}_{'_'.join('up' if sign > 0 else 'down' for sign in signs)}"
            yield f"bound_{name}", conv((1, 1, 5, values), (1, 1), outputs=12, **sums)
            yield f"bound_of_vector_{name}", dense((1, values), (1, 12), **sums)
    for values in (64, 1024):
        image = conv((1, 2, 3, values), (1, 1), outputs=12, factor=WRAPPING_FACTOR)
        yield f"wraps_{values}", wrapping(image)


def _at_bound(sums: tuple[int, int, int], values: int = 256) -> ModelSpec:
    """Six outputs whose weights add up to these, in turn."""
    rows = [np.diff(np.arange(values + 1) * total // values) for total in 2 * sums]
    return conv(
        (1, 1, 5, values), (1, 1), outputs=6, values=np.array(rows, np.int8), factor=2.0**-14
    )


BOUNDS = {
    "least": (LARGEST, LARGEST, 2 * LARGEST),
    "most": (1 - LARGEST, 1 - LARGEST, 1 - 2 * LARGEST),
}
"""Weights of three outputs, added up, that a triple just has room for: the least number of `n` bits
is one further from 0 than the greatest."""
BEYOND = {
    "first": (LARGEST + 1, 0, 0),
    "second": (0, LARGEST + 1, 0),
    "third": (0, 0, 2 * LARGEST + 1),
    "first_below": (-LARGEST, 0, 0),
    "second_below": (0, -LARGEST, 0),
    "third_below": (0, 0, -2 * LARGEST),
}
"""One further."""
LARGEST_UNSIGNED = 2**20 // 255
UNSIGNED_BOUNDS = {
    "unsigned_most": (LARGEST_UNSIGNED, LARGEST_UNSIGNED, 2 * LARGEST_UNSIGNED),
    "unsigned_least": (-LARGEST_UNSIGNED, -LARGEST_UNSIGNED, -2 * LARGEST_UNSIGNED),
}
UNSIGNED_BEYOND = {
    "unsigned_first": (LARGEST_UNSIGNED + 1, 0, 0),
    "unsigned_second": (0, -LARGEST_UNSIGNED - 1, 0),
    "unsigned_third": (0, 0, 2 * LARGEST_UNSIGNED + 1),
}
"""The same for values that have 128 added."""
AT_BOUNDS = {**BOUNDS, **BEYOND, **UNSIGNED_BOUNDS, **UNSIGNED_BEYOND}


@pytest.mark.parametrize("name", AT_BOUNDS)
@pytest.mark.parametrize("outputs", [6, 12])
def test_parts(name: str, outputs: int) -> None:
    """As long as the weights let, and no longer."""
    offset = 128 if name.startswith("unsigned") else 0
    part = values_of_a_part(facts_of(_at_bound(AT_BOUNDS[name])), outputs, offset)
    assert part == (256 if name in {**BOUNDS, **UNSIGNED_BOUNDS} else 128)


def test_parts_of_few_outputs() -> None:
    """Outputs with words of their own have sums of any size."""
    ends = np.full((4, 1000), -128, np.int8)
    sums = facts_of(conv((1, 1, 1, 1000), (1, 1), outputs=4, values=ends))
    assert values_of_a_part(sums, 6) == 1000
    assert values_of_a_part(facts_of(conv((1, 1, 1, 1000), (1, 1), outputs=5)), 6) < 1000


def test_values_that_are_known() -> None:
    """Values that an activation keeps near 0 may have larger weights."""
    more: dict[str, Any] = {"factor": 2.0**-8, "is_per_axis": False}
    weights = np.full((6, 100), 127, np.int8)
    second = conv((1, 1, 5, 100), (1, 1), outputs=6, values=weights, **more)
    assert values_of_a_part(facts_of(second), 6) == 50
    clamp = {**more, "activation": Activation.RELU6, "zero_points": (0, -3)}
    both = chained(conv((1, 1, 5, 100), (1, 1), outputs=100, **clamp), second)
    facts = facts_of(both)
    assert facts.input_limits == passed(both).known.values[both.operators[0].outputs[0]]
    assert facts.input_limits == (-3, 21)
    assert values_of_a_part(facts, 6) == 100


@pytest.mark.parametrize("part", PARTS)
def test_exchangeable_weights(part: str) -> None:
    """The parts are those of some weights: of others that may take their place, there are none."""
    (step,) = steps_of(conv((1, 1, 1, 64), (1, 1), outputs=12), part, OF_WEIGHTS)
    assert TRIPLES not in step.kernel.name


def models(part: str) -> Mapping[str, ModelSpec]:
    """For a part."""
    return dict([*_pixels(PARTS[part]), *_windows(PARTS[part])])


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """All take such a kernel, and give the reference's bytes."""
    every = models(part)
    names = {name: steps_of(model, part)[-1].kernel.name for name, model in every.items()}
    assert not [name for name, kernel in names.items() if TRIPLES not in kernel]
    cases = {name: of_ends(model) for name, model in every.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path, **FOR_SPEED)


@pytest.mark.parametrize("part", PARTS)
def test_vectors_and_bounds(part: str, tmp_path: Path) -> None:
    """The same of vectors, and of the largest sums."""
    every = dict([*_vectors(), *_bounds()])
    every |= {name: _at_bound(sums) for name, sums in AT_BOUNDS.items()}
    names = {name: steps_of(model, part)[-1].kernel.name for name, model in every.items()}
    assert not [name for name, kernel in names.items() if TRIPLES not in kernel]
    cases = {name: of_ends(model) for name, model in every.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path, **FOR_SPEED)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("outputs", [5, 19])
def test_pieces_of_vector(part: str, outputs: int, tmp_path: Path) -> None:
    """A vector that comes in pieces of any length, of which one has the end of a part."""
    first = conv((1, 9, 5, 2), outputs=3)
    weights = np.resize(np.array([127, -127, 126], np.int8), (outputs, 135))
    layer = dense((1, 9, 5, 3), (1, outputs), input_count=135, values=weights)
    kernel = f"{TRIPLES}{VECTORS[part]}_rows"
    assert_vector_in_pieces(of_ends(first), layer, part, kernel, folder=tmp_path, **FOR_SPEED)


@pytest.mark.parametrize("part", PARTS)
def test_pieces(part: str, tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    every = {f"{name}_in_pieces": model for name, model in _windows(PARTS[part])}
    cases = {name: of_ends(model) for name, model in every.items()}
    assert_rows_in_pieces(cases, part, folder=tmp_path, **FOR_SPEED)
