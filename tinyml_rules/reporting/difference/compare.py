"""Two reports -> their difference: totals, and what they are made of, the largest change first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tinyml_rules.reporting.difference.read import FIGURES, Figures, Node, Number, Part, Tensor
from tinyml_rules.reporting.known import node_words

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
    notes: tuple[str, ...]
    reports: tuple[Figures, Figures]
    """Both of them, the old one first."""

    @property
    def is_equal(self) -> bool:
        """Whether no figure and no part of one is another."""
        return not self.sections and all(each.old == each.new for each in self.figures)


def compare_reports(old: Figures, new: Figures) -> Difference:
    """The difference of two reports, as `read_report` gives them."""
    figures = (
        Figure(word, old.totals.get(key), new.totals.get(key), key=key, unit=unit)
        for key, (word, unit) in FIGURES.items()
    )
    sections = (each for each in _sections(old, new) if each.changes)
    return Difference(
        model=new.model,
        target=new.target,
        figures=tuple(each for each in figures if each.old or each.new),
        sections=tuple(sections),
        notes=tuple(_notes(old, new)),
        reports=(old, new),
    )


def _notes(old: Figures, new: Figures) -> Iterator[str]:
    for before, now, word in (
        (old.model, new.model, "models"),
        (old.target, new.target, "targets"),
    ):
        if before != now:
            yield f"two {word}: '{before}' before, '{now}' now"
    hashes = old.sha256, new.sha256
    if all(hashes) and hashes[0] != hashes[1] and old.model == new.model:
        yield "the model's file is another one"
    for key, (word, _) in FIGURES.items():
        if (key in old.totals) != (key in new.totals):
            yield f"{word}: {'not in the new' if key in old.totals else 'not in the old'}"


def _sections(old: Figures, new: Figures) -> Iterator[Section]:
    yield _section(
        "node_constants", "constants by node", "B", _of_nodes(_aligned(old.nodes, new.nodes))
    )
    for key, word, before, now in (
        ("flash_bytes", "flash", old.flash, new.flash),
        ("ram_bytes", "RAM", old.ram, new.ram),
    ):
        # of a report without symbols everything would be new
        changes = _of_names(_sums(before), _sums(now)) if before and now else ()
        yield _section(key, f"{word} by symbol", "B", changes)
    changes = _of_names(_sums(old.peak), _sums(new.peak))
    yield _section("peak", "arena at its peak by tensor", "B", changes)
    has_both = old.frames and new.frames
    changes = _of_names(_sums(old.frames), _sums(new.frames)) if has_both else ()
    yield _section("stack_path", "stack of the deepest calls", "B", changes)
    if old.unit == new.unit and new.unit in _UNITS:
        changes = _of_nodes(_aligned(old.counts, new.counts))
        yield _section("node_counts", f"{new.unit} by node", "", changes)


def _section(key: str, title: str, unit: str, changes: Iterable[Change]) -> Section:
    found = [each for each in changes if each.delta or each.note]
    found.sort(key=lambda each: (-abs(each.delta or 0), each.name))
    return Section(key, title, unit, tuple(found))


def _sums(found: Iterable[Part | Tensor]) -> dict[str, Number]:
    """By name: two static functions may have the same."""
    sums: dict[str, Number] = {}
    for each in found:
        sums[each.name] = sums.get(each.name, 0) + each.size
    return sums


def _of_names(old: Mapping[str, Number], new: Mapping[str, Number]) -> Iterator[Change]:
    for name in {**old, **new}:
        note = "new" if name not in old else "gone" if name not in new else ""
        before, now = old.get(name, 0), new.get(name, 0)
        if before or now:
            yield Change(name, before, now, note if before != now else "")


Pair = tuple[Node | None, Node | None]


def _aligned(old: Sequence[Node], new: Sequence[Node]) -> Iterator[Pair]:
    """Nodes that are each other's, by the order of operators: a new one moves all numbers after
    it."""
    words = [[each.op for each in nodes] for nodes in (old, new)]
    if words[0] == words[1]:
        yield from zip(old, new, strict=True)
        return
    for what, i, j, k, m in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        if what == "equal":
            yield from zip(old[i:j], new[k:m], strict=True)
        else:
            yield from ((each, None) for each in old[i:j])
            yield from ((None, each) for each in new[k:m])


def _of_nodes(pairs: Iterable[Pair]) -> Iterator[Change]:
    for old, new in pairs:
        each = new or old
        assert each is not None, "a pair has at least one"
        before, now = (0 if node is None else node.size for node in (old, new))
        note = "new" if old is None else "gone" if new is None else _kernels(old, new)
        yield Change(node_words(each.label, each.op), before, now, note)


def _kernels(old: Node, new: Node) -> str:
    return "" if old.kernel == new.kernel else f"kernel {old.kernel}, now {new.kernel}"
