"""Where the ways of a branch meet again, and the loops of a program, from its disassembly.

Edges stay inside of a function, but for its jumps: a call is passed over, and a return goes to END.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml_rules.firmware.disassembly import Code, Flow, Instruction

END = -1
"""After every return."""
_NOP_BYTES = 2

Edges = Mapping[int, Sequence[int]]


@dataclass(frozen=True)
class Loop:
    """A natural loop: the addresses of its instructions, and those to which control leaves it."""

    head: int
    body: frozenset[int]
    ends: tuple[int, ...]
    entries: tuple[int, ...]
    """The instructions before its head that are outside."""
    turn: int
    """What every iteration comes to: its head, if all ways back go there."""


@dataclass(frozen=True)
class ControlFlow:
    """Successors of each instruction of a program, and what follows from them."""

    code: Code
    successors: Edges

    @classmethod
    def of(cls, code: Code, far_jumps: frozenset[int]) -> ControlFlow:
        """`far_jumps`: calls that do not come back."""
        instructions = code.instructions

        def inside(address: int) -> int:
            return address if address in instructions else END

        found = {
            address: tuple(dict.fromkeys(map(inside, _next(each, code, far_jumps))))
            for address, each in instructions.items()
        }
        ending = _reaching_end(found)
        return cls(
            code,
            {each: to if each in ending else (*to, END) for each, to in found.items()},
        )

    @cached_property
    def predecessors(self) -> Edges:
        """The edges the other way."""
        return _reversed(self.successors)

    @cached_property
    def meetings(self) -> Mapping[int, int]:
        """For each instruction, the first one that all ways from it come to."""
        return _dominators(END, self.predecessors, self.successors)

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Those with one head, the smallest first."""
        entries = self._entries()
        forward = {**self.successors, END: tuple(sorted(entries))}
        backward = {
            each: (*self.predecessors.get(each, ()), *((END,) if each in entries else ()))
            for each in self.successors
        }
        dominators = _dominators(END, forward, backward)
        bodies: dict[int, set[int]] = {}
        for address, following in self.successors.items():
            for head in following:
                if head != END and _dominates(head, address, dominators):
                    body = bodies.setdefault(head, {head})
                    body |= _before(address, head, self.predecessors)
        heads = frozenset(bodies)
        return tuple(self._loop(*each, heads) for each in sorted(bodies.items(), key=_size))

    def around(self, address: int) -> Iterator[Loop]:
        """The loops with this instruction, the innermost first."""
        return (each for each in self.loops if address in each.body)

    def is_reached(self, address: int, first: int) -> bool:
        """Whether control comes to an instruction from another one of its function."""
        return address in _reached(first, lambda each: self.successors.get(each, ()))

    def deciding(self, address: int, *, inside: frozenset[int]) -> set[int]:
        """The branches that decide whether an instruction is executed, directly or through others;
        if there is an `inside`, those in it."""
        found: set[int] = set()
        pending = [address]
        while pending:
            for each in self._decided_by.get(pending.pop(), ()):
                if each not in found and (not inside or each in inside):
                    found.add(each)
                    pending.append(each)
        return found

    @cached_property
    def _decided_by(self) -> Mapping[int, Sequence[int]]:
        """For each instruction, the branches with a way that comes to it and one that may not."""
        found: dict[int, list[int]] = defaultdict(list)
        for branch, following in self.successors.items():
            if len(following) > 1:
                for at in following:
                    each = at
                    while each not in (self.meetings.get(branch, END), END):
                        found[each].append(branch)
                        each = self.meetings.get(each, END)
        return found

    def _loop(self, head: int, body: set[int], heads: frozenset[int]) -> Loop:
        following = {each for address in body for each in self.successors[address]}
        before = set(self.predecessors.get(head, ())) - body
        return Loop(
            head,
            frozenset(body),
            tuple(sorted(following - body - {END})),
            tuple(sorted(before)),
            self._turn(head, body, heads),
        )

    def _turn(self, head: int, body: set[int], heads: frozenset[int]) -> int:
        """The head, or of a loop that a compiler has entered in its middle the first instruction
        that is on all ways around, but for those of the loops in it."""
        once = body - (heads & body)
        left = _on_cycles(once, self.successors)
        if not left:
            return head
        candidates = (each for each in sorted(left) if len(self.predecessors[each]) > 1)
        inner = body - (heads & body - {head})
        found = (e for e in candidates if not _on_cycles(inner - {e}, self.successors))
        return next(found, head)

    @cached_property
    def called(self) -> frozenset[int]:
        """The instructions to which calls go."""
        calls = (e for e in self.code.instructions.values() if e.effect.flow is Flow.CALL)
        return frozenset(each.effect.target for each in calls if each.effect.target is not None)

    def _entries(self) -> set[int]:
        """Where functions begin."""
        instructions = self.code.instructions
        alone = {each for each in instructions if not self.predecessors.get(each)}
        entries = {*self.code.symbols, *self.called, *alone}
        return {each for each in entries if each in instructions}


def _next(each: Instruction, code: Code, far_jumps: frozenset[int]) -> Iterable[int]:
    """The addresses to which control goes, END where that is unknown."""
    effect = each.effect
    target = END if effect.target is None else effect.target
    skipped = code.instructions.get(each.next_address)
    beyond = END if skipped is None else skipped.next_address
    following = {
        Flow.BRANCH: (target, each.next_address),
        Flow.JUMP: (target,),
        Flow.SKIP: (each.next_address, beyond),
        Flow.RETURN: (END,),
        Flow.MAY_RETURN: (END, each.next_address),
        Flow.INDIRECT: (END,),
        Flow.SWITCH: effect.cases or (END,),
    }
    if each.address in far_jumps:
        return (target,)
    if _is_padding(each):
        return (END,)
    return effect.cases or following.get(effect.flow, (each.next_address,))


def _is_padding(each: Instruction) -> bool:
    """Whether it aligns constants of Thumb that follow, and never runs."""
    return each.text == "nop" and each.next_address > each.address + _NOP_BYTES


def _reversed(successors: Edges) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for address, following in successors.items():
        for each in following:
            found[each].append(address)
    return dict(found)


def _reaching_end(successors: Edges) -> set[int]:
    """What END can be reached from; the loop after the end of a program is not."""
    predecessors = _reversed(successors)
    return _reached(END, lambda each: predecessors.get(each, ()))


def _reached(first: int, following: Callable[[int], Iterable[int]]) -> set[int]:
    seen, pending = {first}, [first]
    while pending:
        new = set(following(pending.pop())) - seen
        seen |= new
        pending += new
    return seen


def _before(last: int, head: int, predecessors: Edges) -> set[int]:
    """What comes to `last` without passing `head`, in one function."""
    if last == head:
        return {head}
    return _reached(last, lambda each: () if each == head else predecessors.get(each, ()))


def _on_cycles(nodes: set[int], successors: Edges) -> set[int]:
    """What is left of these once all have been taken away that nothing, or nothing of these, comes
    after."""
    left = set(nodes)
    following = {each: {to for to in successors[each] if to in left} for each in left}
    before: dict[int, set[int]] = defaultdict(set)
    for each, to in following.items():
        for one in to:
            before[one].add(each)
    pending = [each for each in left if not following[each]]
    while pending:
        each = pending.pop()
        left.discard(each)
        for one in before[each]:
            following[one].discard(each)
            if not following[one] and one in left:
                pending.append(one)
    return left


def _size(item: tuple[int, set[int]]) -> tuple[int, int]:
    return len(item[1]), item[0]


def _dominates(head: int, address: int, dominators: Mapping[int, int]) -> bool:
    while address not in (head, END):
        address = dominators.get(address, END)
    return address == head


def _dominators(root: int, forward: Edges, backward: Edges) -> dict[int, int]:
    """The immediate dominator of each node that `root` reaches, by Cooper, Harvey and Kennedy's
    algorithm.

    `forward`: the edges in the direction of the search; `backward`: the same the other way.
    """
    order = _postorder(root, forward)
    place = {node: number for number, node in enumerate(order)}
    found = {root: root}

    def common(a: int, b: int) -> int:
        while a != b:
            while place[a] < place[b]:
                a = found[a]
            while place[b] < place[a]:
                b = found[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            known = [each for each in backward.get(node, ()) if each in found]
            new = known[0]
            for each in known[1:]:
                new = common(new, each)
            changed = changed or found.get(node) != new
            found[node] = new
    return found


def _postorder(root: int, forward: Edges) -> list[int]:
    order, seen = [], {root}
    pending = [(root, iter(forward.get(root, ())))]
    while pending:
        node, following = pending[-1]
        new = next((each for each in following if each not in seen), None)
        if new is None:
            order.append(node)
            pending.pop()
        else:
            seen.add(new)
            pending.append((new, iter(forward.get(new, ()))))
    return order
