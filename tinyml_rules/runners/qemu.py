"""Runs a test image on QEMU, which counts instructions: it does not know a part's cycles.

Where the part's core has a table of them (target/cycles.py), they are estimated as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tinyml_rules.errors import ToolError
from tinyml_rules.runners.cycle_rules import rules_text
from tinyml_rules.runners.debugger import run_watched
from tinyml_rules.runners.job import Job, RunResult, check_ended_well, put_weights_file
from tinyml_rules.runners.marks import parse_counts, read_switches, write_marks
from tinyml_rules.runners.native import compile_cached
from tinyml_rules.runners.watching import Watching
from tinyml_rules.system.process import run_program
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.target import Target

_SOURCE = Path(__file__).with_name("qemu_plugin.c")
_HEADERS = tuple(map(_SOURCE.with_name, ("cycle_rules.h", "marks.h", "operands.h", "pipeline.h")))
_FLAGS = ("-shared", "-fPIC")
_MARKS = "marks.txt"
_THUMB_BIT = 1
_NO_PLUGIN = re.compile(r"-plugin: invalid option|plugin .*(?:requires|version)|load plugin", re.I)


def run(job: Job) -> RunResult:
    """Run the image by semihosting, on files in the job's folder."""
    return _watched(job, job.watching) if job.watching else _counted(job)


def _counted(job: Job) -> RunResult:
    plugin = compile_cached(
        _SOURCE, headers=_HEADERS, flags=_FLAGS, cache=job.cache, folder=job.folder
    )
    where = f"{job.name} on {job.target.name}"
    names = ("input.bin", "output.bin", "stack.bin", "counts.txt")
    samples, output, stack, counts = (job.folder / name for name in names)
    samples.write_bytes(job.input_bytes)
    put_weights_file(job)
    done = run_program(
        _command(job, *_plugin(job, plugin, counts)),
        where=where,
        timeout_s=job.timeout_s,
        folder=job.folder,
    )
    message = done.stderr.decode(errors="replace")
    if done.returncode != 0 and _NO_PLUGIN.search(message):
        program = job.target.runner.program
        raise ToolError.at(
            where,
            f"{program} cannot load the plugin that counts instructions: {message.strip()}",
            hint="use QEMU 4.2 to 8.2, built with --enable-plugins, as Debian 12 has it",
        )
    check_ended_well(job, done)
    lines = [line.split() for line in counts.read_text().splitlines()]
    figures = [tuple(map(int, line[0].split(":"))) for line in lines]
    return RunResult(
        output=output.read_bytes() if output.exists() else b"",
        counts=tuple(count for count, _ in figures),
        count_unit=RUNNER_COUNTS[job.target.runner.kind],
        stack_bytes=int.from_bytes(stack.read_bytes(), "little") if stack.exists() else None,
        accounts=tuple(parse_counts(line[1:]) for line in lines) if job.marks else (),
        switches=read_switches(job.folder / _MARKS) if job.marks else (),
        estimated_cycles=tuple(cycles for _, cycles in figures) if job.target.cycles else (),
    )


def _watched(job: Job, watching: Watching) -> RunResult:
    """The same through QEMU's debugger interface instead of the plugin, which cannot read
    memory."""
    (job.folder / "input.bin").write_bytes(job.input_bytes)
    put_weights_file(job)
    done, records = run_watched(
        _command(job),
        watching,
        cpus=(job.target.runner.cpu, job.target.architecture),
        folder=job.folder,
        where=f"{job.name} on {job.target.name}",
        timeout_s=job.timeout_s,
    )
    check_ended_well(job, done)
    output = job.folder / "output.bin"
    return RunResult(
        output=output.read_bytes() if output.exists() else b"",
        counts=(),
        count_unit=RUNNER_COUNTS[job.target.runner.kind],
        stack_bytes=None,
        records=records,
    )


def mode_bit(target: Target) -> int:
    """Bits of a code address that are not part of it (Thumb)."""
    return _THUMB_BIT if target.architecture == "arm" else 0


def _plugin(job: Job, plugin: Path, counts: Path) -> tuple[str, ...]:
    addresses = (job.addresses.invoke, job.addresses.mark)
    start, stop = (each & ~mode_bit(job.target) for each in addresses)
    options = [f"start={start:#x}", f"stop={stop:#x}", f"output={counts}"]
    options += [*_files(job), *_word_ranges(job)]
    return "-plugin", ",".join([str(plugin), *options])


def _command(job: Job, *options: str) -> list[str]:
    runner = job.target.runner
    return [
        runner.program,
        *("-machine", runner.machine),
        *(("-cpu", runner.cpu) if runner.cpu else ()),
        *runner.arguments,
        *("-display", "none", "-monitor", "none", "-serial", "none"),
        *("-semihosting-config", "enable=on,target=native"),
        *options,
        *("-kernel", str(job.elf)),
    ]


def _files(job: Job) -> Iterator[str]:
    """Arguments of the plugin for its files, which are written into the job's folder."""
    if job.marks:
        marks = job.folder / _MARKS
        write_marks({each & ~mode_bit(job.target): job.marks[each] for each in job.marks}, marks)
        yield f"marks={marks}"
    if job.target.cycles:
        rules = job.folder / "cycles.txt"
        text = rules_text(job.target.cycles, job.target.architecture)
        rules.write_text(text, encoding="ascii", newline="\n")
        yield f"cycles={rules}"
        if any(rule.after_load != rule.cost for rule in job.target.cycles.rules):
            yield from (f"memory={each}" for each in _memories(job.target).values())


def _word_ranges(job: Job) -> Iterator[str]:
    """What the plugin gets for a memory without bytes."""
    memories = _memories(job.target)
    yield from (f"words={memories[name]}" for name in job.target.runner.word_access)


def _memories(target: Target) -> dict[str, str]:
    """FIRST:LAST address by name."""
    memory = target.test_memory
    assert memory is not None, "every emulated target has one"
    regions = {"flash": memory.flash, "ram": memory.ram, **memory.regions}
    return {
        name: f"{each.origin:#x}:{each.origin + each.bytes - 1:#x}"
        for name, each in regions.items()
    }
