"""The interrupt handlers that may be active at once, and the bytes that they add to the stack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.firmware.calls import CallGraph
from tinyml_rules.firmware.handlers import Found
from tinyml_rules.ir.buffers import aligned


@dataclass(frozen=True)
class Interrupt:
    """Bytes of stack of a handler each time, including those that the processor pushes, up to where
    the next handler may begin."""

    name: str
    bytes: int
    times: int


@dataclass(frozen=True)
class Frame:
    """A function in the deepest chain of calls, and the bytes that it adds to the stack there."""

    function: str
    bytes: int


@dataclass(frozen=True)
class StackBound:
    """The worst-case stack: the calls from reset on, and the interrupts that count on top.

    `path`: the deepest of those calls, one after the other; together they are `main_bytes`.
    `alignment`: of the stack pointer before a handler.
    """

    main_bytes: int
    interrupts: tuple[Interrupt, ...] = ()
    frame_bytes: int = 0
    notes: tuple[str, ...] = ()
    path: tuple[Frame, ...] = ()
    alignment: int = 1

    @property
    def bytes(self) -> int:
        """The whole bound in bytes."""
        counted = sum(each.bytes * each.times for each in self.interrupts)
        return self.main_bytes + self._padding_bytes + counted

    @property
    def _padding_bytes(self) -> int:
        """What aligns the stack pointer of the main thread when a handler begins."""
        return -self.main_bytes % self.alignment if self.interrupts else 0

    @property
    def parts(self) -> str:
        """Its parts, as text."""
        counted = [
            f"{each.name} {f'{each.times} x ' if each.times > 1 else ''}{each.bytes:,} B"
            for each in self.interrupts
        ]
        pushed = f" ({self.frame_bytes:,} B of each pushed by the processor)"
        words = ", ".join([f"main {self.main_bytes:,} B", *counted])
        padding = f", {self._padding_bytes:,} B for alignment" if self._padding_bytes else ""
        return words + (pushed if counted and self.frame_bytes else "") + padding


def nested(
    architecture: str,
    graph: CallGraph,
    main_bytes: int,
    found: Found,
    *,
    nesting: Mapping[str, int],
) -> StackBound:
    """The handlers that may be active at once, on top of the deepest place of the rest.

    Cortex-M: each vector once, because an active exception is not entered again; on ARMv6-M at most
    as many as there are priorities.  A handler that never returns ends the program, and counts
    once.  AVR: of the handlers that leave interrupts off, the deepest.
    `nesting`: how often a handler may be active, by name.  Raises UsageError for a handler
    that enables interrupts, and so may interrupt itself, but is not named, and for an unknown name.
    """
    names = {each.address: graph.name(each.address) for each in found.handlers}
    for name in nesting:
        if name not in names.values():
            hint = did_you_mean(name, sorted(names.values()))
            raise UsageError.at(graph.where, f"no interrupt handler is called '{name}'", hint=hint)
    interrupts: list[Interrupt] = []
    quiet: list[Interrupt] = []
    for each in found.handlers:
        name = names[each.address]
        size = aligned(graph.worst(each.address) + found.frame_bytes, found.alignment)
        lets_in = any(one.effect.lets_interrupts_in for one in graph.reached(each.address))
        if lets_in and name not in nesting:
            _refuse(graph, name)
        times = each.vectors if graph.returns(each.address) else 1
        is_quiet = architecture == "avr" and not lets_in
        (quiet if is_quiet else interrupts).append(Interrupt(name, size, nesting.get(name, times)))
    interrupts += sorted(quiet, key=lambda one: -one.bytes)[:1]
    interrupts.sort(key=lambda one: (-one.bytes, one.name))
    counted = tuple(_deepest(interrupts, found.levels))
    return StackBound(
        main_bytes, counted, found.frame_bytes, found.notes, alignment=found.alignment
    )


def _deepest(interrupts: Sequence[Interrupt], levels: int | None) -> Iterator[Interrupt]:
    """At most `levels` of the interrupts, the deepest first."""
    for each in interrupts:
        times = each.times if levels is None else min(each.times, levels)
        if levels is not None:
            levels -= times
        if times:
            yield Interrupt(each.name, each.bytes, times)


def _refuse(graph: CallGraph, name: str) -> None:
    raise UsageError.at(
        graph.where,
        f"interrupt handler {name} enables interrupts, so it can interrupt itself and the stack "
        "has no bound",
        hint="keep interrupts off in it, or state how deep it can nest: "
        f"TINYML_NESTING={{'{name}': 1}}",
    )
