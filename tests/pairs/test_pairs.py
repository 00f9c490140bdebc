"""Every two values of options that go together, in C on the host and on a part of each family: the
outputs are the reference's, and what else was asked for does what it says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.pairs.covering import Row, Value, covering_array, pairs_in, pairs_of
from tests.pairs.programs import Case, run
from tests.pairs.requests import CLASSES, FACTORS, REFUSED, SHAPE, is_allowed, model, request_of
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.litert import litert_outputs
from tests.support.tflm import tflm_outputs
from tinyml_rules.compare.log import read_log
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.target.target import load_target

SAMPLES = 3
PER_IMAGE = {"atmega1284p": 4}
"""Rows of one image, where not all have room."""
PARTS = (SANITIZED, "atmega1284p", "nrf52840", "riscv32imc", "xtensa_lx6")
ROWS = covering_array(FACTORS, is_allowed)
Samples = np.typing.NDArray[np.int8]


def test_every_pair_is_in_a_row() -> None:
    """All but those that are refused, and no row has one of these."""
    covered = set().union(*map(pairs_in, ROWS))
    assert covered == {pair for pair in pairs_of(FACTORS) if is_allowed(*pair)}
    assert len(ROWS) < 2 * max(len(one) for one in FACTORS.values()) ** 2


def test_every_option_is_a_factor() -> None:
    """Words and switches of a compilation: one that is new is paired with all others."""
    from tinyml_rules.request.option import Kind  # noqa: PLC0415
    from tinyml_rules.request.options import OPTIONS  # noqa: PLC0415

    options = {name for name, option in OPTIONS.items() if option.kind in (Kind.WORD, Kind.SWITCH)}
    assert options - set(FACTORS) == set()
    for name, values in FACTORS.items():
        if name in OPTIONS and OPTIONS[name].choices:
            assert set(values) == set(OPTIONS[name].choices), name


@pytest.mark.parametrize("pair", REFUSED, ids=lambda pair: " ".join(map("=".join, sorted(pair))))
def test_refused(pair: frozenset[Value], tmp_path: Path) -> None:
    """By one error that names both, before there is any C."""
    row = {factor: values[0] for factor, values in FACTORS.items()} | dict(pair)
    with pytest.raises(UsageError) as caught:
        compile_model(request_of(row, "m", load_target("host"), tmp_path))
    assert REFUSED[pair] in str(caught.value)


@pytest.fixture(scope="module")
def samples() -> Samples:
    """Random images."""
    generator = np.random.default_rng(3)
    return generator.integers(-128, 128, (SAMPLES, *SHAPE)).astype(np.int8)


@pytest.fixture(scope="module")
def references(samples: Samples) -> dict[str, Samples]:
    """By rounding, the scores of all samples; they differ from sample to sample."""
    found = {
        "tflm": tflm_outputs(model(), [samples])[0].reshape(SAMPLES, CLASSES),
        "litert": litert_outputs(model(), [samples])[0].reshape(SAMPLES, CLASSES),
    }
    assert len(np.unique(found["tflm"], axis=0)) == SAMPLES
    return found


@pytest.mark.parametrize("part", PARTS)
def test_rows(part: str, samples: Samples, references: dict[str, Samples], tmp_path: Path) -> None:
    """All rows, as many to an image as have room."""
    target = target_or_skip(part)
    size = PER_IMAGE.get(part, len(ROWS))
    for first in range(0, len(ROWS), size):
        cases = [
            case_of(row, f"r{first + number}", part, tmp_path)
            for number, row in enumerate(ROWS[first : first + size])
        ]
        output = run(target, cases, samples, tmp_path / f"image_{first}")
        place = 0
        for case in cases:
            place = check(case, output, place, samples, references[case.row["rounding"]])
        assert place == len(output)


def case_of(row: Row, name: str, part: str, folder: Path) -> Case:
    """The row compiled for a part."""
    target = load_target("host" if part == SANITIZED else part)
    return Case(name, row, compile_model(request_of(row, name, target, folder)))


def check(case: Case, output: bytes, place: int, samples: Samples, scores: Samples) -> int:
    """Judge what the program wrote of a case from a place on; returns where the next begins."""

    def take(size: int) -> bytes:
        nonlocal place
        place += size
        return output[place - size : place]

    def number() -> int:
        return int.from_bytes(take(4), "little", signed=True)

    if case.has("selftest"):
        assert number() == 0, case.row
    printed = b""
    for sample, expected in zip(samples, scores, strict=True):
        if case.has("dump"):
            end = _end_of_lines(case, output, place)
            printed += take(end - place)
        assert take(CLASSES) == expected.tobytes(), case.row
        if case.has_decisions:
            assert number() == int(np.argmax(expected)), case.row
            assert [number() for _ in expected] == [int(q) + 128 >= 64 for q in expected], case.row
        if case.has("hooks"):
            assert number() == 1, case.row
        if case.has("dump"):
            end = output.index(0, place)
            printed += take(end - place)
            take(1)
        assert sample.size
    if case.has("dump"):
        _check_log(case, printed, samples, scores)
    return place


def _end_of_lines(case: Case, output: bytes, place: int) -> int:
    """Behind the lines of text that begin here."""
    mark = f"@{case.name} ".encode()
    while output[place : place + len(mark)] == mark:
        place = output.index(b"\n", place) + 1
    return place


def _check_log(case: Case, printed: bytes, samples: Samples, scores: Samples) -> None:
    """What was printed is what went in and came out; rows of raw values are not printed."""
    digest = hashlib.sha256(model()).hexdigest()
    is_whole = not (case.has("push_rows") and case.is_raw)
    if not is_whole:
        assert printed.count(b"@") >= SAMPLES
        return
    log = read_log(printed, case.compiled.interface, sha256=digest, where="log")
    assert log.inputs == tuple(_bytes(samples)), case.row
    assert log.outputs == tuple(_bytes(scores)), case.row


def _bytes(values: Samples) -> Iterator[bytes]:
    yield from (each.tobytes() for each in values)
