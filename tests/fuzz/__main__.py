"""`./tinyml fuzz [what=KIND,..] [seconds=SECONDS | runs=COUNT] [seed=NUMBER]`.

What was found new stays in build/fuzz/KIND, from which the next run goes on; an input that is
handled wrongly ends the run and stays in build/fuzz/faults.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Sequence

from tests.conftest import PROJECT
from tests.fuzz import image
from tests.fuzz.seeds import CORPUS, SEEDS, dictionary, write_seeds

FOLDER = PROJECT / "build" / "fuzz"
LIMITS = ("-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1")
"""Seconds and memory of one input."""
SIZES = {"reader": 8192, "descriptions": 4096, "round_trip": 4096, "image": 2048}
"""The longest input."""
SECONDS = "60"
_RUNS = re.compile(r"number_of_executed_units: (\d+)")
_COVERED = re.compile(r"cov: (\d+)")


def main(words: Sequence[str]) -> int:
    """Each kind in turn; the number of those that found a fault."""
    options = dict(word.split("=", 1) for word in words)
    kinds = options["what"].split(",") if "what" in options else list(SEEDS)
    asked = [f"-seed={options.get('seed', '1')}"]
    if "runs" in options:
        asked.append(f"-runs={options['runs']}")
    if "seconds" in options or "runs" not in options:
        asked.append(f"-max_total_time={options.get('seconds', SECONDS)}")
    return sum(not fuzz(kind, asked) for kind in kinds)


def fuzz(kind: str, asked: Sequence[str]) -> bool:
    """Whether a kind ended without a fault; prints a line."""
    folder, faults, log = FOLDER / kind, FOLDER / "faults", FOLDER / f"{kind}.log"
    folder.mkdir(parents=True, exist_ok=True)
    faults.mkdir(exist_ok=True)
    write_seeds(kind, FOLDER / "seeds" / kind)
    words = FOLDER / "words.dict"
    words.write_text(dictionary(), encoding="utf-8")
    command = [
        *program_of(kind),
        *asked,
        *LIMITS,
        f"-max_len={SIZES[kind]}",
        f"-artifact_prefix={faults / kind}-",
        *([f"-dict={words}", "-len_control=0"] if kind == "descriptions" else []),
        *(str(each) for each in (folder, CORPUS / kind, FOLDER / "seeds" / kind) if each.is_dir()),
    ]
    begin = time.monotonic()
    with log.open("wb") as file:
        status = subprocess.run(command, cwd=PROJECT, stdout=file, stderr=file, check=False)
    text = log.read_text(encoding="utf-8", errors="replace")
    runs, covered = _RUNS.findall(text), _COVERED.findall(text)
    found = "no fault" if status.returncode == 0 else f"a fault: {log}"
    figures = f"{runs[-1] if runs else '?'} inputs, {covered[-1] if covered else '?'} branches"
    print(f"{kind}: {figures}, {time.monotonic() - begin:.0f} s, {found}", flush=True)
    return status.returncode == 0


def program_of(kind: str) -> list[str]:
    """What is run."""
    if kind == "image":
        return [str(image.program(image.FUZZER, FOLDER / "program"))]
    return [sys.executable, "-m", "tests.fuzz.worker", kind]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
