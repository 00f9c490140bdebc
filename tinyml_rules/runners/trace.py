"""The time of a run in each node as a trace for Perfetto and chrome://tracing.

Each node has a line of its own, which shows how the layers of a stream alternate.
The format: "Trace Event Format", Google, 2016; complete events (`X`) and metadata (`M`), times in
microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tinyml_rules.ir.accounts import BETWEEN, Account
from tinyml_rules.ir.text import operator_name
from tinyml_rules.runners.marks import Switch

MOST_STAYS = 200_000
"""Limit of a trace: some 20 MB, more than the viewers show quickly; later stays are left out."""
_MICROSECONDS = 1_000_000
_PROCESS = 1
_CALLS = 0
"""The line of the calls; that of a node is its account."""


@dataclass(frozen=True)
class Stay:
    """An interval of `count` from `begin` on, counted from the start of the inference, in one
    account."""

    account: int
    begin: int
    count: int
    estimated_cycles: int


def stays(calls: Sequence[Sequence[Switch]]) -> Iterator[Stay]:
    """The stays of one inference in order, call after call, including time between nodes.  They add
    up to the count of the inference."""
    start = 0
    for call in calls:
        before = Switch(BETWEEN, 0, 0)
        for switch in call:
            count = switch.count - before.count
            if count:
                cycles = switch.estimated_cycles - before.estimated_cycles
                yield Stay(before.account, start + before.count, count, cycles)
            before = switch
        start += before.count


def trace_text(
    calls: Sequence[Sequence[Switch]],
    accounts: Sequence[Account],
    *,
    title: str,
    unit: str,
    clock_hz: int,
) -> tuple[str, int]:
    """The file, JSON with one event per line, and how many stays are left out of it.  `title` names
    the process, `unit` is what was counted; one unit is shown as a cycle of `clock_hz`."""
    in_nodes = [each for each in stays(calls) if each.account != BETWEEN]
    left_out = max(0, len(in_nodes) - MOST_STAYS)
    events = [
        *_names(accounts, title),
        *_call_events(calls, unit, clock_hz),
        *(_event(each, accounts, unit, clock_hz) for each in in_nodes[:MOST_STAYS]),
    ]
    other = {
        "unit": unit,
        "time": f"a microsecond is {clock_hz / _MICROSECONDS:g} {unit}",
        "left_out": left_out,
    }
    lines = ",\n".join(json.dumps(each) for each in events)
    head = f'"displayTimeUnit": "ns", "otherData": {json.dumps(other)}'
    return f'{{{head}, "traceEvents": [\n{lines}\n]}}\n', left_out


def _names(accounts: Sequence[Account], title: str) -> Iterator[dict[str, Any]]:
    yield _named("process_name", _CALLS, {"name": title})
    threads = ["calls", *(_name(each) for each in accounts)]
    for number, name in enumerate(threads):
        yield _named("thread_name", number, {"name": name})
        yield _named("thread_sort_index", number, {"sort_index": number})


def _named(what: str, thread: int, words: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": _PROCESS, "tid": thread, "args": words}


def _name(account: Account) -> str:
    return f"{account.label} {operator_name(account.op)}"


def _call_events(
    calls: Sequence[Sequence[Switch]], unit: str, clock_hz: int
) -> Iterator[dict[str, Any]]:
    start = 0
    for number, call in enumerate(calls):
        name = f"row {number}" if len(calls) > 1 else "inference"
        count = call[-1].count
        yield _complete(name, _CALLS, (start, count), {unit: count}, clock_hz)
        start += count


def _event(stay: Stay, accounts: Sequence[Account], unit: str, clock_hz: int) -> dict[str, Any]:
    account = accounts[stay.account - BETWEEN - 1]
    words: dict[str, Any] = {unit: stay.count, "kernel": account.kernel}
    if stay.estimated_cycles:
        words["estimated_cycles"] = stay.estimated_cycles
    return _complete(_name(account), stay.account, (stay.begin, stay.count), words, clock_hz)


def _complete(
    name: str, thread: int, when: tuple[int, int], words: dict[str, Any], clock_hz: int
) -> dict[str, Any]:
    begin, count = when
    begin_us, microseconds = (round(each * _MICROSECONDS / clock_hz, 6) for each in (begin, count))
    return {
        "ph": "X",
        "name": name,
        "cat": "node",
        "pid": _PROCESS,
        "tid": thread,
        "ts": begin_us,
        "dur": microseconds,
        "args": words,
    }
