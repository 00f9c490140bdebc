"""Measure every kernel that a node of a model can have, and keep the best.

The cost of a node does not depend on the kernels of the others, so each round measures the next
kernel of all nodes at once, and a model takes as many rounds as the most kernels of a node.  The
choice is then measured as a whole, and compared with the compiler's own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.compiler import Compiled, compile_model, select_program
from tinyml_rules.errors import DoesNotFitError, ToolError
from tinyml_rules.ir.accounts import BETWEEN
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import pack_samples
from tinyml_rules.runners.marks import Counts
from tinyml_rules.runners.model import build_minimal
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.runners.profile import run_by_account
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.target import Target

_LEAST_GAIN = 0.02
"""Least relative gain of a node for which its kernel is recorded."""
_MOST_GROWTH, _MOST_GROWTH_BYTES = 0.04, 2048
"""Most growth of flash and of RAM, relative and in bytes, whichever is larger, if the goal is not
speed."""


def unit_of(target: Target) -> str:
    """What kernels are judged by: estimated cycles, where there is a table of what the core's
    instructions take, or what its runner counts."""
    return RUNNER_COUNTS[target.runner.kind] if target.cycles is None else "estimated cycles"


@dataclass(frozen=True)
class Tried:
    """A kernel of a node, and what the node takes with it, in the unit of `unit_of`; None where the
    model does not fit the part with it."""

    kernel: str
    count: int | None


@dataclass(frozen=True)
class Layer:
    """A node with all the kernels that it can have, the compiler's own choice first."""

    label: str
    op: str
    tried: tuple[Tried, ...]

    @property
    def usual(self) -> Tried:
        """The compiler's choice."""
        return self.tried[0]

    @property
    def best(self) -> Tried:
        """The fastest, if that is worth a line; else the usual one."""
        assert self.usual.count is not None
        measured = [each for each in self.tried if each.count is not None]
        best = min(measured, key=lambda each: each.count or 0)
        is_better = self.usual.count - (best.count or 0) > _LEAST_GAIN * self.usual.count
        return best if is_better else self.usual

    @property
    def gain(self) -> int:
        """What the best kernel saves."""
        assert self.usual.count is not None and self.best.count is not None
        return self.usual.count - self.best.count


@dataclass(frozen=True)
class Figures:
    """One build: what an inference takes, in the same unit, and bytes of the firmware."""

    count: int
    flash_bytes: int
    ram_bytes: int | None

    def is_within(self, usual: Figures) -> bool:
        """Whether the memory grows by no more than the gained speed is worth."""
        pairs = [(self.flash_bytes, usual.flash_bytes)]
        if self.ram_bytes is not None and usual.ram_bytes is not None:
            pairs.append((self.ram_bytes, usual.ram_bytes))
        return all(
            mine - theirs <= max(_MOST_GROWTH * theirs, _MOST_GROWTH_BYTES)
            for mine, theirs in pairs
        )


@dataclass(frozen=True)
class Tuned:
    """All measurements, and the kernels to record, by node."""

    layers: tuple[Layer, ...]
    kernels: Mapping[str, str]
    usual: Figures
    found: Figures


def tune(
    request: Request, progress: Callable[[str], None] = lambda _line: None, *, samples: int = 1
) -> Tuned:
    """Measure the kernels of every node of a model on its target, whose runner counts.

    Raises what compiling, building and running raise; ToolError where another kernel gives other
    bytes, which none does unless a compiler is broken.
    """
    bench = _Bench(replace(request, kernels=(), marked=False), samples)
    layers = tuple(_layers(bench, progress))
    usual = bench.figures({})
    wanted = sorted(
        (each for each in layers if each.best != each.usual), key=lambda each: each.gain
    )
    while wanted:
        kernels = {each.label: each.best.kernel for each in layers if each in wanted}
        progress(f"{len(kernels)} kernels together")
        found = bench.figures(kernels)
        is_speed = request.optimize is Optimize.SPEED
        if found.count < usual.count and (is_speed or found.is_within(usual)):
            return Tuned(layers, kernels, usual, found)
        del wanted[0]  # what gains least
    return Tuned(layers, {}, usual, usual)


class _Bench:
    """Builds and runs a request with kernels that are named."""

    def __init__(self, request: Request, samples: int) -> None:
        self._request = request
        self._samples = samples
        self._expected: bytes | None = None
        self._counts: dict[tuple[tuple[str, str], ...], tuple[int, dict[str, int]]] = {}

    def candidates(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """{node: (operator, its kernels, the usual one first)} of all that have a choice."""
        return {
            step.name: (step.node.op, step.candidates)
            for step in select_program(self._request).steps
            if len(step.candidates) > 1
        }

    def counts(self, kernels: Mapping[str, str]) -> tuple[int, dict[str, int]]:
        """The counts of an inference with these kernels, and of each of its nodes; measured
        once."""
        key = tuple(kernels.items())
        if key not in self._counts:
            self._counts[key] = self._measured(kernels)
        return self._counts[key]

    def _measured(self, kernels: Mapping[str, str]) -> tuple[int, dict[str, int]]:
        compiled = self._compiled(kernels, marked=True)
        samples = pack_samples(
            compiled.interface,
            pattern_inputs(compiled.interface, samples=self._samples),
            where="tune",
        )
        run = run_by_account(compiled, self._request.target, samples)
        self._check(run.output, kernels)
        found = zip(compiled.accounts, run.counts[BETWEEN + 1 :], strict=True)
        total = sum(self._taken(each) for each in run.counts)
        return total, {account.label: self._taken(each) for account, each in found}

    def _taken(self, counts: Counts) -> int:
        """A form with fewer instructions may take more cycles."""
        has_cycles = self._request.target.cycles is not None
        return counts.estimated_cycles if has_cycles else counts.count

    def figures(self, kernels: Mapping[str, str]) -> Figures:
        """The whole model with these kernels."""
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            compiled = self._compiled(kernels)
            _, size = build_minimal(compiled, self._request.target, folder=Path(folder))
        return Figures(self.counts(kernels)[0], size.flash_bytes, size.ram_bytes)

    def _compiled(self, kernels: Mapping[str, str], *, marked: bool = False) -> Compiled:
        request = replace(self._request, kernels=tuple(kernels.items()), marked=marked)
        return compile_model(request)

    def _check(self, output: bytes, kernels: Mapping[str, str]) -> None:
        if self._expected is None:
            self._expected = output
        if output != self._expected:
            names = ", ".join(f"{node}={kernel}" for node, kernel in kernels.items())
            what = f"the outputs differ with {names}; this should never happen"
            raise ToolError.at(self._request.name, what)


def _layers(bench: _Bench, progress: Callable[[str], None]) -> Iterator[Layer]:
    """Round by round, all nodes at once."""
    candidates = bench.candidates()
    rounds: list[Mapping[str, int | None]] = []
    most = max((len(names) for _, names in candidates.values()), default=0)
    for number in range(most):
        kernels = {
            label: names[number] for label, (_, names) in candidates.items() if number < len(names)
        }
        progress(f"round {number + 1} of {most}")
        rounds.append(_round(bench, kernels if number else {}))
    for label, (op, names) in candidates.items():
        counts = [each.get(label) for each in rounds[: len(names)]]
        yield Layer(label, op, tuple(map(Tried, names, counts)))


def _round(bench: _Bench, kernels: Mapping[str, str]) -> Mapping[str, int | None]:
    """The count of each node; one by one if all kernels at once do not fit the part."""
    try:
        return bench.counts(kernels)[1]
    except DoesNotFitError:
        if not kernels:
            raise
    return {label: _alone(bench, label, kernel) for label, kernel in kernels.items()}


def _alone(bench: _Bench, label: str, kernel: str) -> int | None:
    try:
        return bench.counts({label: kernel})[1][label]
    except DoesNotFitError:
        return None
