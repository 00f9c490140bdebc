"""What each node of a model takes: a run of a test image that was made with marks."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tinyml_rules.compile import Compiled
from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.ir.accounts import BETWEEN, Account
from tinyml_rules.ir.graph import Array
from tinyml_rules.report.report import Report
from tinyml_rules.runners import DEFAULT_CACHE, RunResult, run_image
from tinyml_rules.runners.arrays import first_difference, pack_samples, unpack_samples
from tinyml_rules.runners.marks import Counts
from tinyml_rules.runners.model import TIMEOUT_S, build_test
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.floors import Floors
from tinyml_rules.target.target import Target

_SLOWEST = 3
"""Nodes that a report names as the slowest ones."""


def check_counts(target: Target) -> None:
    """Raise UsageError for a target whose runner counts nothing."""
    if not RUNNER_COUNTS[target.runner.kind]:
        what = f"'{target.name}' has no counter, expected a target with an emulator to profile on"
        hint = "`tinyml_rules targets` shows what the runner of each counts"
        raise UsageError.at("run", what, hint=hint)


def profile_on_arrays(
    marked: Compiled,
    target: Target,
    inputs: Mapping[str, Array],
    *,
    where: str,
    expected: Mapping[str, Array],
    figures: Report,
    cache: Path = DEFAULT_CACHE,
) -> Report:
    """The `profile` of a report: the slowest of the inferences on `inputs`, by node.

    `marked`: the model, compiled with marks.  `expected` and `figures` are the outputs, with a
    leading axis of samples, and the counts of the same run without them.  Raises UsageError for a
    target that counts nothing, ToolError for a tool's failure.
    """
    check_counts(target)
    interface = marked.interface
    samples = pack_samples(interface, inputs, where=where)
    output, counts = counts_by_account(marked, target, samples, cache=cache)
    found = unpack_samples(interface, output)
    difference = first_difference(interface, found, expected)
    if difference:  # the marks change nothing, unless a compiler is broken
        raise ToolError.at(interface.name, f"the image with marks is another one: {difference}")
    return _described(counts, marked.accounts, target, figures)


def counts_by_account(
    marked: Compiled, target: Target, samples: bytes, *, cache: Path = DEFAULT_CACHE
) -> tuple[bytes, list[Counts]]:
    """The outputs of a model that was compiled with marks, and what each of its accounts takes in
    the slowest inference; `samples` and outputs are raw, one after the other.  Raises ToolError."""
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        image = build_test(marked, target, folder=Path(folder))
        result = run_image(target, image, samples, timeout_s=TIMEOUT_S, cache=cache)
    counts = slowest_inference(result, calls=marked.interface.pushed_rows or 1)
    # of a step that no instruction is left of there may be no mark
    counts += [Counts(0, 0)] * (BETWEEN + 1 + len(marked.accounts) - len(counts))
    return result.output, counts


def slowest_inference(result: RunResult, *, calls: int) -> list[Counts]:
    """By account, of the inference that takes most, which is so many calls."""
    starts = range(0, len(result.counts), calls)
    start = max(starts, key=lambda each: sum(result.counts[each : each + calls]))
    total = sum(result.counts[start : start + calls])
    if not result.accounts:  # nothing is marked where nothing runs
        return [Counts(total, 1)]
    columns = zip(*result.accounts[start : start + calls], strict=True)
    sums = [
        Counts(sum(each.count for each in column), sum(each.runs for each in column))
        for column in columns
    ]
    assert sum(each.count for each in sums) == total, "each instruction is in one account"
    return sums


def _described(
    counts: Sequence[Counts], accounts: Sequence[Account], target: Target, figures: Report
) -> Report:
    unit, floors = RUNNER_COUNTS[target.runner.kind], target.floors or Floors()
    total = sum(each.count for each in counts)
    nodes = [
        _described_node(account, found, total, floors)
        for account, found in zip(accounts, counts[BETWEEN + 1 :], strict=True)
    ]
    by_count = sorted(nodes, key=lambda each: -each["count"])
    return {
        "unit": unit,
        "total": total,
        "total_without_marks": figures[unit],
        "difference": total - figures[unit],
        "between_nodes": counts[BETWEEN].count,
        "nodes": nodes,
        "floors": floors.source or None,
        "slowest": [f"{each['label']} ({each['op']})" for each in by_count[:_SLOWEST]],
    }


def _described_node(account: Account, found: Counts, total: int, floors: Floors) -> dict[str, Any]:
    """A node of the model runs once, its rows in turn with others' or not, unless the inference
    ends before it; one of a graph that a node runs may do so any number of times."""
    runs = found.runs if account.graph else min(found.runs, 1)
    macs, values = runs * account.macs, runs * account.values
    floor = floors.count(account.kind, macs=macs, values=values)
    return {
        "graph": account.graph,
        "node": account.node,
        "label": account.label,
        "op": account.op,
        "kernel": account.kernel,
        "kind": account.kind.value or None,
        "runs": runs,
        "macs": macs,
        "values": values,
        "count": found.count,
        "share": round(found.count / total, 6),
        "per_mac": round(found.count / macs, 3) if macs else None,
        "per_value": round(found.count / values, 3) if values else None,
        "floor": None if floor is None else round(floor),
        "times_floor": None if floor is None else round(found.count / floor, 3),
    }
