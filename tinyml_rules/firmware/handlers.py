"""Finds the interrupt handlers of a linked program.

A handler is entered by the processor, which takes its address from a table.  So a function is one
if its address is anywhere, in a table or as a constant of the code: without calls through pointers,
and a program with them has no bound, the address has no other use.  AVR's table is
ours and names them; on Xtensa all its entries lead to one function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.firmware.calls import CallGraph
from tinyml_rules.firmware.disassembly import Flow
from tinyml_rules.firmware.loaded import Loaded
from tinyml_rules.target.target import Target

_AVR_HANDLER = re.compile(r"__vector_\d+$")
_UNEXPECTED = "tinyml_unexpected_interrupt"
FAULT = "tinyml_fault"
"""The default handler of startup code, which ends the program."""

_FRAME_BYTES, _FPU_FRAME_BYTES, _ALIGNMENT = 32, 104, 8
"""Bytes that Cortex-M pushes for an exception, and the alignment that it gives the stack pointer
first; ARMv7-M reference manual, B1.5.6 and B1.5.7."""
_LEVELS = {"armv6s-m": 6}
"""Most nested exceptions: ARMv6-M has four priorities, and those of NMI and HardFault."""
_TABLE_ALIGNMENT = 128
"""Least alignment of a table for VTOR; ARMv7-M reference manual, B3.2.5."""

_MOVE = re.compile(r"(movw|movt|mov\.w)\s+\w+, #(\d+)")
_STORE = re.compile(r"str\S*\s+\w+, \[\w+(?:, #(\d+))?\]")
_COMMENT = re.compile(r"# ([0-9a-f]+) <")
_LITERAL = re.compile(r"^ldr\S*\s+\w+, \[pc.*\(([0-9a-f]+)")
_VTOR = 0xE000_ED08
_VECBASE = re.compile(r"wsr(\.vecbase|\s+\w+, vecbase)")
_PROCESS_STACK = re.compile(r"msr\s+psp\b", re.I)


@dataclass(frozen=True)
class Handler:
    """A function that the processor enters, and how many vectors lead there."""

    address: int
    vectors: int = 1


@dataclass(frozen=True)
class Found:
    """The handlers of a program, and `notes` about what cannot be read from an image.

    `frame_bytes` are pushed by the processor itself for each, below a multiple of `alignment`."""

    handlers: tuple[Handler, ...]
    frame_bytes: int = 0
    alignment: int = 1
    levels: int | None = None
    notes: tuple[str, ...] = ()


def find_handlers(target: Target, graph: CallGraph, loaded: Loaded, *, is_test: bool) -> Found:
    """The user's handlers; the fault handler of a test image is ours, and on Xtensa alone weak."""
    is_ours = FAULT in loaded.weak or (is_test and target.architecture != "xtensa")
    ours = {_UNEXPECTED, *([FAULT] if is_ours else [])}
    skipped = {graph.reset}
    skipped.update(each for each, names in graph.code.symbols.items() if ours.intersection(names))
    found = {
        "avr": _avr_handlers,
        "xtensa": _xtensa_handlers,
        "riscv": _riscv_handlers,
        "arm": _arm_handlers,
    }[target.architecture](target, graph, loaded)
    handlers = tuple(each for each in found if each.address not in skipped)
    is_arm = target.architecture == "arm"
    return Found(
        handlers,
        frame_bytes=_exception_frame_bytes(graph) if is_arm else 0,
        alignment=_ALIGNMENT if is_arm else 1,
        levels=_LEVELS.get(graph.code.machine),
        notes=tuple(_notes(target.architecture, graph, loaded)),
    )


def _named(graph: CallGraph, pattern: re.Pattern[str]) -> Iterator[Handler]:
    for address, names in graph.code.symbols.items():
        if any(map(pattern.match, names)):
            yield Handler(address)


def _avr_handlers(target: Target, graph: CallGraph, loaded: Loaded) -> Iterator[Handler]:
    del target, loaded
    return _named(graph, _AVR_HANDLER)


def _xtensa_handlers(target: Target, graph: CallGraph, loaded: Loaded) -> Iterator[Handler]:
    """Every vector of startup leads to one function, which a program may replace."""
    del target, loaded
    return _named(graph, re.compile(f"{FAULT}$"))


def _riscv_handlers(target: Target, graph: CallGraph, loaded: Loaded) -> Iterator[Handler]:
    """All functions with an address in data or in an instruction other than a call, all that end
    with `mret`, and the targets of a table of jumps."""
    del target
    entries = _entries(graph)
    found = {word for _, word in loaded.words(in_code=False)}
    for each in graph.code.instructions.values():
        comment = _COMMENT.search(each.text)
        if comment and each.effect.target is None:
            found.add(int(comment[1], 16))
    for entry in entries:
        if any(each.text == "mret" for each in graph.body(entry)):
            found.add(entry)
    for table in sorted(found & entries):
        jumps = [each.effect for each in graph.body(table) if each.effect.flow is Flow.JUMP]
        if jumps and not graph.is_compiled(table):
            found.update(each.target for each in jumps if each.target is not None)
    return (Handler(each) for each in sorted(found & entries))


def _arm_handlers(target: Target, graph: CallGraph, loaded: Loaded) -> Iterator[Handler]:
    """All functions whose address is in a word, or is computed by two instructions; as often as it
    is in tables."""
    assert target.memory
    ram = target.memory.ram
    entries = _entries(graph)
    vectors: dict[int, int] = dict.fromkeys(_moved(graph), 0)
    for place, word in loaded.words(in_code=True):
        address = word & ~1
        if not word & 1 or address not in entries:
            continue
        before = loaded.word_at(place - 4)
        is_reset = (
            (place - 4) % _TABLE_ALIGNMENT == 0
            and before is not None
            and ram.origin < before <= ram.origin + ram.bytes
        )
        if not is_reset:
            is_slot = not loaded.is_in_function(place)
            vectors[address] = vectors.get(address, 0) + is_slot
    return (Handler(each, max(count, 1)) for each, count in sorted(vectors.items()))


def _moved(graph: CallGraph) -> set[int]:
    """Functions whose address two instructions may compute, one half after the other."""
    moves = [
        match for each in graph.code.instructions.values() if (match := _MOVE.match(each.text))
    ]
    low, high = ({int(each[2]) for each in moves if each[1] == name} for name in ("movw", "movt"))
    return {each for each in _entries(graph) if (each | 1) & 0xFFFF in low and each >> 16 in high}


def _entries(graph: CallGraph) -> set[int]:
    return set(graph.code.symbols).intersection(graph.code.instructions)


def _exception_frame_bytes(graph: CallGraph) -> int:
    """Bytes of an exception frame, including FPU registers if any instruction uses the FPU."""
    uses_fpu = any(each.text.startswith("v") for each in graph.code.instructions.values())
    return _FPU_FRAME_BYTES if uses_fpu else _FRAME_BYTES


def _notes(architecture: str, graph: CallGraph, loaded: Loaded) -> Iterator[str]:
    """Notes about what cannot be read from the image."""
    texts = {entry: [each.text for each in graph.body(entry)] for entry in _entries(graph)}
    if architecture == "xtensa":
        own = [texts[each] for each in texts if graph.name(each).startswith("tinyml_")]
        moves = any(
            _VECBASE.match(each) for text in texts.values() if text not in own for each in text
        )
    else:
        moves = any(_moves_table(loaded, each) for each in texts.values())
    if moves:
        yield "it moves the vector table as it runs: handlers outside of this image do not count"
    if any(_PROCESS_STACK.match(each) for text in texts.values() for each in text):
        yield "it has a second stack pointer: stacks of threads do not count"


def _moves_table(loaded: Loaded, texts: Sequence[str]) -> bool:
    """Whether a function stores to VTOR, as its constants show, and none of them is the address of
    a table of this image."""
    known: set[int] = set()
    stores: set[int] = set()
    low = high = 0
    for text in texts:
        if literal := _LITERAL.match(text):
            known.add(loaded.word_at(int(literal[1], 16)) or 0)
        elif move := _MOVE.match(text):
            low, high = (low, int(move[2])) if move[1] == "movt" else (int(move[2]), high)
            known.update((low, high << 16 | low & 0xFFFF))
        elif store := _STORE.match(text):
            stores.add(int(store[1] or 0))
    is_moved = any(_VTOR - offset in known for offset in stores)
    tables = (each for each in known if each and each % _TABLE_ALIGNMENT == 0)
    return is_moved and all(loaded.word_at(each) is None for each in tables)
