"""Runs a test image for AVR on libsimavr, which counts the part's exact cycles."""

from __future__ import annotations

import re
from pathlib import Path

from tinyml_rules.firmware.support import FIRMWARE_FOLDER
from tinyml_rules.runners.job import Job, RunResult, check_ended_well
from tinyml_rules.runners.marks import parse_counts, read_switches, write_marks
from tinyml_rules.runners.native import compile_cached
from tinyml_rules.runners.simavr_skips import wrong_skips
from tinyml_rules.system.process import run_program, run_tool
from tinyml_rules.target.equipment import RUNNER_COUNTS

INVOKE_CYCLE_LIMIT = 20_000_000_000
"""An inference that takes longer is ended as hanging: it would be twenty minutes at 16 MHz."""

_SOURCE = Path(__file__).with_name("simavr_runner.c")
_HEADERS = (
    *map(_SOURCE.with_name, ("marks.h", "simavr_skips.h", "simavr_spi_memory.h")),
    FIRMWARE_FOLDER / "watches.h",
)
_FLAGS = (f"-I{FIRMWARE_FOLDER}", "-lsimavr")
_ACCOUNTS = re.compile(r"accounts=([^=\n]*)$", re.M)
DATA_SPACE = 0x80_0000
"""The linker adds this to data addresses, to distinguish them from flash addresses."""


def run(job: Job) -> RunResult:
    """Run the image from a flat copy of its flash: simavr's ELF loader drops some sections."""
    runner = compile_cached(
        _SOURCE, headers=_HEADERS, flags=_FLAGS, cache=job.cache, folder=job.folder
    )
    flash, samples, output = (job.folder / name for name in ("flash.bin", "in.bin", "out.bin"))
    where = f"{job.name} on {job.target.name}"
    toolchain = job.target.toolchain
    run_tool(toolchain.objcopy_command(job.elf, flash, output_format="binary"), where=where)
    samples.write_bytes(job.input_bytes)
    marks = job.folder / "marks.txt"
    if job.marks:
        write_marks(job.marks, marks)
    watches, records = _watches_of(job)
    command = [
        str(runner),
        job.target.runner.machine,
        str(flash),
        str(samples),
        str(output),
        *map(str, (job.addresses.invoke, job.addresses.mark)),
        *map(str, (job.addresses.stack_limit - DATA_SPACE, INVOKE_CYCLE_LIMIT)),
        "".join(f"{address}," for address in wrong_skips(job.elf)),
        str(marks if job.marks else ""),
        *((str(watches), str(records)) if job.watching else ("", "")),
        *([] if job.weights is None else [job.target.runner.select, str(job.weights.resolve())]),
    ]
    done = run_program(command, where=where, timeout_s=job.timeout_s, folder=job.folder)
    check_ended_well(job, done)
    report = done.stdout.decode()
    return RunResult(
        output=output.read_bytes(),
        counts=tuple(int(value) for value in re.findall(r"cycles=(\d+)", report)),
        count_unit=RUNNER_COUNTS[job.target.runner.kind],
        stack_bytes=max(map(int, re.findall(r"stack_bytes=(\d+)", report)), default=None),
        read_bytes=tuple(int(value) for value in re.findall(r"read_bytes=(\d+)", report)),
        accounts=tuple(parse_counts(each.split()) for each in _ACCOUNTS.findall(report)),
        records=records.read_bytes() if job.watching else b"",
        switches=read_switches(marks) if job.marks else (),
    )


def _watches_of(job: Job) -> tuple[Path, Path]:
    """The file of the reads, which is written here, and the file of the records."""
    watches = job.folder / "watches.txt"
    if job.watching:
        job.watching.write(watches)
    return watches, job.folder / "records.bin"
