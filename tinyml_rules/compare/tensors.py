"""Compares every tensor of a firmware, on the runner of its target, with the reference's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tinyml_rules.compare.reference import Known, Sample, known_tensors
from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.ir.graph import Array, Graph, Node, Tensor
from tinyml_rules.ir.watch import Watch
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.calls import calls_of
from tinyml_rules.runners import run_image
from tinyml_rules.runners.arrays import pack_samples, unpack_samples
from tinyml_rules.runners.model import TIMEOUT_S, build_test
from tinyml_rules.runners.watching import recorded
from tinyml_rules.target.target import Target

_NOT_THERE = "not in the firmware: part of another step, computed beforehand, or left out"
_CHANGED = "another tensor in the firmware: the compiler changed its shape or its type"
_NOT_KNOWN = "the reference does not keep it"
_NOT_REACHED = "not computed for these samples"


@dataclass(frozen=True)
class Difference:
    """The first value of a tensor that is another one, and how many are."""

    sample: int
    place: tuple[int, ...]
    found: str
    expected: str
    wrong: int
    values: int


@dataclass(frozen=True, eq=False)
class Compared:
    """A tensor that a node of the file makes: how many of its values were compared, over all
    samples, or why none were."""

    graph: int
    node: Node
    tensor: Tensor
    values: int = 0
    difference: Difference | None = None
    reason: str = ""
    left_out: int = 0
    """Channels that the firmware does not have."""

    @property
    def label(self) -> str:
        """The name of the node: `3`, or `1:3` in a graph that a node runs."""
        return f"{self.graph}:{self.node.index}" if self.graph else str(self.node.index)


@dataclass(frozen=True, eq=False)
class Comparison:
    """All tensors, in the order in which the file's nodes run."""

    name: str
    target: str
    reference: str
    samples: int
    tensors: tuple[Compared, ...] = field(default_factory=tuple)

    @property
    def first(self) -> Compared | None:
        """The first tensor that differs in the first sample in which one does."""
        wrong = [each for each in self.tensors if each.difference]
        return min(wrong, key=_sample, default=None)

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The tensors whose values were compared."""
        return tuple(each for each in self.tensors if not each.reason)


def _sample(compared: Compared) -> int:
    assert compared.difference is not None
    return compared.difference.sample


def compare_tensors(
    watched: Compiled,
    target: Target,
    inputs: Mapping[str, Array],
    *,
    model: bytes,
    file_graph: Graph,
    operators: Operators,
    reference: str,
    where: str,
    cache: Path | None = None,
) -> Comparison:
    """Run the model, compiled with `Request.watched`, on the inputs by tensor name, and compare.

    `file_graph`: the model as its file has it.  `where`: what an error in the inputs names.  Raises
    UsageError for those, ToolError for a tool's failure, UnsupportedError where the reference
    refuses the model.
    """
    interface = watched.interface
    samples = pack_samples(interface, inputs, where=where)
    if not samples:
        raise UsageError.at(where, "no samples")
    found = _on_device(watched, target, samples, cache=cache)
    known = known_tensors(
        reference, model, file_graph, operators, _reference_samples(watched, samples)
    )
    if len(found) != len(known):
        what = f"{len(found)} inferences were seen, expected {len(known)}"
        raise ToolError.at(f"{interface.name} on {target.name}", what)
    tensors = _compared(file_graph, operators, watched.watches, found, known)
    return Comparison(interface.name, target.name, reference, len(known), tuple(tensors))


def _on_device(
    watched: Compiled, target: Target, samples: bytes, *, cache: Path | None
) -> list[Mapping[int, Array]]:
    """For each inference the values by the position of their watch."""
    if not watched.watches:
        what = "no node of the model is computed on the device, expected one to compare"
        raise UsageError.at(watched.interface.name, what)
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        image = build_test(watched, target, folder=Path(folder))
        result = run_image(
            target, image, samples, timeout_s=TIMEOUT_S, cache=cache, watches=watched.watches
        )
    return recorded(result.records, watched.watches)


def _reference_samples(watched: Compiled, samples: bytes) -> list[Sample]:
    """The samples as the file's own inputs take them: float32 of the same integers."""
    interface = watched.interface
    columns = unpack_samples(replace(interface, outputs=interface.inputs), samples)
    return list(zip(*columns.values(), strict=True))


def _compared(
    graph: Graph,
    operators: Operators,
    watches: Sequence[Watch],
    found: Sequence[Mapping[int, Array]],
    known: Sequence[Known],
) -> Iterator[Compared]:
    places = {(each.graph, each.tensor.index): place for place, each in enumerate(watches)}
    for number, node in _in_order(graph, 0, operators, set()):
        tensors = (graph.other(number) if number else graph).tensors
        variables = [each for each in node.inputs if each is not None and tensors[each].is_variable]
        for index in (*node.outputs, *variables):
            place = places.get((number, index))
            start = Compared(number, node, tensors[index])
            if place is None:
                yield replace(start, reason=_NOT_THERE)
                continue
            pairs = [
                (each.get(place), by(number, index)) for each, by in zip(found, known, strict=True)
            ]
            yield _judged(start, watches[place], pairs)


def _in_order(
    graph: Graph, number: int, operators: Operators, seen: set[int]
) -> Iterator[tuple[int, Node]]:
    """Every node as it runs: those of a graph before the first node that runs it."""
    for node in graph.nodes:
        for called in calls_of(graph, node, operators):
            if called not in seen and 1 <= called <= len(graph.others):
                seen.add(called)
                yield from _in_order(graph.other(called), called, operators, seen)
        yield number, node


def _judged(
    start: Compared, watch: Watch, pairs: Sequence[tuple[Array | None, Array | None]]
) -> Compared:
    tensor, made = start.tensor, watch.tensor
    if (tensor.name, tensor.dtype) != (made.name, made.dtype):
        return replace(start, reason=_CHANGED)
    values, difference = 0, None
    for sample, (given, wanted) in enumerate(pairs):
        if given is None or wanted is None:
            continue
        same = _same_channels(wanted, watch)
        if same.size != given.size:
            return replace(start, reason=_CHANGED)
        values += given.size
        difference = difference or _difference(sample, given, same.reshape(given.shape), watch)
    if not values:
        is_known = any(wanted is not None for _, wanted in pairs)
        return replace(start, reason=_NOT_REACHED if is_known else _NOT_KNOWN)
    left_out = tensor.shape[-1] - len(watch.channels) if watch.channels else 0
    return replace(start, values=values, difference=difference, left_out=left_out)


def _same_channels(wanted: Array, watch: Watch) -> Array:
    return wanted[..., list(watch.channels)] if watch.channels else wanted


def _difference(sample: int, given: Array, wanted: Array, watch: Watch) -> Difference | None:
    """The difference, bit for bit; but a NaN equals each NaN, whose sign and payload IEEE 754
    leaves open: an x86 makes it negative where an Arm makes it positive."""
    wanted = wanted.astype(given.dtype)
    differs = _bits(given) != _bits(wanted)
    if np.issubdtype(given.dtype, np.floating):
        differs &= ~(np.isnan(given) & np.isnan(wanted))
    wrong = np.argwhere(differs)
    if not len(wrong):
        return None
    at = tuple(wrong[0].tolist())
    place = (*at[:-1], watch.channels[at[-1]]) if watch.channels else at
    return Difference(sample, place, str(given[at]), str(wanted[at]), len(wrong), given.size)


def _bits(values: Array) -> Array:
    kinds = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
    return np.ascontiguousarray(values).view(kinds[values.dtype.itemsize])
