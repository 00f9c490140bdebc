"""Where tensors lie: no copy along the outer axis, a copy where there is no other way, and TFLM's
bytes from either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.lower.moving_models import (
    Maker,
    dense_block,
    ends_of_the_model,
    file_of,
    half_activated,
    inception,
    random_moves,
    shuffled_channels,
    twice_in_one,
    with_constant,
    with_variable,
)
from tests.support.host import host, program_of, run_on_host, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.buffers import Layout
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.request.request import Request

MODELS = (
    inception,
    dense_block,
    half_activated,
    twice_in_one,
    shuffled_channels,
    ends_of_the_model,
    with_constant,
    with_variable,
)
SEEDS = range(12)


def lowered(model: ModelSpec) -> Program:
    """The program of a model, for the host."""
    return program_of(file_of(model))


def operators_of(program: Program) -> list[str]:
    """What runs, in order."""
    return [step.node.op for step in program.steps]


def is_exact(model: ModelSpec, folder: Path) -> bool:
    """Whether a checked build gives TFLM's bytes; compiling it proves the plan."""
    file = file_of(model)
    compiled = compile_model(Request(file, "model", host(), checked=True))
    samples, truth = samples_and_truth(file, count=4)
    return run_on_host(compiled.files, compiled.interface, samples, folder=folder) == truth


def test_parts_lie_in_the_whole() -> None:
    maker = Maker()
    source = maker.input(1, 6, 2)
    parts = maker.split(source, 3)
    program = lowered(maker.model(*parts))
    assert program.steps == ()
    assert [program.layouts[part] for part in parts] == [
        Layout(source, 0),
        Layout(source, 4),
        Layout(source, 8),
    ]
    assert list(program.buffers) == [source]


def test_blocks_of_rows_lie_in_the_whole() -> None:
    """Whichever operator cuts them out."""
    maker = Maker()
    source = maker.input(6, 2)
    rows = maker.slice(source, (1, 0), (2, 2))
    first, rest = maker.split_v(source, (1, 5), axis=0)
    neighbours = maker.gather(source, (3, 4))
    program = lowered(maker.model(rows, first, rest, neighbours, maker.slice(rest, (4, 0), (1, 2))))
    assert program.steps == ()
    assert list(program.buffers) == [source]
    offsets = [program.layouts[tensor].offset_bytes for tensor in program.graph.outputs]
    assert offsets == [2, 0, 2, 6, 10]


def test_scattered_rows_are_one_copy() -> None:
    """A list of them where they are not in steps, few copies where they are."""
    maker = Maker()
    source = maker.input(9, 2)
    listed = maker.gather(source, (4, 0, 7, 7, 2, 8, 1, 0, 3, 5))
    reversed_rows = maker.gather(source, (6, 4, 2, 0))
    program = lowered(maker.model(listed, reversed_rows))
    names = [step.kernel.name for step in program.steps]
    assert names == ["copy_listed_elements_8_16", "copy_elements_8"]


def test_joined_tensors_lie_in_the_result() -> None:
    maker = Maker()
    first, second = maker.input(1, 1, 5), maker.input(1, 3, 5)
    result = maker.concat(first, second)
    program = lowered(maker.model(result))
    assert program.steps == ()
    assert program.layouts[first] == Layout(result, 0)
    assert program.layouts[second] == Layout(result, 5)
    assert program.buffers[result].size_bytes == 20


def test_offsets_add_up_along_a_chain() -> None:
    """RESHAPE of a part of a part, and a tensor joined under another shape."""
    maker = Maker()
    source = maker.input(1, 8, 3)
    last = maker.split(maker.split(source, 2)[1], 2)[1]
    view = maker.reshape(last, 1, 3, 2)
    behind = maker.input(1, 2, 2)
    result = maker.concat(maker.reshape(behind, 2, 2), maker.input(3, 2), axis=0)
    outer = maker.concat(maker.input(4, 2), result, axis=0)
    program = lowered(maker.model(view, outer))
    assert program.steps == ()
    assert program.layouts[view] == Layout(source, 18)
    assert program.layouts[behind] == Layout(outer, 8)
    assert set(program.buffers) == {source, outer}


def test_a_block_grows_in_one_buffer() -> None:
    """What is joined again and again is never copied."""
    program = lowered(dense_block())
    assert operators_of(program) == ["conv_2d"] * 4
    (output,) = program.graph.outputs
    made = [step.output for step in program.steps]
    assert {program.buffer_of(tensor) for tensor in made} == {output}
    assert [program.layouts[tensor].offset_bytes for tensor in made] == [0, 24, 48, 96]


@pytest.mark.parametrize("axis", [2, 3])
def test_inner_axes_are_copied(axis: int) -> None:
    """Unit by unit, also where a unit has one element of each."""
    maker = Maker()
    parts = maker.split(maker.input(1, 3, 4, 2), 2, axis=axis)
    program = lowered(maker.model(maker.concat(*reversed(parts), axis=axis)))
    assert operators_of(program) == ["split", "split", "concatenation"]
    assert {step.kernel.form for step in program.steps} == {Form.POINTWISE}


def test_a_tensor_twice_in_one_is_copied() -> None:
    """A kernel never reads and writes one buffer."""
    maker = Maker()
    source = maker.input(1, 2, 3)
    program = lowered(maker.model(maker.concat(source, source)))
    assert operators_of(program) == ["concatenation"] * 2
    assert program.layouts[source] == Layout(source)


def test_a_tensor_in_two_results_is_copied_once() -> None:
    maker = Maker()
    source, other = maker.input(1, 2, 3), maker.input(1, 1, 3)
    results = maker.concat(source, other), maker.concat(other, source)
    program = lowered(maker.model(*results))
    assert operators_of(program) == ["concatenation"] * 2
    assert program.layouts[source] == Layout(results[0], 0)
    assert program.layouts[other] == Layout(results[0], 6)


def test_parts_that_change_places_are_copied() -> None:
    maker = Maker()
    first, second = maker.split(maker.input(1, 2, 3), 2)
    assert operators_of(lowered(maker.model(maker.concat(second, first)))) == ["concatenation"] * 2


def test_constants_are_copied_from_flash() -> None:
    maker = Maker()
    source, constant = maker.input(1, 2, 4), maker.constant(1, 1, 4)
    result = maker.concat(constant, source)
    program = lowered(maker.model(result))
    (step,) = program.steps
    assert (step.inputs, step.outputs) == ((), (result,))
    assert program.layouts[source] == Layout(result, 4)
    assert constant not in program.layouts


def test_moving_axes_of_1_is_no_copy() -> None:
    maker = Maker()
    source = maker.input(1, 6, 1, 2)
    view = maker.transpose(source, 1, 3, 0, 2)
    turned = maker.transpose(source, 0, 3, 2, 1)
    program = lowered(maker.model(view, turned))
    assert operators_of(program) == ["transpose"]
    assert program.layouts[view] == Layout(source)


def test_six_dimensions_are_transposed(tmp_path: Path) -> None:
    """More than TFLM takes."""
    maker = Maker()
    shape, order = (2, 1, 3, 2, 2, 3), (5, 2, 0, 4, 1, 3)
    file = file_of(maker.model(maker.transpose(maker.input(*shape), *order)))
    compiled = compile_model(Request(file, "model", host()))
    samples = np.arange(72, dtype=np.int8).reshape(shape)
    found = run_on_host(compiled.files, compiled.interface, samples.tobytes(), folder=tmp_path)
    assert found == np.transpose(samples, order).tobytes()


def test_a_variable_stays_where_it_is() -> None:
    program = lowered(with_variable())
    (step,) = program.steps
    assert step.inputs == (0,)
    assert program.layouts[0] == Layout(0)
    assert program.layouts[1] == Layout(2, 6)


@pytest.mark.parametrize("make", MODELS)
def test_a_checked_build_is_exact(make: Callable[[], ModelSpec], tmp_path: Path) -> None:
    assert is_exact(make(), tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_model_is_exact(seed: int, tmp_path: Path) -> None:
    assert is_exact(random_moves(seed), tmp_path)
