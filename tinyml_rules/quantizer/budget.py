"""Scheme -> Scheme of a model that fits into so many bytes: weights of four bits in the layers that
lose least for each byte, and in no more than it takes.

Each layer is judged alone.  Errors of different layers add up, so that what a layer costs is the
noise that it brings, relative to the signal; the sum of all is judged at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import Graph
from tinyml_rules.quantizer.calibrate import Show, Values
from tinyml_rules.quantizer.correct_bias import with_corrected_biases
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.narrow_weights import NarrowLayer, narrow_layers, narrowed
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.quality import Quality
from tinyml_rules.quantizer.safe import in_int32
from tinyml_rules.quantizer.scheme import Scheme

Judge = Callable[[Graph], Quality]
"""Of an integer graph."""


@dataclass(frozen=True)
class Flash:
    """So many bytes at most; `bytes_of` measures an integer graph, `what` and `of` say what it
    counts and for which target."""

    most: int
    bytes_of: Callable[[Graph], int]
    what: str
    of: str


@dataclass(frozen=True)
class Layer:
    """A layer as the report has it: its node, operator and weights, bytes that int4 saves, and dB
    of the outputs with int4 in this layer alone, and lost so."""

    node: int
    op: str
    weights: str
    is_int4: bool
    saved_bytes: int
    alone_db: float
    loss_db: float


@dataclass(frozen=True, eq=False)
class InBudget:
    """The scheme, its quality, that of the same scheme with int8 alone, and what the report has of
    the choice."""

    scheme: Scheme
    quality: Quality
    of_int8: Quality
    report: dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Tried:
    """A layer alone: bytes that it saves, dB, and noise that it adds to a signal of 1."""

    layer: NarrowLayer
    saved: int
    db: float
    noise: float

    @property
    def price(self) -> tuple[float, int]:
        """Noise for each byte; the first node wins."""
        return self.noise / self.saved, self.layer.nodes[0].index


def within_budget(
    plan: Plan,
    scheme: Scheme,
    samples: Sequence[Values],
    flash: Flash,
    *,
    judge: Judge,
    show: Show,
) -> InBudget:
    """The scheme with int4 weights where the budget asks for them; `samples` have the values of the
    float32 model.  Raises UsageError for a budget below the least that int4 gives."""
    budget = _Budget(plan, scheme, samples, flash, judge, show)
    int8 = budget.measured(scheme)
    if int8.bytes <= flash.most:
        return budget.result((), (), int8, int8)
    layers = tuple(narrow_layers(plan, scheme, samples, show))
    least = flash.bytes_of(budget.graph(layers))
    if least > flash.most:
        raise UsageError.at("flash", _too_little(flash, int8.bytes, least, len(layers)))
    tried = tuple(budget.tried(layers, int8))
    chosen = budget.enough(tried, int8)
    return budget.result(tried, chosen, int8, budget.corrected(chosen))


def _too_little(flash: Flash, of_int8: int, least: int, count: int) -> str:
    if not count:
        return (
            f"{flash.most:,} bytes of {flash.what}, expected at least {of_int8:,}: no layer has "
            "weights that can be int4"
        )
    layers = "the only layer" if count == 1 else f"all {count} layers"
    return (
        f"{flash.most:,} bytes of {flash.what}, expected at least {least:,}, which int4 weights in "
        f"{layers} that can have them give for {flash.of}; with int8 it is {of_int8:,}"
    )


@dataclass(frozen=True, eq=False)
class _Measured:
    """A scheme, its bytes and its quality."""

    scheme: Scheme
    bytes: int
    quality: Quality

    @property
    def db(self) -> float:
        """What layers are chosen by."""
        return self.quality.score


@dataclass(frozen=True, eq=False)
class _Budget:
    plan: Plan
    scheme: Scheme
    samples: Sequence[Values]
    flash: Flash
    judge: Judge
    show: Show

    def graph(self, layers: Sequence[NarrowLayer]) -> Graph:
        """The integer graph with int4 in these layers."""
        scheme = narrowed(self.plan, self.scheme, layers)
        return integer_graph(self.plan, in_int32(self.plan, scheme).scheme)

    def measured(self, scheme: Scheme) -> _Measured:
        """A safe scheme."""
        graph = integer_graph(self.plan, scheme)
        return _Measured(scheme, self.flash.bytes_of(graph), self.judge(graph))

    def tried(self, layers: Sequence[NarrowLayer], int8: _Measured) -> Iterator[_Tried]:
        """Each layer alone."""
        for layer in layers:
            self.show(f"int4: node {layer.nodes[0].index} alone")
            graph = self.graph((layer,))
            db, saved = self.judge(graph).score, int8.bytes - self.flash.bytes_of(graph)
            yield _Tried(layer, saved, db, max(_noise(db) - _noise(int8.db), 0.0))

    def enough(self, tried: Sequence[_Tried], int8: _Measured) -> tuple[_Tried, ...]:
        """The cheapest layers that meet the budget, without those of them that it can do without,
        the most noise first."""
        found: list[_Tried] = []
        for each in sorted((each for each in tried if each.saved > 0), key=lambda one: one.price):
            found.append(each)
            if self._fits(found, int8):
                break
        for each in sorted(found, key=lambda one: -one.noise):
            others = [one for one in found if one is not each]
            if self._fits(others, int8):
                found = others
        return tuple(found)

    def _fits(self, found: Sequence[_Tried], int8: _Measured) -> bool:
        """Measured only where what the layers save alone is enough."""
        if int8.bytes - sum(each.saved for each in found) > self.flash.most:
            return False
        return self.flash.bytes_of(self.graph([each.layer for each in found])) <= self.flash.most

    def corrected(self, chosen: Sequence[_Tried]) -> _Measured:
        """The better of two corrections of biases: layer by layer, or of the whole."""
        self.show("int4: corrected biases")
        scheme = narrowed(self.plan, self.scheme, [each.layer for each in chosen])
        safe = in_int32(self.plan, scheme).scheme
        whole = in_int32(self.plan, with_corrected_biases(self.plan, safe, self.samples)).scheme
        return max(self.measured(safe), self.measured(whole), key=lambda each: each.db)

    def result(
        self,
        tried: Sequence[_Tried],
        chosen: Sequence[_Tried],
        int8: _Measured,
        found: _Measured,
    ) -> InBudget:
        """The scheme that was found; the budget, what was chosen, and every layer alone."""
        report = {
            "most_bytes": self.flash.most,
            "counted": self.flash.what,
            "target": self.flash.of,
            "bytes": found.bytes,
            "int8_bytes": int8.bytes,
            "db": found.db,
            "int8_db": int8.db,
            "layers": [asdict(self._row(each, each in chosen, int8.db)) for each in tried],
        }
        return InBudget(found.scheme, found.quality, int8.quality, report)

    def _row(self, tried: _Tried, is_int4: bool, usual: float) -> Layer:
        node = tried.layer.nodes[0]
        name = self.plan.graph.tensors[tried.layer.weights].name
        return Layer(node.index, node.op, name, is_int4, tried.saved, tried.db, usual - tried.db)


def _noise(db: float) -> float:
    """Relative to a signal of 1."""
    return float(10 ** (-db / 10))
