"""Which cases of the operators have a bound for their time, and how far it is above what was
measured: `./tinyml wcet-survey [operators=NAME,..] [target=A,B] [shard=I/N] [docs=yes]`, which
names the targets; `docs=yes` writes what it found into benchmarks/worst_case.json, and the page.

A case is one of those between which every kernel of an operator is used.  With known bits its own
samples, and some at random, have to take what the emulator counts, and give the same outputs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.worst_case_figures import (
    FIGURES,
    BoundRow,
    bound_rows,
    missing_rows,
    reason_of,
    rows_of_bounds,
    text_of,
    with_new,
)
from tests.support.kept_objects import run_kept
from tests.support.operator_cases import (
    OPERATORS,
    cases_of,
    file_of,
    graph_of,
    sample_bytes,
    samples_of,
)
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import Interface
from tinyml_rules.reporting.rows import plain
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.runners.model import build_test
from tinyml_rules.system import process
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.worst_case.bound import bound_of
from tinyml_rules.worst_case.image import start_of_image
from tinyml_rules.worst_case.inference import random_samples
from tinyml_rules.worst_case.program import read_program

EACH = 2
"""Cases of an operator."""
SEED = 11
MORE = 20
"""Samples at random, where no input holds places, conditions or counts."""
MILLION_STEPS = 50
"""Instructions of a case: real numbers in software may take more than anyone waits for."""
WORDS = ("operators", "target", "shard", "docs")
OF_ITS_OWN = ("while",)
"""Operators that run for ever with some inputs."""
WITH_EXTREMES = (
    *("floor_div", "floor_mod", "pow", "signal_fft_auto_scale", "signal_filter_bank_log"),
    *("signal_filter_bank_square_root", "signal_pcan"),
)
"""Operators that take longest for some numbers: each input is filled with one, of any size."""
EXTREMES = (2**31 - 1, -(2**31), -1, 1, 3, 0x5555_5555)
FILLED = 400
MOST_PLACES = 31
"""An input of one number is a shift."""
_OF_ANY_VALUE = (DType.INT8, DType.INT16, DType.FLOAT32)


def surveyed(target: Target, operator: str, name: str, folder: Path) -> BoundRow:
    """One case, built and run."""
    case = cases_of(operator)[name]
    graph = graph_of(case, name="m")
    is_real = any(each.dtype.is_real for each in graph.tensors)
    compiled = compile_model(Request(file_of(case), "m", target, loop_limits=True))
    image = build_test(compiled, target, folder=folder)
    more = _more(operator, compiled.interface)
    samples = sample_bytes(case, graph) + more
    run = run_image(target, image, samples)
    counted = list(run.estimated_cycles or run.counts)
    program = read_program(target, image.elf)
    start = start_of_image(program, image)
    bound, why = None, ""
    try:
        known = bound_of(program, start, input_bytes=samples)
        assert known.output == run.output, f"{operator} {name}: other outputs"
        assert [each.most for each in known.calls] == counted, f"{operator} {name}: other counts"
        bound = max(e.most for e in bound_of(program, start, million_steps=MILLION_STEPS).calls)
    except UnsupportedError as error:
        why = reason_of(error.problems[0].what)
    assert bound is None or bound >= max(counted), f"{operator} {name}: takes more than its bound"
    return BoundRow(target.name, operator, name, is_real, max(counted), bound, why)


def _more(operator: str, interface: Interface) -> bytes:
    """Samples at random, or of extremes."""
    types = {each.dtype for each in interface.inputs}
    if operator in WITH_EXTREMES and not any(each.is_real for each in types):
        return _extremes(interface) + _filled(interface)
    if operator in OF_ITS_OWN or not types.issubset(_OF_ANY_VALUE):
        return b""
    return random_samples(interface, MORE)


def _extremes(interface: Interface) -> bytes:
    """All tuples of extremes, where inputs are int32."""
    if {each.dtype for each in interface.inputs} != {DType.INT32}:
        return b""
    found = []
    for values in product(EXTREMES, repeat=len(interface.inputs)):
        for port, value in zip(interface.inputs, values, strict=True):
            found.append(np.full(port.shape, value, np.int32).tobytes())
    return b"".join(found)


def _filled(interface: Interface) -> bytes:
    """Numbers of as many bits as others: any ones, or those with all bits set."""
    random = np.random.default_rng(SEED)
    found = []
    for _ in range(FILLED):
        for port in interface.inputs:
            least, most = port.dtype.limits
            bits = int(random.integers(0, most.bit_length() + 1))
            ones = (1 << bits) - 1
            value = ones if random.random() < 0.5 else ones & int(random.integers(0, 2**63))
            value = -value if least < 0 and random.random() < 0.5 else value
            value = abs(value) % (MOST_PLACES + 1) if port.shape == () else value
            found.append(np.full(port.shape, value, port.dtype.numpy).tobytes())
    return b"".join(found)


@dataclass(frozen=True)
class Asked:
    """The words of the verb; of the cases every `of`-th one from `first` on."""

    targets: tuple[str, ...]
    operators: tuple[str, ...]
    first: int
    of: int
    is_recorded: bool


def asked_of(words: Sequence[str]) -> Asked:
    """Raises ValueError for an unknown word, operator or share."""
    given = dict(word.partition("=")[::2] for word in words)
    for word, value in given.items():
        if word not in WORDS or not value:
            raise ValueError(f"unknown '{word}', expected {', '.join(WORDS)} and a value")
    operators = tuple(given["operators"].split(",")) if "operators" in given else OPERATORS
    for each in operators:
        if each not in OPERATORS:
            raise ValueError(f"unknown operator '{each}'")
    share = [int(each) if each.isdecimal() else 0 for each in given.get("shard", "1/1").split("/")]
    if len(share) != 2 or not 1 <= share[0] <= share[1]:
        raise ValueError(f"'shard' is '{given['shard']}', expected 1/2 for the first of two")
    targets = tuple(given["target"].split(","))
    return Asked(targets, operators, share[0] - 1, share[1], given.get("docs") == "yes")


def survey(asked: Asked) -> Iterator[BoundRow]:
    """Every case that is asked for, target by target."""
    cases = [(each, name) for each in asked.operators for name in list(samples_of(each))[:EACH]]
    for target in map(load_target, asked.targets):
        for operator, name in cases[asked.first :: asked.of]:
            with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
                yield surveyed(target, operator, name, Path(folder))


def main(words: Sequence[str]) -> int:
    """Print a line for each case, and the tables; returns the exit status."""
    try:
        asked = asked_of(words)
    except ValueError as error:
        print(f"tinyml: wcet-survey: error: {error}", file=sys.stderr)
        return 2
    process.run_program = run_kept  # what all images share is compiled once
    found = []
    for row in survey(asked):
        found.append(row)
        told = row.why if row.ratio is None else f"{row.ratio:.3f}"
        print(row.target, row.operator, row.case, told, sep="\t", flush=True)
    for table in (bound_rows(found), missing_rows(found)):
        print(plain(table) if table else "")
    if asked.is_recorded:
        known = rows_of_bounds(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else []
        FIGURES.write_text(text_of(with_new(known, found)), encoding="utf-8")
        return subprocess.run([sys.executable, "-m", "generate"], check=False).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
