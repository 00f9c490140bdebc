"""Branch and bound over the relations between tensors: the smallest arena, and its proof.

Offsets are the longest paths that the chosen options imply, so they are the lowest that satisfy
them.  A relation that does not hold at those offsets is branched on; when all hold, the arena is a
solution, and from then on only smaller ones are searched.  There is one state, with a trail of its
changes.  The budget is counted in steps, never in time: the same model always gets
the same plan.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.relations import Option, Relation

STEPS_A_NODE = 500
"""Relations checked and tensors raised per node of the budget, on average."""


@dataclass(frozen=True)
class Placement:
    """Offsets by position in the list of lifetimes; `is_proved` when no smaller arena exists."""

    arena_bytes: int
    offsets: tuple[int, ...]
    descending: frozenset[int]
    is_proved: bool


def search(
    lifetimes: Sequence[Lifetime],
    relations: Sequence[Relation],
    known: Placement,
    *,
    lower_bound_bytes: int,
    budget: int,
) -> Placement:
    """The best placement found within `budget` nodes: `known`, or a smaller one."""
    state = _State(lifetimes, relations)
    best, most_steps = known, budget * STEPS_A_NODE
    root = _Child(state.height_bytes, 0, None, 0)
    branches = [(state.mark(), [root])]
    while branches and best.arena_bytes > lower_bound_bytes:
        mark, children = branches[-1]
        if not children:
            branches.pop()
            continue
        if budget <= 0 or state.steps > most_steps:
            return best
        budget -= 1
        state.undo(mark)
        child = children.pop()
        if child.height_bytes >= best.arena_bytes:
            continue
        if child.option is not None:
            state.choose(child.option)
        broken = state.first_broken(child.checked)
        if broken is None:
            best = state.placement()
        else:
            branches.append((state.mark(), state.children(broken, best.arena_bytes)))
    return Placement(best.arena_bytes, best.offsets, best.descending, is_proved=True)


@dataclass(frozen=True)
class _Child:
    """A state to be visited: one more option than the state before.

    `checked`: how many relations, in their order, are known to hold.
    """

    height_bytes: int
    sum_of_offsets: int
    option: Option | None
    checked: int


Mark = tuple[int, int, int]
"""A length of the trail, the height and the sum of the offsets."""


class _State:
    """Offsets and chosen options.  Each of the trail's entries is an offset before it was raised,
    a tensor that an option was chosen for as the lower one, or a task whose direction was settled.
    """

    def __init__(self, lifetimes: Sequence[Lifetime], relations: Sequence[Relation]) -> None:
        self._sizes = [lifetime.size_bytes for lifetime in lifetimes]
        self._offsets = [0] * len(self._sizes)
        self._edges: list[list[Option]] = [[] for _ in self._sizes]
        self._directions: dict[int, bool] = {}
        self._trail: list[tuple[str, int, int]] = []
        self.height_bytes = max(self._sizes)
        self._sum = 0
        self.steps = 0
        # the largest pairs first: they decide the peak
        sizes = self._sizes
        self._ordered = sorted(
            relations, key=lambda pair: -min(sizes[pair.first], sizes[pair.second])
        )
        # the first relation of each tensor, which has to be looked at again if it is raised
        self._earliest: dict[int, int] = {}
        for place, pair in reversed(list(enumerate(self._ordered))):
            self._earliest[pair.first] = self._earliest[pair.second] = place

    def placement(self) -> Placement:
        """The state as a solution."""
        descending = frozenset(task for task, down in self._directions.items() if down)
        return Placement(self.height_bytes, tuple(self._offsets), descending, is_proved=False)

    def mark(self) -> Mark:
        """The argument of `undo` that restores this state."""
        return len(self._trail), self.height_bytes, self._sum

    def undo(self, mark: Mark) -> None:
        """Restore the state at the mark."""
        length, self.height_bytes, self._sum = mark
        while len(self._trail) > length:
            what, number, value = self._trail.pop()
            if what == "raised":
                self._offsets[number] = value
            elif what == "chosen":
                self._edges[number].pop()
            else:
                del self._directions[number]

    def first_broken(self, checked: int) -> int | None:
        """The first relation from position `checked` on that does not hold."""
        for place in range(checked, len(self._ordered)):
            if not self._holds(self._ordered[place]):
                self.steps += place - checked
                return place
        self.steps += len(self._ordered) - checked
        return None

    def _holds(self, pair: Relation) -> bool:
        """Some option holds at these offsets, with a direction that its task has.

        An overlap counts only once it was chosen: only then is its task's direction settled."""
        offsets = self._offsets
        for option in pair.options:
            if offsets[option.above] >= offsets[option.below] + option.distance_bytes and (
                option.task is None or self._directions.get(option.task) is option.is_descending
            ):
                return True
        return False

    def children(self, broken: int, limit: int) -> list[_Child]:
        """A state for each option of a relation that is lower than the limit, best last."""
        mark, found = self.mark(), []
        for option in self._ordered[broken].options:
            raised = self.choose(option)
            if raised is not None and self.height_bytes < limit:
                checked = min([broken, *(self._earliest[tensor] for tensor in raised)])
                found.append(_Child(self.height_bytes, self._sum, option, checked))
            self.undo(mark)
        return sorted(found, key=lambda child: (-child.height_bytes, -child.sum_of_offsets))

    def choose(self, option: Option) -> set[int] | None:
        """Choose one more option and raise the tensors that it moves; None if it contradicts
        others."""
        if option.task is not None:
            settled = self._directions.get(option.task)
            if settled is not None and settled is not option.is_descending:
                return None
            if settled is None:
                self._directions[option.task] = option.is_descending
                self._trail.append(("settled", option.task, 0))
        self._edges[option.below].append(option)
        self._trail.append(("chosen", option.below, 0))
        return self._raise(option)

    def _raise(self, option: Option) -> set[int] | None:
        """The tensors that had to be raised to satisfy `option` as well; None if that would raise
        the option's own lower tensor: a cycle, each tensor above the next."""
        offsets = self._offsets
        raised: set[int] = set()
        waiting = deque([option])  # first in, first out: no tensor is raised all too often
        while waiting:
            edge = waiting.popleft()
            needed = offsets[edge.below] + edge.distance_bytes
            old = offsets[edge.above]
            if old >= needed:
                continue
            if edge.above == option.below:
                return None
            self._trail.append(("raised", edge.above, old))
            offsets[edge.above] = needed
            self._sum += needed - old
            self.height_bytes = max(self.height_bytes, needed + self._sizes[edge.above])
            raised.add(edge.above)
            waiting += self._edges[edge.above]
            self.steps += 1
        return raised
