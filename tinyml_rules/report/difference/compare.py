"""Two reports -> their difference: totals, and what they are made of, the largest change first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from tinyml_rules.ir.text import operator_name
from tinyml_rules.report.difference.read import FIGURES, number
from tinyml_rules.report.report import Report

Number = int | float
_UNITS = ("cycles", "instructions")


@dataclass(frozen=True)
class Change:
    """A figure before and now; None: there is none.  `note`: what else changed."""

    name: str
    old: Number | None
    new: Number | None
    note: str = ""

    @property
    def delta(self) -> Number | None:
        """By how much it grew, where both are known."""
        return None if self.old is None or self.new is None else self.new - self.old

    @property
    def share(self) -> float | None:
        """Of what it was before; None where it was not there, or is not any more."""
        return self.delta / self.old if self.delta and self.old and self.new else None


@dataclass(frozen=True)
class Figure(Change):
    """A total; `key` is that of the report."""

    key: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Section:
    """What a total is made of, as far as it changed; what is new or gone counts from or to 0.

    `delta` is that of all that is listed.
    """

    key: str
    title: str
    unit: str
    changes: tuple[Change, ...]

    @property
    def delta(self) -> Number:
        """All of them."""
        return sum(each.delta or 0 for each in self.changes)


@dataclass(frozen=True)
class Difference:
    """Two reports of a model.  `notes`: what makes them hard to compare."""

    model: str
    target: str
    figures: tuple[Figure, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    reports: tuple[Report, Report] = field(default=({}, {}), repr=False)
    """Both of them, the old one first."""

    @property
    def is_equal(self) -> bool:
        """Whether no figure and no part of one is another."""
        return not self.sections and all(each.old == each.new for each in self.figures)


def compare_reports(old: Report, new: Report) -> Difference:
    """The difference of two reports, as `read_report` gives them."""
    figures = (
        Figure(word, number(old, key), number(new, key), key=key, unit=unit)
        for key, (word, unit) in FIGURES.items()
    )
    sections = (each for each in _sections(old, new) if each.changes)
    return Difference(
        model=new["model"],
        target=new["target"],
        figures=tuple(each for each in figures if each.old or each.new),
        sections=tuple(sections),
        notes=tuple(_notes(old, new)),
        reports=(old, new),
    )


def _notes(old: Report, new: Report) -> Iterator[str]:
    for key, word in (("model", "models"), ("target", "targets")):
        if old[key] != new[key]:
            yield f"two {word}: '{old[key]}' before, '{new[key]}' now"
    hashes = old.get("model_sha256"), new.get("model_sha256")
    if None not in hashes and hashes[0] != hashes[1] and old["model"] == new["model"]:
        yield "the model's file is another one"
    for key, (word, _) in FIGURES.items():
        if (number(old, key) is None) != (number(new, key) is None):
            yield f"{word}: {'not in the old' if number(old, key) is None else 'not in the new'}"


def _sections(old: Report, new: Report) -> Iterator[Section]:
    pairs = _aligned(old["nodes"], new["nodes"])
    yield _section("node_constants", "constants by node", "B", _of_nodes(pairs, "constant_bytes"))
    for key, word in (("flash_bytes", "flash"), ("ram_bytes", "RAM")):
        found = [_sums(each["symbols"], "symbol", key) for each in (old, new)]
        # of a report without symbols everything would be new
        yield _section(key, f"{word} by symbol", "B", _of_names(*found) if all(found) else ())
    found = [_sums(each["peak"]["tensors"], "name", "bytes") for each in (old, new)]
    yield _section("peak", "arena at its peak by tensor", "B", _of_names(*found))
    found = [_sums(each["stack_path"], "function", "bytes") for each in (old, new)]
    changes = _of_names(*found) if all(found) else ()
    yield _section("stack_path", "stack of the deepest calls", "B", changes)
    units = [each["profile"].get("unit") for each in (old, new)]
    if units[0] == units[1] and units[0] in _UNITS:
        changes = _of_nodes(_aligned(old["profile"]["nodes"], new["profile"]["nodes"]), "count")
        yield _section("node_counts", f"{units[0]} by node", "", changes)


def _section(key: str, title: str, unit: str, changes: Iterable[Change]) -> Section:
    found = [each for each in changes if each.delta or each.note]
    found.sort(key=lambda each: (-abs(each.delta or 0), each.name))
    return Section(key, title, unit, tuple(found))


def _sums(found: Iterable[dict[str, Any]], name: str, key: str) -> dict[str, Number]:
    """By name: two static functions may have the same."""
    sums: dict[str, Number] = {}
    for each in found:
        sums[each[name]] = sums.get(each[name], 0) + each[key]
    return sums


def _of_names(old: Mapping[str, Number], new: Mapping[str, Number]) -> Iterator[Change]:
    for name in {**old, **new}:
        note = "new" if name not in old else "gone" if name not in new else ""
        before, now = old.get(name, 0), new.get(name, 0)
        if before or now:
            yield Change(name, before, now, note if before != now else "")


Pair = tuple[dict[str, Any] | None, dict[str, Any] | None]


def _aligned(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    """Nodes that are each other's, by the order of operators: a new one moves all numbers behind
    it."""
    words = [[each["op"] for each in nodes] for nodes in (old, new)]
    if words[0] == words[1]:
        yield from zip(old, new, strict=True)
        return
    for what, i, j, k, m in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        if what == "equal":
            yield from zip(old[i:j], new[k:m], strict=True)
        else:
            yield from ((each, None) for each in old[i:j])
            yield from ((None, each) for each in new[k:m])


def _of_nodes(pairs: Iterable[Pair], key: str) -> Iterator[Change]:
    for old, new in pairs:
        each = new or old or {}
        label = each.get("label", each.get("node"))
        sizes = [0 if node is None else node[key] for node in (old, new)]
        name = f"node {label} ({operator_name(each['op'])})"
        note = "new" if old is None else "gone" if new is None else _kernels(old, new)
        yield Change(name, sizes[0], sizes[1], note)


def _kernels(old: dict[str, Any], new: dict[str, Any]) -> str:
    kernels = old.get("kernel"), new.get("kernel")
    return "" if kernels[0] == kernels[1] else f"kernel {kernels[0]}, now {kernels[1]}"
