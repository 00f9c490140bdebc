"""Which kernel a node gets, of those that can do its work on a target.

An operator lists its kernels best first, by measurements of layers of many shapes, so that the
first is right nearly always: no table of costs next to the list would know better without running
the layer.  A tuner does run it, and names another kernel where that takes less (`named`).

For size it is the first with weights as they are that takes all nodes of a kind.  On Cortex-M4, kws
then takes 31,420 B; with the last of each list, which are loops over single products, it would be
30,596 B and three times as slow, and a 1x1 convolution by the kernel for windows adds to its
constants what it saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.buffers import LITTLE_SCRATCH
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.ops._shared.operator import Meaning

TUNE_AGAIN = "`tinyml_rules tune` measures the kernels anew, and names those that are there"

WEIGHT_FEATURES = frozenset((Feature.EXTERNAL_WEIGHTS, Feature.PACKED_WEIGHTS))
"""Of weights in another place or form: the request adds them to those of the target."""


class Optimize(StrEnum):
    """What a model becomes where there is more than one way."""

    SIZE = "size"
    BALANCED = "balanced"
    SPEED = "speed"
    LAYERS = "layers"


@dataclass(frozen=True)
class Choice:
    """What the choice goes by: the goal, and the kernels `named` for single nodes, by the label
    that a profile gives them (`3`, or `1:3` in a graph that a node runs)."""

    goal: Optimize = Optimize.BALANCED
    named: Mapping[str, str] = field(default_factory=dict)
    most_scratch: int | None = None
    """Bytes of scratch memory that a kernel may need; None: there is room for any."""
    roomy: frozenset[str] = frozenset()
    """The nodes whose kernels may need more, by the label."""
    concise: frozenset[str] = frozenset()
    """The nodes that have no room in flash for kernels that take more of it, by the label."""
    in_any_order: bool = False
    """Whether rows are made in another order than from the first to the last, more than once or in
    pieces."""

    def of_graph(self, number: int) -> Choice:
        """The same for a graph that a node runs, where labels have no number of a graph.  Its
        memory is scratch memory of that node, so that it has little."""
        mine = f"{number}:"
        named = {
            label.removeprefix(mine): name
            for label, name in self.named.items()
            if label.startswith(mine)
        }
        none: frozenset[str] = frozenset()
        return replace(self, named=named, most_scratch=LITTLE_SCRATCH, roomy=none, concise=none)

    def of_model(self, graphs: Iterable[int]) -> Choice:
        """The same without what is for those graphs."""
        theirs = tuple(f"{number}:" for number in graphs)
        named = {label: name for label, name in self.named.items() if not label.startswith(theirs)}
        return replace(self, named=named)

    def of(
        self, node: str, where: str, work: Work, kernels: Sequence[Kernel], shared: Set[str]
    ) -> Kernel:
        """The kernel of a node, of those that can do its work, best first; `shared`: the names of
        those that take all nodes of its kind.  Raises UnsupportedError for a name that is none
        of them; `where`: how it names the node."""
        if node in self.named:
            return _named(self.named[node], where, kernels)
        if self.most_scratch is not None and node not in self.roomy:
            most = self.most_scratch
            small = [each for each in kernels if scratch_bytes(each, work) <= most]
            kernels = small or kernels[-1:]
        if node in self.concise:
            kernels = [each for each in kernels if not each.is_large and not each.is_for_speed]
        if self.goal is Optimize.SIZE:
            plain = [each for each in kernels if each.pack is None] or list(kernels)
            return next((each for each in plain if each.name in shared), plain[-1])
        return next(
            each for each in kernels if self.goal is Optimize.SPEED or not each.is_for_speed
        )

    def of_order(self, kernels: Iterable[Kernel]) -> tuple[Kernel, ...]:
        """Those among them for which rows come in their order."""
        return tuple(each for each in kernels if each.rows_at_once == 1 or not self.in_any_order)


def scratch_bytes(kernel: Kernel, work: Work) -> int:
    """Bytes of scratch memory that a kernel needs of its own for a node's work."""
    return 0 if kernel.scratch is None else kernel.scratch(work).size_bytes


def _named(name: str, where: str, kernels: Sequence[Kernel]) -> Kernel:
    for each in kernels:
        if each.name == name:
            return each
    names = ", ".join(dict.fromkeys(each.name for each in kernels))
    what = f"'{name}' is not a kernel for this node on this target, expected one of {names}"
    raise UnsupportedError.at(where, what, hint=TUNE_AGAIN)


def candidates(meaning: Meaning, work: Work, features: frozenset[Feature]) -> tuple[Kernel, ...]:
    """The kernels that can do a node's work on a target with these features, best first.

    Where there are some for weights in another place or form, the others are none.
    """
    found = [
        kernel
        for kernel in meaning.kernels
        if kernel.requires <= features
        and kernel.excludes.isdisjoint(features)
        and kernel.takes(work.facts)
    ]
    assert found, "every operator has a portable kernel for each node that `check` accepts"
    of_weights = found[0].requires & WEIGHT_FEATURES
    return tuple(each for each in found if each.requires & WEIGHT_FEATURES == of_weights)
