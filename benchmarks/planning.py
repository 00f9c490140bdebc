"""What large models cost to compile: `python -m benchmarks.planning [CASE ...]`.

Wall time and peak memory of the whole compiler, the reader and the picture included, each case in a
process of its own, beside the arena that comes out and its lower bound.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from tests.support.large_models import LARGE
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

ONE = "--one"
ROW = "{:14} {:>8} {:>9} {:>12} {:>12}"


def main(words: list[str]) -> None:
    """Print a row for each case; with --one measure that case in this process."""
    if words[:1] == [ONE]:
        measure(words[1])
        return
    print(ROW.format("case", "seconds", "MB", "arena bytes", "lower bound"), flush=True)
    for case in words or LARGE:
        command = [sys.executable, "-m", "benchmarks.planning", ONE, case]
        subprocess.run(command, check=True)


def measure(case: str) -> None:
    """Compile the case and print its row."""
    model, target = LARGE[case](), load_target("host")
    start = time.perf_counter()
    report = compile_model(Request(model, "large", target)).report
    seconds = time.perf_counter() - start
    most_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = report.arena_bytes, report.arena_lower_bound_bytes
    row = ROW.format(case, f"{seconds:.2f}", f"{most_mb:.0f}", *(f"{each:,}" for each in figures))
    print(row)


if __name__ == "__main__":
    main(sys.argv[1:])
