"""The worst-case stack of a linked firmware, found without running it.

A function that was compiled here has the frame that GCC wrote into its `.su` file; libgcc's
routines have none, so their pushes and pops are followed instruction by instruction.  Every
path through the calls is taken; the deepest counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from elftools.elf.elffile import ELFFile

from tinyml_rules.errors import ToolError
from tinyml_rules.firmware.disassembly import Code, Flow, Instruction, read_disassembly
from tinyml_rules.firmware.image import Image
from tinyml_rules.process import run_tool
from tinyml_rules.target import Target

_CLONE_NUMBER = re.compile(r"\.\d+$")
_RESET = "tinyml_reset"
"""Where every firmware begins; the processor enters it without pushing a return address."""

_HANDLER = re.compile(r"__vector_\d+$")
_UNEXPECTED = "tinyml_unexpected_interrupt"
"""What avr-libc calls an interrupt handler, and ours for all those that nobody has written."""

_DEEPEST_BYTES = 1 << 24
"""No routine of libgcc comes near; a loop that pushes more than it pops does."""


def worst_stacks(target: Target, image: Image) -> tuple[int, int]:
    """Bytes of stack of the whole firmware from reset on, and of one call of `<name>_invoke`.

    The latter includes the return address where the call instruction pushes it.

    Raises ToolError for recursion, an indirect call, or a frame without a bound.
    """
    search = _search(target, image.elf, image.stack_usage_files, where=image.name)
    return search.firmware(), search.worst(search.address_of(image.invoke_symbol))


def worst_stack(target: Target, elf: Path, stack_usage_files: Iterable[Path], *, where: str) -> int:
    """Bytes of stack of a whole firmware, its interrupt handlers included; raises likewise."""
    return _search(target, elf, stack_usage_files, where=where).firmware()


def _search(target: Target, elf: Path, files: Iterable[Path], *, where: str) -> _Search:
    command = [target.toolchain.program("objdump"), "-f", "-d", "-w", "--no-show-raw-insn"]
    text = run_tool([*command, str(elf)], where=where)
    with elf.open("rb") as file:
        words = _words(ELFFile(file))
    code = read_disassembly(text, architecture=target.architecture, word_at=words)
    return _Search(code, read_frames(files, where=where), where=where)


def _words(elf: ELFFile) -> Callable[[int], int | None]:
    """A function from an address to the word in what is loaded there."""
    segments = [(each["p_vaddr"], each.data()) for each in elf.iter_segments(type="PT_LOAD")]

    def word_at(address: int) -> int | None:
        for start, data in segments:
            if start <= address <= start + len(data) - 4:
                return int.from_bytes(data[address - start :][:4], "little")
        return None

    return word_at


def read_frames(files: Iterable[Path], *, where: str) -> dict[str, int]:
    """Bytes of stack that each function itself takes, from GCC's `.su` files.

    Two static functions of one name count as the larger.
    """
    frames: dict[str, int] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            location, size, qualifier = line.split("\t")
            function = location.rsplit(":", 1)[1]
            if qualifier == "dynamic":
                raise ToolError.at(where, f"the stack frame of {function} has no bound")
            frames[function] = max(frames.get(function, 0), int(size))
    return frames


class _Search:
    """One search through the calls of a program; `known` holds what was found, by address."""

    def __init__(self, code: Code, frames: Mapping[str, int], *, where: str) -> None:
        self.code = code
        self.frames = frames
        self.where = where
        self.reset = self.address_of(_RESET)
        self.known: dict[int, int] = {}
        self.active: list[int] = []

    def address_of(self, function: str) -> int:
        symbols = self.code.symbols.items()
        address = next((each for each, names in symbols if function in names), None)
        if address is None:
            self._fail(f"the firmware has no function {function}")
        return address

    def firmware(self) -> int:
        """Bytes from reset on, with every interrupt handler at once on top of the deepest place."""
        handlers = [
            address
            for address, names in self.code.symbols.items()
            if _UNEXPECTED not in names and any(map(_HANDLER.match, names))
        ]
        main = self.worst(self.reset) - self.code.return_address_bytes
        return main + sum(map(self.worst, handlers))

    def worst(self, address: int) -> int:
        """Bytes that a call to `address` takes, its return address included."""
        if address in self.known:
            return self.known[address]
        if address in self.active:
            path = [self._name(each) for each in (*self.active, address)]
            self._fail(f"recursion, so no bound of the stack: {' -> '.join(path)}")
        self.active.append(address)
        frame = self._frame(address)
        depth = self._follow(address) if frame is None else self._compiled(address, frame)
        self.active.pop()
        self.known[address] = depth
        return depth

    def _compiled(self, address: int, frame_bytes: int) -> int:
        """A function with a known frame: the frame is there at each of its calls."""
        body = list(self._body(address))
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
            deepest = max(deepest, below if is_released else frame_bytes + below)
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
                self._fail(f"{self._name(entry)} pushes without end")
            depth_at[address] = depth
            deepest = max(deepest, depth)
            if address != entry and self._frame(address) is not None:
                deepest = max(deepest, depth - return_bytes + self.worst(address))
                continue
            instruction = self._instruction(address, entry)
            self._refuse_indirect(instruction)
            if instruction.effect.moves_stack_unknown and entry != self.reset:
                self._fail(f"{self._name(entry)} moves the stack pointer: {instruction.text}")
            after = max(depth + instruction.effect.push_bytes, 0)
            deepest = max(deepest, after + instruction.effect.below_bytes)
            if instruction.effect.flow is Flow.CALL:
                assert instruction.effect.target is not None, instruction.text
                deepest = max(deepest, after + self.worst(instruction.effect.target))
            pending += [(each, after) for each in self._successors(instruction)]
        return deepest

    def _successors(self, instruction: Instruction) -> Iterator[int]:
        effect = instruction.effect
        if effect.flow in (Flow.BRANCH, Flow.JUMP):
            assert effect.target is not None, instruction.text
            yield effect.target
        if effect.flow not in (Flow.JUMP, Flow.RETURN):
            yield instruction.next_address
        if effect.flow is Flow.SKIP:
            yield self._instruction(instruction.next_address, instruction.address).next_address

    def _body(self, address: int) -> Iterator[Instruction]:
        """The instructions of a function, which lie together up to the next symbol."""
        while address in self.code.instructions:
            instruction = self.code.instructions[address]
            yield instruction
            address = instruction.next_address
            if address in self.code.symbols:
                return

    def _frame(self, address: int) -> int | None:
        """The frame of the function that begins at `address`, if it was compiled here."""
        names = (_CLONE_NUMBER.sub("", name) for name in self.code.symbols.get(address, ()))
        return next((self.frames[name] for name in names if name in self.frames), None)

    def _instruction(self, address: int, entry: int) -> Instruction:
        if address not in self.code.instructions:
            self._fail(f"{self._name(entry)} runs into {address:#x}, where there is no code")
        return self.code.instructions[address]

    def _refuse_indirect(self, instruction: Instruction) -> None:
        if instruction.effect.flow is Flow.INDIRECT:
            here = self._name(self.active[-1])
            self._fail(f"indirect call in {here}, so no bound of the stack: {instruction.text}")

    def _name(self, address: int) -> str:
        return self.code.symbols.get(address, (f"{address:#x}",))[0]

    def _fail(self, what: str) -> NoReturn:
        raise ToolError.at(self.where, what)
