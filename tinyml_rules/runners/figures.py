"""The figures that a build and a run add to a model's report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tinyml_rules.firmware.interrupts import StackBound
from tinyml_rules.firmware.measure import Consumer, ImageSize
from tinyml_rules.ir.interface import Interface
from tinyml_rules.reporting.firmware import (
    Build,
    InterruptHandler,
    LargeSymbol,
    ProgramSize,
    Run,
    StackFrame,
    Symbol,
)
from tinyml_rules.runners import RunResult
from tinyml_rules.target.target import Target


def describe_size(size: ImageSize, target: Target) -> Build:
    """The figures of the minimal firmware, in bytes; those of the part next to them."""
    memory = target.memory
    known = program_size(size.flash_bytes, size.static_ram_bytes, size.stack, size.symbols)
    return Build(
        flash_bytes=size.flash_bytes,
        ram_bytes=size.ram_bytes,
        static_ram_bytes=size.static_ram_bytes,
        stack_bytes=known.stack_bytes,
        stack_path=known.stack_path,
        interrupts=known.interrupts,
        invoke_stack_bytes=size.invoke_stack_bytes,
        largest=tuple(LargeSymbol(each.symbol, each.bytes, each.region) for each in size.largest),
        symbols=known.symbols,
        compiler_flags=tuple(flag for flag in target.toolchain.compile_flags if "/" not in flag),
        clock_hz=target.clock_hz,
        target_flash_bytes=memory.flash.bytes if memory else None,
        target_ram_bytes=memory.ram.bytes if memory else None,
    )


def program_size(
    flash_bytes: int, variables_bytes: int, bound: StackBound | None, symbols: Iterable[Consumer]
) -> ProgramSize:
    """Of a linked program: the worst-case stack is that of the deepest calls, with the interrupts
    that count on top; the initial value of a variable is in both memories."""
    handlers = bound.interrupts if bound else ()
    return ProgramSize(
        flash_bytes,
        variables_bytes + (bound.bytes if bound else 0),
        tuple(
            Symbol(
                each.symbol,
                each.bytes if each.is_stored else 0,
                each.bytes if each.region == "ram" else 0,
            )
            for each in symbols
        ),
        None if bound is None else bound.bytes,
        tuple(StackFrame(each.function, each.bytes) for each in (bound.path if bound else ())),
        tuple(InterruptHandler(each.name, each.bytes, each.times) for each in handlers),
    )


def equal_summary(name: str, target: Target, *, samples: int, run: Run | None) -> str:
    """One line on a run in which every output was as expected."""
    most = ""
    if run is not None:
        most = f", at most {run.count:,} {run.unit}"
    if run is not None and run.estimated_cycles is not None:
        most += f" (~{run.estimated_cycles:,} cycles)"
    return f"{name} on {target.name}: {samples} samples equal{most}"


def describe_run(result: RunResult, target: Target, interface: Interface) -> Run | None:
    """The most that one inference took, counted from the first instruction of each call to its end;
    None where nothing is counted.

    simavr counts cycles, from which the time at the part's clock follows; QEMU counts
    instructions, and estimates cycles and time if the core has a table of cycles; the host counts
    nothing.
    """
    if not result.counts:
        return None
    most = _most(result.counts, interface)
    slowest = max(result.counts) if interface.pushed_rows else None
    is_exact = result.count_unit == "cycles"
    read = _most(result.read_bytes, interface) if result.read_bytes else None
    run = Run(
        cycles=most if is_exact else None,
        instructions=None if is_exact else most,
        invoke_stack_measured_bytes=result.stack_bytes,
        cycles_of_slowest_row=slowest if is_exact else None,
        instructions_of_slowest_row=None if is_exact else slowest,
        external_bytes_read=read,
        milliseconds=_milliseconds(most, target) if is_exact else None,
    )
    if result.estimated_cycles and target.cycles:
        most = _most(result.estimated_cycles, interface)
        run = replace(
            run,
            estimated_cycles=most,
            estimated_cycles_source=target.cycles.source,
            estimated_milliseconds=_milliseconds(most, target),
        )
    return _with_energy(run, target)


def _milliseconds(cycles: int, target: Target) -> float | None:
    return round(1000 * cycles / target.clock_hz, 8) if target.clock_hz else None


def _with_energy(run: Run, target: Target) -> Run:
    """What the part draws meanwhile: always an estimate, from a typical figure of its maker."""
    time = run.estimated_milliseconds if run.milliseconds is None else run.milliseconds
    if target.power is None or time is None:
        return run
    return replace(
        run,
        estimated_microjoules=target.power.microjoules(time),
        estimated_microjoules_source=target.power.source,
    )


def _most(counts: Sequence[int], interface: Interface) -> int:
    """The largest count of an inference."""
    return max(sum(counts[start : start + interface.calls]) for start in starts(counts, interface))


def starts(counts: Sequence[int], interface: Interface) -> range:
    """The calls with which an inference may begin: of windows that slide any, because as many calls
    one after the other do the work of one window once all in flight are there."""
    step = 1 if interface.slide else interface.calls
    return range(0, max(len(counts) - interface.calls, 0) + 1, step)
