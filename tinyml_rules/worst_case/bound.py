"""Runs a program in the abstract processor of its architecture, and reads what that tells."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.errors import ToolError, UnsupportedError
from tinyml_rules.runners.cycle_rules import rules_text
from tinyml_rules.runners.native import compile_cached
from tinyml_rules.system.process import run_program
from tinyml_rules.system.user_folder import user_cache
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.limits import limits_of
from tinyml_rules.worst_case.lines import MOST_MILLION_STEPS, Start, lines_of, memory_of
from tinyml_rules.worst_case.program import Program

_FOLDER = Path(__file__).parent
_SHARED = ("bits.h", "comparisons.h", "machine.h", "forks.h", "calls.h")
_ONE_SPACE = ("words.h", "accesses.h", "semihosting.h", "../runners/cycle_rules.h")
"""With one space of addresses, and a table of cycles."""
_THUMB = (
    *("arithmetic", "costs", "instructions"),
    *("long_instructions", "products", "lanes", "real", "float"),
)
_SOURCES = {
    "avr": ("avr_bound.c", "avr_arithmetic.h", "avr_instructions.h"),
    "arm": (
        *("thumb_bound.c", *(f"thumb_{each}.h" for each in _THUMB)),
        *("../runners/operands.h", *_ONE_SPACE),
    ),
    "riscv": ("riscv_bound.c", "riscv_decode.h", "riscv_instructions.h", *_ONE_SPACE),
}
"""By architecture, the source and its own headers."""
_FLAGS = {
    "avr": (),
    "arm": ("-Wno-unused-function", "-ffp-contract=off", "-lm"),
    "riscv": ("-O3", "-Wno-unused-function"),
}
_RULES = "cycles.txt"
TIMEOUT_S = 1800.0
_REFUSED = 70


@dataclass(frozen=True)
class Site:
    """An instruction for which bits of data mattered, in one account of a profile.

    `forks`: how often a branch ran both ways; `largest` and `total`: cycles by which these
    differed; `loads`, `stores`: accesses whose address depended on data.
    """

    address: int
    function: str
    account: int
    forks: int
    largest: int
    total: int
    loads: int
    stores: int


@dataclass(frozen=True)
class Call:
    """One call of the model: cycles that it takes at most and at least."""

    most: int
    least: int
    sites: tuple[Site, ...] = ()


@dataclass(frozen=True)
class Bound:
    """Calls of the model, until the state after one is that after an earlier one.

    `repeats`: the call that would come next.  `output`: of a run with known inputs.
    """

    calls: tuple[Call, ...]
    repeats: int
    output: bytes = b""


def bound_of(
    program: Program,
    start: Start,
    *,
    kept: Sequence[tuple[int, bytes]] | None = None,
    accounts: Mapping[int, int] | None = None,
    input_bytes: bytes | None = None,
    million_steps: int = MOST_MILLION_STEPS,
    cache: Path | None = None,
) -> Bound:
    """The bound; with `input_bytes`, which a test image reads, every bit is known.

    `kept`: RAM that is known where a run begins with the model.  `million_steps`: after so many
    million instructions it is given up.  Raises UnsupportedError where
    there is no bound, with the function and the address.
    """
    with tempfile.TemporaryDirectory(prefix="tinyml-") as name:
        folder = Path(name)
        lines, memory, samples, output = (
            folder / each for each in ("lines.txt", "memory.bin", "in.bin", "out.bin")
        )
        text = lines_of(program, start, limits_of(program), accounts or {}, million_steps)
        lines.write_text(text, encoding="ascii", newline="\n")
        memory.write_bytes(memory_of(program, kept))
        if program.target.cycles is not None:
            rules = rules_text(program.target.cycles, program.target.architecture)
            (folder / _RULES).write_text(rules, encoding="ascii", newline="\n")
        command = [str(_runner(program.target, folder, cache)), str(lines), str(memory)]
        if input_bytes is not None:
            samples.write_bytes(input_bytes)
            command += [str(samples), str(output)]
        where = f"{program.elf.name} on {program.target.name}"
        done = run_program(command, where=where, timeout_s=TIMEOUT_S, folder=folder)
        found = done.stdout.decode()
        if done.returncode not in (0, _REFUSED):
            ending = done.stderr.decode(errors="replace").strip()
            raise ToolError.at(where, f"ended with exit status {done.returncode}: {ending}")
        return _read(program, found, output.read_bytes() if output.exists() else b"", where=where)


def _runner(target: Target, folder: Path, cache: Path | None) -> Path:
    source, *headers = _SOURCES[target.architecture]
    return compile_cached(
        _FOLDER / source,
        headers=[_FOLDER / each for each in (*_SHARED, *headers)],
        flags=_FLAGS[target.architecture],
        cache=(cache or user_cache()).resolve(),
        folder=folder,
    )


def _read(program: Program, text: str, output: bytes, *, where: str) -> Bound:
    calls: list[Call] = []
    repeats = 0
    for line in text.splitlines():
        word, *values = line.split(" ")
        match word:
            case "call":
                most, least = map(int, values)
                calls.append(Call(most, least))
            case "site":
                address = int(values[0], 16)
                site = Site(address, program.function_at(address), *map(int, values[1:]))
                if calls:
                    calls[-1] = replace(calls[-1], sites=(*calls[-1].sites, site))
            case "repeats":
                repeats = int(values[0])
            case "refused":
                _refuse(program, int(values[0], 16), " ".join(values[1:]), where)
            case "unfinished":
                what = f"the state after a call is a new one for {len(calls):,} calls"
                raise UnsupportedError.at(where, f"no bound: {what}")
    return Bound(tuple(calls), repeats, output)


def _refuse(program: Program, address: int, why: str, where: str) -> None:
    function = program.function_at(address)
    instruction = program.code.instructions.get(address)
    text = f", {instruction.text.replace(chr(9), ' ')}" if instruction else ""
    what = f"no bound: {function} at {address:#x}{text}: {why}"
    raise UnsupportedError.at(where, what)
