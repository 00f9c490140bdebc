"""Groups of steps: their outputs are TFLM's in every schedule, and their proof finds mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.plan.chains import random_chain
from tests.plan.together import Variant, wrong_outputs
from tests.support.host import host, program_of, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.emit.emit import emit
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.group import Group
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.lower.choice import Choice
from tinyml_rules.lower.groups import AtOnce, Grouping, Span
from tinyml_rules.ops import builtin_operators
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.plan.verify_group import verify_group
from tinyml_rules.request.request import Request

MODELS = 100
SAMPLES = 3
PIXELS = (1, 1, 2, 3, 4, 64)
WAYS = ((Mode.LAYER, False), (Mode.AUTO, True), (Mode.STREAM, False), (Mode.STREAM, True))


def model_of(number: int) -> bytes:
    generator = np.random.default_rng(number)
    return random_chain(lambda low, high: int(generator.integers(low, high + 1)), heights=(3, 12))


def spans_of(grouping: Grouping, number: int) -> tuple[Span, ...]:
    """Some groups of a program that do not meet; longer ones first where there are any."""
    generator = np.random.default_rng(number)
    count, at, found = len(grouping.program.steps), 0, []
    while at < count:
        ends = [end for end in range(at + 2, count + 1) if grouping.group((at, end)) is not None]
        if ends and generator.integers(0, 4):
            end = ends[-1] if generator.integers(0, 2) else int(generator.choice(ends))
            found.append((at, end))
            at = end
        else:
            at += 1
    return tuple(found)


def pieces_of(grouping: Grouping, spans: Sequence[Span], number: int) -> AtOnce:
    """How many pixels each of the groups makes at a time: one, a few, or a row."""
    generator = np.random.default_rng(number)
    found = {span: int(generator.choice(PIXELS)) for span in spans}
    assert all(grouping.group(*each) is not None for each in found.items())
    return found


def grouped(number: int) -> tuple[bytes, Program] | None:
    """A model, and its program with groups; None without any."""
    model = model_of(number)
    grouping = Grouping(program_of(model), builtin_operators(), Choice())
    spans = spans_of(grouping, number)
    pieces = pieces_of(grouping, spans, number)
    return (model, grouping.grouped(spans, pieces)) if spans else None


def variants() -> Iterator[Variant]:
    """Every model with groups, in one of the ways, each second one checked, and most of those
    whose rows are not pushed in slices."""
    for number in range(MODELS):
        found = grouped(number)
        if found is None:
            continue
        model, program = found
        mode, is_pushed = WAYS[number % len(WAYS)]
        is_checked = number // len(WAYS) % 2 == 1
        try:
            steps = schedule(program, mode=mode, is_pushed=is_pushed)
        except UnsupportedError:
            continue
        steps = replace(steps, is_sliced=number % 3 > 0 and not is_pushed)
        plan = place(steps, lifetimes(steps), state_bytes=state_bytes(steps))
        verify_plan(steps, plan)
        request = Request(model, f"m{number}", host(), push_rows=is_pushed, checked=is_checked)
        compiled = compile_model(replace(request, slices=steps.is_sliced))
        text = emit(steps, plan, compiled.interface, {}, target=host(), is_checked=is_checked)
        samples, truth = samples_and_truth(model, count=SAMPLES)
        yield Variant(replace(compiled, files=text.files), SAMPLES, samples, truth)


def test_outputs_are_those_of_tflm(tmp_path: Path) -> None:
    """Many random groups in one binary, pixel by pixel and with some pixels at a time, layer by
    layer, in streams, in slices and with rows pushed."""
    found = list(variants())
    assert sum(each.compiled.interface.has_slices for each in found) >= 4
    assert len(found) >= 18
    assert wrong_outputs(found, tmp_path) == []


@cache
def nested(pixels: int) -> tuple[Program, Step, Group]:
    """A group with two windows, one of which sees what is made for the other, and that many pixels
    at a time."""
    for number in range(MODELS):
        grouping = Grouping(program_of(model_of(number)), builtin_operators(), Choice())
        for span in spans_of(grouping, number):
            program = grouping.grouped([span], {span: pixels})
            step = program.steps[span[0]]
            assert isinstance(step.facts, Group)
            if _is_nested(step.facts, pixels):
                return program, step, step.facts
    raise AssertionError("no model has one")


def _is_nested(group: Group, pixels: int) -> bool:
    is_large = all(each.height > 1 and each.width > 1 for each in group.columns)
    has_pieces = all(1 < each.at_once < each.columns.outputs for each in group.members)
    is_long = group.rows.outputs > 2 and len(group.columns) == 2
    return is_large and is_long and (has_pieces or pixels == 1)


def broken(step: Step, group: Group, number: int, **changes: int) -> Step:
    columns = list(group.columns)
    columns[number] = replace(columns[number], **changes)
    return replace(step, facts=replace(group, columns=tuple(columns)))


@pytest.mark.parametrize("pixels", [1, 3])
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("member", ["pad", "height", "width", "stride", "offset"])
@pytest.mark.parametrize("by", [-1, 1])
def test_its_proof_finds_a_mistake(member: str, number: int, by: int, pixels: int) -> None:
    """A row or a pixel that is not kept, or another one, or in bytes that others have."""
    program, step, group = nested(pixels)
    verify_group(program, step)
    value = getattr(group.columns[number], member) + by
    if member == "offset":
        value = group.columns[1 - number].offset
    with pytest.raises(AssertionError):
        verify_group(program, broken(step, group, number, **{member: value}))


@pytest.mark.parametrize("place", [0, 1, -1])
@pytest.mark.parametrize("by", [-1, 1])
def test_its_proof_finds_other_pieces(place: int, by: int) -> None:
    """A member that makes another number of pixels at a time than its kernel and its columns are
    for, even where both have room for them."""
    program, step, group = nested(3)
    members = list(group.members)
    member = members[place]
    members[place] = replace(member, at_once=member.at_once + by)
    with pytest.raises(AssertionError):
        verify_group(program, replace(step, facts=replace(group, members=tuple(members))))
