"""Calls of a bound become the figures of an inference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.ir.accounts import Account
from tinyml_rules.ir.interface import Interface
from tinyml_rules.worst_case.bound import Bound, Call, Site
from tinyml_rules.worst_case.program import Program

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


def described(
    interface: Interface,
    program: Program,
    bound: Bound,
    *,
    accounts: Sequence[Account],
    has_accounts: bool,
) -> WorstCase:
    """The figures of an inference; `accounts`: of the model's nodes."""
    target = program.target
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
        depends_on_data=tuple(_by_function(slowest, accounts, interface, has_accounts)),
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
