"""The cost of each node of a model, from a run of a test image with marks."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import ToolError
from tinyml_rules.ir.accounts import BETWEEN, Account
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface
from tinyml_rules.reporting.firmware import NodeProfile, Profile, Run
from tinyml_rules.runners import RunResult, run_image
from tinyml_rules.runners.arrays import first_difference, pack_samples, unpack_samples
from tinyml_rules.runners.figures import starts
from tinyml_rules.runners.marks import Counts, Switch
from tinyml_rules.runners.model import TIMEOUT_S, build_test
from tinyml_rules.runners.trace import trace_text
from tinyml_rules.system.files import write_files
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.floors import Floors
from tinyml_rules.target.missing import check_counts
from tinyml_rules.target.target import Target

_UNKNOWN_CLOCK_HZ = 1_000_000
"""Clock in a trace of a target without one: a count is a microsecond."""
_SLOWEST = 3
"""Number of slowest nodes in a report."""


def profile_on_arrays(
    marked: Compiled,
    target: Target,
    inputs: Mapping[str, Array],
    *,
    where: str,
    expected: Mapping[str, Array],
    run: Run | None,
    cache: Path | None = None,
    trace: Path | None = None,
) -> Profile:
    """The `profile` of a report: the slowest of the inferences on `inputs`, by node.

    `marked`: the model, compiled with marks.  `expected` and `run` are the outputs, with a
    leading axis of samples, and the counts of the same run without them.  `trace`: a file that gets
    its stays in the nodes (trace.py).  Raises UsageError for a target that counts nothing,
    ToolError for a tool's failure.
    """
    check_counts(target)
    interface = marked.interface
    samples = pack_samples(interface, inputs, where=where)
    by_account = run_by_account(marked, target, samples, cache=cache)
    found = unpack_samples(interface, by_account.output)
    difference = first_difference(interface, found, expected)
    if difference:  # the marks change nothing, unless a compiler is broken
        what = f"the profiled firmware gives other outputs: {difference}"
        raise ToolError.at(interface.name, what)
    assert run is not None, "a target that counts has counted"
    profile = _described(by_account.counts, marked.accounts, target, run)
    if trace is not None:
        text, left_out = trace_text(
            by_account.calls,
            marked.accounts,
            title=f"{interface.name} on {target.name}",
            unit=RUNNER_COUNTS[target.runner.kind],
            clock_hz=target.clock_hz or _UNKNOWN_CLOCK_HZ,
        )
        write_files({trace.name: text}, trace.parent)
        profile = replace(profile, trace_left_out=left_out or None)
    return profile


@dataclass(frozen=True)
class RunByAccount:
    """The raw outputs of a model that was compiled with marks; for the slowest inference the counts
    of each account, and the switches of its calls."""

    output: bytes
    counts: list[Counts]
    calls: Sequence[Sequence[Switch]]


def run_by_account(
    marked: Compiled, target: Target, samples: bytes, *, cache: Path | None = None
) -> RunByAccount:
    """Run it on `samples`, raw and one after the other.  Raises ToolError."""
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        image = build_test(marked, target, folder=Path(folder))
        result = run_image(target, image, samples, timeout_s=TIMEOUT_S, cache=cache)
    start = _slowest(result, marked.interface)
    counts = slowest_inference(result, marked.interface)
    # of a step that no instruction is left of there may be no mark
    counts += [Counts(0, 0)] * (BETWEEN + 1 + len(marked.accounts) - len(counts))
    calls = marked.interface.calls
    return RunByAccount(result.output, counts, result.switches[start : start + calls])


def _slowest(result: RunResult, interface: Interface) -> int:
    """The first call of the slowest inference."""
    found, calls = starts(result.counts, interface), interface.calls
    return max(found, key=lambda each: sum(result.counts[each : each + calls]))


def slowest_inference(result: RunResult, interface: Interface) -> list[Counts]:
    """Counts by account of the slowest inference."""
    start, calls = _slowest(result, interface), interface.calls
    total = sum(result.counts[start : start + calls])
    if not result.accounts:  # nothing is marked where nothing runs
        return [Counts(total, 1)]
    columns = zip(*result.accounts[start : start + calls], strict=True)
    sums = [
        Counts(*(sum(figures) for figures in zip(*map(astuple, column), strict=True)))
        for column in columns
    ]
    assert sum(each.count for each in sums) == total, "each instruction is in one account"
    return sums


def _described(
    counts: Sequence[Counts], accounts: Sequence[Account], target: Target, run: Run
) -> Profile:
    floors = target.floors or Floors()
    total = sum(each.count for each in counts)
    nodes = [
        _described_node(account, found, total, floors, has_cycles=target.cycles is not None)
        for account, found in zip(accounts, counts[BETWEEN + 1 :], strict=True)
    ]
    by_count = sorted(nodes, key=lambda each: -each.count)
    return Profile(
        unit=run.unit,
        total=total,
        total_estimated_cycles=(
            sum(each.estimated_cycles for each in counts) if target.cycles else None
        ),
        total_without_marks=run.count,
        difference=total - run.count,
        between_nodes=counts[BETWEEN].count,
        nodes=tuple(nodes),
        floors=floors.source or None,
        slowest=tuple(f"{each.label} ({each.op})" for each in by_count[:_SLOWEST]),
    )


def _described_node(
    account: Account, found: Counts, total: int, floors: Floors, *, has_cycles: bool
) -> NodeProfile:
    """A node of the model runs once, its rows in turn with others' or not, unless the inference
    ends before it; one of a graph that a node runs may do so any number of times."""
    runs = found.runs if account.graph else min(found.runs, 1)
    macs, values = runs * account.macs, runs * account.values
    floor = floors.count(account.kind, macs=macs, values=values)
    return NodeProfile(
        graph=account.graph,
        node=account.node,
        label=account.label,
        op=account.op,
        kernel=account.kernel,
        kind=account.kind.value or None,
        runs=runs,
        macs=macs,
        values=values,
        count=found.count,
        share=round(found.count / total, 6),
        per_mac=round(found.count / macs, 3) if macs else None,
        per_value=round(found.count / values, 3) if values else None,
        floor=None if floor is None else round(floor),
        times_floor=None if floor is None else round(found.count / floor, 3),
        estimated_cycles=found.estimated_cycles if has_cycles else None,
    )
