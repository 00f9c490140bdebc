"""Runs a firmware on an emulator, and compares all that it printed with what this computer did.

python compare.py REPORT.txt PROGRAM_OF_THIS_COMPUTER EMULATOR ARGUMENT...

A line of either is `label answer scores...`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LINE = re.compile(r"^(\d+) (\d+)((?: -?\d+)+)(?=\.*$)", re.M)  # simavr shows "\n" as a point
COLOUR = re.compile(r"\x1b\[[\d;]*m")
TIMEOUT_S = 600


def answers(command: list[str]) -> list[tuple[str, str, str]]:
    """(label, answer, scores) of every sample that a program prints."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT_S,
        check=False,
    )
    found = LINE.findall(COLOUR.sub("", done.stdout + done.stderr))
    if not found:
        sys.exit(f"{' '.join(command)} gave no answers:\n{done.stdout}{done.stderr}")
    return found


def main(report: str, program: str, *emulator: str) -> None:
    """Write and print how many answers are right, or end with an error where any line differs."""
    expected, found = answers([str(Path(program).resolve())]), answers(list(emulator))
    if found != expected:
        differ = (pair[0] != pair[1] for pair in zip(found, expected, strict=False))
        first = next((number for number, is_other in enumerate(differ) if is_other), "none")
        counts = f"{len(found)} samples, expected {len(expected)}"
        sys.exit(f"{emulator[0]}: {counts}; the first that differs: {first}")
    right = sum(label == answer for label, answer, _ in found)
    text = f"{emulator[0]}: {right} of {len(found)} samples right, every score as on this computer"
    Path(report).write_text(f"{text}\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
