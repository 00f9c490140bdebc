"""What a long model costs: `python -m benchmarks.long_chains [CASE ...]`.

CPU seconds and peak memory of whole commands, Python's start included: `compile` for the host, and
`inspect`.  tests/plan/test_large.py counts what these measure.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support.large_models import foldable, own_constants, relus, tangle

ROW = "{:24} {:>10} {:>10} {:>8}"
CASES: Mapping[str, Callable[[], bytes]] = {
    "convolutions 1,000": lambda: own_constants(1_000),
    "convolutions 10,000": lambda: own_constants(10_000),
    "constants 20,000": lambda: foldable(20_000),
    "tangle 20,000": lambda: tangle(20_000),
    "relus 20,000": lambda: relus(20_000),
    "relus 100,000": lambda: relus(100_000),
}
"""By the kind of its nodes, and how many there are."""


def main(cases: list[str]) -> None:
    """Print a row for each case."""
    print(ROW.format("CPU seconds of", "compile", "inspect", "MB"), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases or CASES:
            model = Path(folder) / "chain.tflite"
            model.write_bytes(CASES[case]())
            target = ["--target", "host", "--out", folder, "--quiet"]
            seconds = [cpu_seconds("compile", str(model), *target)]
            seconds.append(cpu_seconds("inspect", str(model)))
            most_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(ROW.format(case, *(f"{each:.1f}" for each in seconds), f"{most_mb:.0f}"))


def cpu_seconds(*words: str) -> float:
    """Of one command, in the program and in the system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "tinyml_rules", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:])
