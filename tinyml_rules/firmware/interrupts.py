"""How many interrupt handlers are active at once, and what they add to the stack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.firmware.calls import CallGraph
from tinyml_rules.firmware.handlers import Found


@dataclass(frozen=True)
class Interrupt:
    """Bytes that a handler takes each time, what the processor pushes included."""

    name: str
    bytes: int
    times: int


@dataclass(frozen=True)
class Frame:
    """A function of the deepest calls, and what it adds to the stack there."""

    function: str
    bytes: int


@dataclass(frozen=True)
class StackBound:
    """The worst-case stack: the calls from reset on, and the interrupts that count on top.

    `path`: the deepest of those calls, one after the other; together they are `main_bytes`.
    """

    main_bytes: int
    interrupts: tuple[Interrupt, ...] = ()
    frame_bytes: int = 0
    notes: tuple[str, ...] = ()
    path: tuple[Frame, ...] = ()

    @property
    def bytes(self) -> int:
        """All of it."""
        return self.main_bytes + sum(each.bytes * each.times for each in self.interrupts)

    @property
    def parts(self) -> str:
        """What it is made of, in words."""
        counted = [
            f"{each.name} {f'{each.times} x ' if each.times > 1 else ''}{each.bytes} B"
            for each in self.interrupts
        ]
        pushed = f" ({self.frame_bytes} B of each pushed by the processor)"
        words = ", ".join([f"main {self.main_bytes} B", *counted])
        return words + (pushed if counted and self.frame_bytes else "")


def nested(
    architecture: str,
    graph: CallGraph,
    main_bytes: int,
    found: Found,
    *,
    nesting: Mapping[str, int],
) -> StackBound:
    """The handlers that may be active at once, on top of the deepest place of the rest.

    Cortex-M: each vector once, for an exception that is active waits for its own end; of ARMv6-M's
    few priorities only as many.  A handler that never returns ends the program, and counts once.
    AVR: of those that leave interrupts off the deepest, which nobody interrupts.
    `nesting`: how often a handler may be active, by name.  Raises UsageError for one that lets
    interrupts in, so itself, and is not named, and for a name that no handler has.
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
        size = graph.worst(each.address) + found.frame_bytes
        lets_in = any(one.effect.lets_interrupts_in for one in graph.reached(each.address))
        if lets_in and name not in nesting:
            _refuse(graph, name)
        times = each.vectors if graph.returns(each.address) else 1
        is_quiet = architecture == "avr" and not lets_in
        (quiet if is_quiet else interrupts).append(Interrupt(name, size, nesting.get(name, times)))
    interrupts += sorted(quiet, key=lambda one: -one.bytes)[:1]
    interrupts.sort(key=lambda one: (-one.bytes, one.name))
    counted = tuple(_deepest(interrupts, found.levels))
    return StackBound(main_bytes, counted, found.frame_bytes, found.notes)


def _deepest(interrupts: Sequence[Interrupt], levels: int | None) -> Iterator[Interrupt]:
    """As many as there are levels, the deepest first."""
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
