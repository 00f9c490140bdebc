"""What an inference of a compiled model takes at most for all inputs."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import pack_samples
from tinyml_rules.runners.marks import read_marks
from tinyml_rules.runners.model import build_test
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.bound import Bound, Call, Site, bound_of
from tinyml_rules.worst_case.firmware import bound_of_firmware
from tinyml_rules.worst_case.image import bound_of_image, start_of_image
from tinyml_rules.worst_case.limits import has_marks
from tinyml_rules.worst_case.program import Program
from tinyml_rules.worst_case.targets import check_bounded

_SEED = 7
_CHECKED = 3
"""Samples with which limits of loops are checked, where none are run anyway."""
EXCLUDED = "interrupts, which may come at any time, and what stops the processor"


@dataclass(frozen=True)
class DependsOnData:
    """Branches in one function, of one node, whose way depends on data."""

    function: str
    """where branches depend on data: the function"""
    nodes: tuple[str, ...]
    """the labels of the nodes that run it there; none of what is not in a node"""
    branches: int
    """how many instructions that are"""
    times: int
    """how often, in one inference, such a branch may go either way"""
    cycles: int
    """by how much the ways may differ, all together"""


@dataclass(frozen=True)
class Measured:
    """The same from runs."""

    samples: int
    """of a measurement: how many samples"""
    most: int
    """the most cycles of one of them"""
    least: int
    """the fewest"""


@dataclass(frozen=True, kw_only=True)
class WorstCase:
    """What an inference takes at most and at least for all inputs."""

    model: str
    """the model"""
    target: str
    """the target"""
    cycles: int
    """no inference takes more"""
    least_cycles: int
    """none takes fewer"""
    cycles_of_slowest_row: int | None = None
    """where rows are pushed: no call takes more"""
    milliseconds: float | None = None
    """of `cycles` at the part's clock"""
    clock_hz: int | None = None
    """that clock"""
    cycles_source: str | None = None
    """where the cycles of instructions are from; none where they are the chip's own"""
    excluded: str = EXCLUDED
    """what is not in it"""
    options: tuple[str, ...] = ()
    """options of the build that the bound is for, in addition to those that were given"""
    depends_on_data: tuple[DependsOnData, ...] = ()
    """the most first"""
    measured: Measured | None = None
    """where runs were asked for"""

    @property
    def spread(self) -> float:
        """By how much of the most an inference may be faster."""
        return (self.cycles - self.least_cycles) / self.cycles if self.cycles else 0.0


def worst_case_of(
    request: Request, *, samples: bytes = b"", cache: Path | None = None
) -> WorstCase:
    """The bound for the model of a request; `samples`: raw inputs, which are also run.

    Raises UnsupportedError where there is no bound.
    """
    check_bounded(request.target)
    with tempfile.TemporaryDirectory(prefix="tinyml-") as name:
        found = _built(request, Path(name))
        marks = read_marks(found.image.elf)
        accounts = {address: number & ~GOES_ON for address, number in marks.items()}
        program, bound = _bound(found, request.target, accounts, cache)
        worst = described(found.compiled, program, bound, has_accounts=bool(accounts))
        worst = replace(worst, options=found.options)
        interface = found.compiled.interface
        fed = samples
        if not fed and has_marks(found.image.elf):
            fed = random_samples(interface, _CHECKED)
        if fed:
            measured = _measured(program, found.image, fed, interface, cache)
            worst = replace(worst, measured=measured if samples else None)
    return worst


def _bound(
    found: _Build, target: Target, accounts: Mapping[int, int], cache: Path | None
) -> tuple[Program, Bound]:
    """From the reset of the image on; of windows that slide, which its port may begin anew at any
    time, as in a firmware."""
    interface = found.compiled.interface
    if not interface.slide:
        return bound_of_image(target, found.image, accounts=accounts, cache=cache)
    return bound_of_firmware(
        replace(target, memory=target.test_memory),
        interface,
        found.image.elf,
        arena_bytes=found.compiled.report.arena_bytes,
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


def described(
    compiled: Compiled, program: Program, bound: Bound, *, has_accounts: bool
) -> WorstCase:
    """The figures of an inference."""
    target, interface = program.target, compiled.interface
    inferences = list(_inferences(bound, interface))
    slowest = max(inferences, key=_most)
    most = _most(slowest)
    row = max(each.most for each in bound.calls) if interface.pushed_rows else None
    return WorstCase(
        model=interface.name,
        target=target.name,
        cycles=most,
        least_cycles=min(sum(each.least for each in calls) for calls in inferences),
        cycles_of_slowest_row=row,
        milliseconds=round(1000 * most / target.clock_hz, 8) if target.clock_hz else None,
        clock_hz=target.clock_hz,
        cycles_source=target.cycles.source if target.cycles else None,
        depends_on_data=tuple(_by_function(slowest, compiled.accounts, interface, has_accounts)),
    )


def _most(calls: Sequence[Call]) -> int:
    return sum(each.most for each in calls)


def _inferences(bound: Bound, interface: Interface) -> Iterator[Sequence[Call]]:
    """The calls of each inference that there can be: those of the run, and then again those from
    `repeats` on."""
    calls = bound.calls
    period = calls[bound.repeats :]
    assert period, "the call that comes next is one of them"
    step = 1 if interface.slide else interface.calls
    every = list(calls)
    while len(every) < len(calls) + len(period) * interface.calls:
        every += period
    for start in range(0, len(every) - interface.calls + 1, step):
        yield every[start : start + interface.calls]


def _by_function(
    calls: Iterable[Call], accounts: Sequence[Account], interface: Interface, has_accounts: bool
) -> Iterator[DependsOnData]:
    found: dict[tuple[str, tuple[str, ...]], list[Site]] = defaultdict(list)
    for call in calls:
        for site in call.sites:
            if site.forks:
                nodes = _nodes(site, accounts, interface, has_accounts)
                found[site.function, nodes].append(site)
    rows = [
        DependsOnData(
            function,
            nodes,
            branches=len({each.address for each in sites}),
            times=sum(each.forks for each in sites),
            cycles=sum(each.total for each in sites),
        )
        for (function, nodes), sites in found.items()
    ]
    yield from sorted(rows, key=lambda each: (-each.cycles, each.function, each.nodes))


def _nodes(
    site: Site, accounts: Sequence[Account], interface: Interface, has_accounts: bool
) -> tuple[str, ...]:
    """By the marks of a profile; without them all that run the kernel of the function."""
    if has_accounts:
        is_node = 0 < site.account <= len(accounts)
        return (accounts[site.account - 1].label,) if is_node else ()
    plain = site.function.removeprefix(f"{interface.name}_")
    return tuple(each.label for each in accounts if plain.startswith(each.kernel))


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
