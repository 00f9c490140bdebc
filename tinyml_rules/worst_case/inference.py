"""What an inference of a compiled model takes at most for all inputs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile

from tinyml_rules.arithmetic.pseudo_random import values_of
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.accounts import GOES_ON, Account
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import pack_samples
from tinyml_rules.runners.marks import read_marks
from tinyml_rules.runners.model import build_test
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.bound import Bound, bound_of
from tinyml_rules.worst_case.figures import Measured, WorstCase, described
from tinyml_rules.worst_case.firmware import bound_of_firmware
from tinyml_rules.worst_case.image import bound_of_image, start_of_image
from tinyml_rules.worst_case.limits import has_marks
from tinyml_rules.worst_case.program import Program
from tinyml_rules.worst_case.targets import check_bounded

_SEED = 7
_CHECKED = 3
"""Samples with which limits of loops are checked, where none are run anyway."""


def worst_case_of(
    request: Request, *, samples: bytes = b"", cache: Path | None = None
) -> WorstCase:
    """The bound for the model of a request; `samples`: raw inputs, which are also run.

    Raises UnsupportedError where there is no bound.
    """
    check_bounded(request.target)
    with tempfile.TemporaryDirectory(prefix="tinyml-") as name:
        found = _built(request, Path(name))
        compiled = found.compiled
        model = _Model(compiled.interface, compiled.report.arena_bytes, compiled.accounts)
        worst = _worst_case(model, found.image, request.target, samples, cache)
    return replace(worst, options=found.options)


def worst_case_of_image(
    report: Report, image: Image, target: Target, *, cache: Path | None = None
) -> WorstCase:
    """The bound for a test image that is linked, as it is."""
    check_bounded(target)
    _check_model(report.interface)
    model = _Model(report.interface, report.arena_bytes)
    return _worst_case(model, image, target, b"", cache)


@dataclass(frozen=True)
class _Model:
    """What an image is of; `accounts`: of its marks, if it has such."""

    interface: Interface
    arena_bytes: int
    accounts: Sequence[Account] = ()


def _worst_case(
    model: _Model, image: Image, target: Target, samples: bytes, cache: Path | None
) -> WorstCase:
    marks = read_marks(image.elf) if model.accounts else {}
    accounts = {address: number & ~GOES_ON for address, number in marks.items()}
    program, bound = _bound(model, image, target, accounts, cache)
    worst = described(
        model.interface, program, bound, accounts=model.accounts, has_accounts=bool(accounts)
    )
    fed = samples
    if not fed and has_marks(image.elf):
        fed = random_samples(model.interface, _CHECKED)
    if fed:
        measured = _measured(program, image, fed, model.interface, cache)
        worst = replace(worst, measured=measured if samples else None)
    return worst


def _bound(
    model: _Model, image: Image, target: Target, accounts: Mapping[int, int], cache: Path | None
) -> tuple[Program, Bound]:
    """From the reset of the image on; of windows that slide, which its port may begin anew at any
    time, as in a firmware."""
    if not model.interface.slide:
        return bound_of_image(target, image, accounts=accounts, cache=cache)
    return bound_of_firmware(
        replace(target, memory=target.test_memory),
        model.interface,
        image.elf,
        arena_bytes=model.arena_bytes,
        accounts=accounts,
        cache=cache,
    )


@dataclass(frozen=True)
class _Build:
    compiled: Compiled
    image: Image
    options: tuple[str, ...]


def _built(request: Request, folder: Path) -> _Build:
    """The image as it is asked for, with the marks of nodes and of loops if these leave its machine
    code as it is; else as it is asked for, or with those of loops if it has such."""
    asked = compile_model(request)
    _check_model(asked.interface)
    plain = build_test(asked, request.target, folder=folder / "plain")
    limited = replace(request, loop_limits=True)
    compiled = compile_model(replace(limited, marked=True))
    marked = build_test(compiled, request.target, folder=folder / "marked")
    if code_of(plain.elf) == code_of(marked.elf):
        return _Build(compiled, marked, ())
    if not has_marks(marked.elf) or request.loop_limits:
        return _Build(asked, plain, ())
    compiled = compile_model(limited)
    image = build_test(compiled, request.target, folder=folder / "limited")
    same = code_of(plain.elf) == code_of(image.elf)
    return _Build(compiled, image, () if same else ("loop_limits",))


def _check_model(interface: Interface) -> None:
    """Raise UnsupportedError for what takes a time that is not the processor's."""
    if interface.has_external_weights:
        what = "no bound: the weights are read from a memory whose time is not known"
        raise UnsupportedError.at(interface.name, what)
    if interface.functions:
        what = f"no bound: calls functions of your firmware: {', '.join(interface.functions)}"
        hint = "link it into that firmware, and give that with --elf"
        raise UnsupportedError.at(interface.name, what, hint=hint)


def code_of(elf: Path) -> tuple[bytes, ...]:
    """All that is loaded, to see whether two programs are the same."""
    with elf.open("rb") as file:
        segments = ELFFile(file).iter_segments(type="PT_LOAD")
        return tuple(each.data() for each in segments if each["p_filesz"])


def _measured(
    program: Program, image: Image, samples: bytes, interface: Interface, cache: Path | None
) -> Measured:
    """By the same processor with all bits known, which also looks whether each loop keeps its
    limit."""
    start = start_of_image(program, image)
    run = bound_of(program, start, input_bytes=samples, cache=cache)
    counts = [each.most for each in run.calls]
    calls = interface.calls
    sums = [sum(counts[each : each + calls]) for each in range(0, len(counts), calls)]
    return Measured(len(sums), max(sums), min(sums))


def random_samples(interface: Interface, count: int) -> bytes:
    """Raw inputs: extremes, bands and noise, the same on every computer."""
    width = sum(each.size_bytes for each in interface.inputs)
    random = np.random.default_rng(_SEED)
    rows = [np.full(width, value) for value in (-128, 127, 0)]
    while len(rows) < count:
        low, high = np.sort(random.integers(-128, 128, 2))
        kinds = (
            random.integers(-128, 128, width),
            random.choice([-128, 127], width),
            random.integers(low, high + 1, width),
        )
        rows.append(kinds[len(rows) % len(kinds)])
    found = np.stack(rows[:count]).astype(np.int8)
    ends = np.cumsum([each.size_bytes for each in interface.inputs])
    inputs: dict[str, Array] = {}
    for port, column in zip(interface.inputs, np.split(found, ends[:-1], axis=1), strict=True):
        values = values_of(port.dtype, np.ascontiguousarray(column))
        inputs[port.tensor] = values.reshape(count, *port.shape)
    return pack_samples(interface, inputs, where=interface.name)
