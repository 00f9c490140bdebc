"""The calls of a linked program, and how deep each function's stack gets.

A function that was compiled here has the frame that GCC wrote into its `.su` file; libgcc's
routines have none, so their pushes and pops are followed instruction by instruction.  All
paths through the calls are followed; the deepest counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NoReturn

from tinyml_rules.errors import ToolError
from tinyml_rules.firmware.disassembly import Code, Flow, Instruction

RESET = "tinyml_reset"
"""Where every firmware begins; the processor enters it without pushing a return address."""

_CLONE_NUMBER = re.compile(r"[.$]\d+$")
"""The suffix of a function's clone; on Xtensa its symbol has `$` where GCC's `.su` file has
dots."""
_MAY_END = (Flow.RETURN, Flow.MAY_RETURN, Flow.INDIRECT)
_DEEPEST_BYTES = 1 << 24
"""Limit of the depth: only a loop that pushes more than it pops exceeds it."""


class CallGraph:
    """The calls of a program; `known` holds the depths that were found, by address.

    `frames`: bytes of stack that each function itself takes, by name; `where`: for messages.
    """

    def __init__(self, code: Code, frames: Mapping[str, int], *, where: str) -> None:
        self.code = code
        self.frames = frames
        self.where = where
        self.reset = self.address_of(RESET)
        self.known: dict[int, int] = {}
        self._callees: dict[int, int] = {}
        self.active: list[int] = []

    def address_of(self, function: str) -> int:
        """Where a function begins; raises ToolError if the program has no such function."""
        symbols = self.code.symbols.items()
        address = next((each for each, names in symbols if function in names), None)
        if address is None:
            self._fail(f"the firmware has no function {function}")
        return address

    def worst(self, address: int) -> int:
        """Bytes that a call to `address` takes, its return address included."""
        if address in self.known:
            return self.known[address]
        if address in self.active:
            path = [self.name(each) for each in (*self.active, address)]
            self._fail(f"recursion, so the stack has no bound: {' -> '.join(path)}")
        self.active.append(address)
        frame = self._frame(address)
        depth = self._follow(address) if frame is None else self._compiled(address, frame)
        self.active.pop()
        self.known[address] = depth
        return depth

    def path(self, address: int) -> Iterator[tuple[int, int]]:
        """The deepest calls from `address` on, each with the bytes that it adds; their sum is
        `worst`."""
        below: int | None = address
        while below is not None:
            address, below = below, self._callees.get(below)
            yield address, self.worst(address) - (0 if below is None else self.worst(below))

    def _deeper(self, caller: int, callee: int, depth: int, deepest: int) -> int:
        """The larger of two depths of `caller`; the new one is that with `callee` below it."""
        if depth > deepest:
            self._callees[caller] = callee
        return max(depth, deepest)

    def _own(self, function: int, depth: int, deepest: int) -> int:
        """The same for a depth that it reaches without calls."""
        if depth > deepest:
            self._callees.pop(function, None)
        return max(depth, deepest)

    def _compiled(self, address: int, frame_bytes: int) -> int:
        """A function with a known frame: the frame is there at each of its calls."""
        body = list(self.body(address))
        deepest = frame_bytes + max(each.effect.below_bytes for each in body)
        inside = {instruction.address for instruction in body}
        for instruction in body:
            self._refuse_indirect(instruction)
            effect = instruction.effect
            # ARMv6-M calls a place inside the same function where a jump would not reach so far.
            is_call = effect.flow is Flow.CALL and effect.target not in inside - {address}
            if effect.target is None or (effect.target in inside and not is_call):
                continue
            below = self.worst(effect.target)
            # A compiled function releases its frame before it jumps to another one.
            is_released = not is_call and self._frame(effect.target) is not None
            depth = below if is_released else frame_bytes + below
            deepest = self._deeper(address, effect.target, depth, deepest)
        return deepest

    def _follow(self, entry: int) -> int:
        """A routine without a known frame: follow every path and keep the deepest stack."""
        return_bytes = self.code.return_address_bytes
        deepest = return_bytes
        depth_at: dict[int, int] = {}
        pending = [(entry, return_bytes)]
        while pending:
            address, depth = pending.pop()
            if depth_at.get(address, -1) >= depth:
                continue
            if depth > _DEEPEST_BYTES:
                self._fail(f"{self.name(entry)} pushes in an endless loop")
            depth_at[address] = depth
            deepest = self._own(entry, depth, deepest)
            if address != entry and self._frame(address) is not None:
                gone_on = depth - return_bytes + self.worst(address)
                deepest = self._deeper(entry, address, gone_on, deepest)
                continue
            instruction = self._instruction(address, entry)
            self._refuse_indirect(instruction)
            if instruction.effect.table and not instruction.effect.cases:
                self._fail(f"{self.name(entry)} has a switch whose table is not understood")
            if instruction.effect.moves_stack_unknown and entry != self.reset:
                self._fail(f"{self.name(entry)} moves the stack pointer: {instruction.text}")
            after = max(depth + instruction.effect.push_bytes, 0)
            deepest = self._own(entry, after + instruction.effect.below_bytes, deepest)
            if instruction.effect.flow is Flow.CALL:
                assert instruction.effect.target is not None, instruction.text
                called = after + self.worst(instruction.effect.target)
                deepest = self._deeper(entry, instruction.effect.target, called, deepest)
            pending += [(each, after) for each in self._successors(instruction)]
        return deepest

    def _successors(self, instruction: Instruction) -> Iterator[int]:
        effect = instruction.effect
        if effect.cases:
            yield from effect.cases
            return
        if effect.flow in (Flow.BRANCH, Flow.JUMP):
            assert effect.target is not None, instruction.text
            yield effect.target
        if effect.flow not in (Flow.JUMP, Flow.RETURN):
            yield instruction.next_address
        if effect.flow is Flow.SKIP:
            yield self._instruction(instruction.next_address, instruction.address).next_address

    def body(self, address: int) -> Iterator[Instruction]:
        """The instructions of a function: all up to the next symbol."""
        while address in self.code.instructions:
            instruction = self.code.instructions[address]
            yield instruction
            address = instruction.next_address
            if address in self.code.symbols:
                return

    def reached(self, address: int) -> Iterator[Instruction]:
        """Every instruction of a function, of its callees and of functions that it jumps to."""
        pending, seen = [address], {address}
        while pending:
            inside = list(self.body(pending.pop()))
            yield from inside
            targets = {each.effect.target for each in inside}.difference(seen)
            found = {each for each in targets if each is not None and each in self.code.symbols}
            seen |= found
            pending += sorted(found)

    def returns(self, address: int) -> bool:
        """Whether a function may return: by itself, or by jumping to one that may."""
        pending, seen = [address], {address}
        while pending:
            inside = list(self.body(pending.pop()))
            if any(each.effect.flow in _MAY_END for each in inside):
                return True
            addresses = {each.address for each in inside}
            targets = {each.effect.target for each in inside if each.effect.flow is not Flow.CALL}
            found = {each for each in targets - addresses - seen if each is not None}
            seen |= found
            pending += sorted(found)
        return False

    def is_compiled(self, address: int) -> bool:
        """Whether GCC's `.su` files have the frame of the function that begins here."""
        return self._frame(address) is not None

    def _frame(self, address: int) -> int | None:
        """The frame of the function that begins at `address`, if it was compiled here."""
        symbols = self.code.symbols.get(address, ())
        names = (_CLONE_NUMBER.sub("", name).replace("$", ".") for name in symbols)
        return next((self.frames[name] for name in names if name in self.frames), None)

    def _instruction(self, address: int, entry: int) -> Instruction:
        if address not in self.code.instructions:
            self._fail(f"{self.name(entry)} runs into {address:#x}, where there is no code")
        return self.code.instructions[address]

    def _refuse_indirect(self, instruction: Instruction) -> None:
        if instruction.effect.flow is Flow.INDIRECT:
            here = self.name(self.active[-1])
            self._fail(f"indirect call in {here}, so the stack has no bound: {instruction.text}")

    def name(self, address: int) -> str:
        """The program's name for an address."""
        return self.code.symbols.get(address, (f"{address:#x}",))[0]

    def _fail(self, what: str) -> NoReturn:
        raise ToolError.at(self.where, what)
