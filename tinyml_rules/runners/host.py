"""Runs a test image of the host itself.  Counts nothing: its timing says nothing about a part."""

from __future__ import annotations

from tinyml_rules.runners.job import Job, RunResult, check_ended_well, put_weights_file
from tinyml_rules.system.process import run_program
from tinyml_rules.target.equipment import RUNNER_COUNTS


def run(job: Job) -> RunResult:
    """Samples go in by standard input and come back by standard output."""
    put_weights_file(job)
    records = job.folder / "records.bin"  # as targets/host/watches.c names them
    if job.watching:
        job.watching.write(job.folder / "watches.txt")
    done = run_program(
        [str(job.elf)],
        where=f"{job.name} on {job.target.name}",
        timeout_s=job.timeout_s,
        folder=job.folder,
        input_bytes=job.input_bytes,
    )
    check_ended_well(job, done)
    return RunResult(
        output=done.stdout,
        counts=(),
        count_unit=RUNNER_COUNTS[job.target.runner.kind],
        stack_bytes=None,
        records=records.read_bytes() if job.watching else b"",
    )
