"""What the code of each kernel takes on each kind of core: the table of `fit`'s estimates.

`python -m generate.code_table --models FOLDER`, in the project's folder, builds the operators'
cases as minimal firmware and writes the table; half an hour.  Every figure is that of a linked
image.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import ceil, floor, log
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.layer_figures import TARGETS
from benchmarks.results import rows_of
from tests.plan.chains import random_chain
from tests.support.operator_cases import OPERATORS, cases_of, file_of
from tinyml_rules.compiler import compile_model, plan_program, select_program
from tinyml_rules.errors import TinymlError
from tinyml_rules.fitting.estimate import (
    CODE_FILE,
    CodeTable,
    Error,
    KernelSize,
    estimated,
    parts_of_file,
)
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.rounding import plain_kernel
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners.model import build_minimal
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.target.toolchain import Memory

KINDS = (*TARGETS, "atmega328")
"""One target of each set of features."""
RESULTS = Path("models/results.json")
Case = tuple[int, int]
"""Code beside constants, RAM beside what is planned."""
Known = tuple[Program, int, int]
"""A program and the same two figures."""
Pairs = list[tuple[int, int]]
MOST_STEP_BYTES = 400
CHAINS = 12
ROOM_BYTES = {"avr": 60_000}
"""Of each memory, so that nothing fails to fit."""


def roomy(target: Target) -> Target:
    """The same with memories that hold all cases."""
    assert target.memory
    room = ROOM_BYTES.get(target.architecture, 8 << 20)
    flash = replace(target.memory.flash, bytes=max(room, target.memory.flash.bytes))
    ram = replace(target.memory.ram, bytes=max(room, target.memory.ram.bytes))
    return replace(target, memory=Memory(**{**vars(target.memory), "flash": flash, "ram": ram}))


def measured(request: Request, folder: Path) -> tuple[int, int]:
    """Code beside the constants, and RAM beside what is planned, of the minimal firmware."""
    compiled = compile_model(request)
    _, size = build_minimal(compiled, request.target, folder=folder)
    report = compiled.report
    return size.flash_bytes - report.constant_bytes, size.ram_bytes - report.model_ram_bytes


def single_cases(target: Target) -> Mapping[str, list[Request]]:
    """{kernel: requests} of models whose one step runs it: first the one with the largest
    output, of which a compiler unrolls the least, then those whose steps see the fewest and the
    most values at once."""
    found: dict[str, list[tuple[int, int, Request]]] = {}
    for case in (each for operator in OPERATORS for each in cases_of(operator).values()):
        request = Request(file_of(case), "model", target)
        try:
            program = select_program(request)
        except TinymlError:
            continue
        if len(program.steps) <= 1 and not program.called:
            graph, steps = program.graph, program.steps
            size = sum(graph.tensors[index].size_bytes for index in graph.outputs)
            name, patch = (plain_kernel(steps[0].kernel.name), steps[0].patch) if steps else ("", 0)
            found.setdefault(name, []).append((size, patch, request))
    return {name: list(_chosen(cases)) for name, cases in found.items()}


def _chosen(cases: list[tuple[int, int, Request]]) -> Iterator[Request]:
    largest = max(cases, key=lambda case: case[0])
    least, most = (end(cases, key=lambda case: case[1]) for end in (min, max))
    for case in dict.fromkeys((largest, least, most)):
        if case is largest or case[1] != largest[1]:
            yield case[2]


def raw_table(name: str) -> dict[str, list[Case]]:
    """{kernel: its cases} of one target, as they were measured."""
    found: dict[str, list[Case]] = {}
    for kernel, cases in single_cases(roomy(load_target(name))).items():
        for request in cases:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    figures = measured(request, Path(folder))
                except TinymlError:
                    continue  # no minimal firmware calls a user's functions
            found.setdefault(kernel, []).append(figures)
    return found


def table_of(name: str, raw: Mapping[str, list[Case]], models: Path) -> dict[str, Any]:
    """One target's part of the file: what each kernel adds to an empty firmware; what else a step
    takes, and how far all that is off, by the models of the zoo."""
    (empty_code, empty_ram), *_ = raw[""]
    kernels = {
        kernel: _size(cases, empty_code, empty_ram) for kernel, cases in raw.items() if kernel
    }
    empty = CodeTable(empty_code, empty_ram, 0, Error(1, 1, 0), Error(1, 1, 0), kernels)
    zoo, chains = list(_zoo(name, models)), list(_chains(name))
    tables = [replace(empty, step_bytes=number) for number in range(0, MOST_STEP_BYTES, 2)]
    table = min(tables, key=lambda each: _worst(_pairs(each, zoo)[0]))
    return {
        "code_bytes": empty_code,
        "ram_bytes": empty_ram,
        "step_bytes": table.step_bytes,
        "code": list(vars(_error(_pairs(table, zoo)[0], _pairs(table, chains)[0])).values()),
        "ram": list(vars(_error(_pairs(table, zoo)[1], _pairs(table, chains)[1])).values()),
        "kernels": {kernel: list(vars(size).values()) for kernel, size in sorted(kernels.items())},
    }


def _pairs(table: CodeTable, known: list[Known]) -> tuple[Pairs, Pairs]:
    """(estimated, measured) of the code, and of the RAM."""
    found = [(estimated(program, table), code, ram) for program, code, ram in known]
    codes = [(codes, code) for (codes, _), code, _ in found]
    return codes, [(rams, ram) for (_, rams), _, ram in found]


def _worst(pairs: Pairs) -> float:
    return max(abs(log(measured / estimate)) for estimate, measured in pairs)


def _error(zoo: Pairs, chains: Pairs) -> Error:
    """Factors of the zoo, and by how many bytes small models are beside those at most."""
    factors = [measured / estimate for estimate, measured in zoo]
    least, most = floor(min(factors) * 100) / 100, ceil(max(factors) * 100) / 100
    more = max(measured - most * estimate for estimate, measured in chains)
    less = max(least * estimate - measured for estimate, measured in chains)
    return Error(least, most, max(0, ceil(more), ceil(less)))


def _size(cases: list[Case], empty_code: int, empty_ram: int) -> KernelSize:
    """Code is that of the first case, RAM the most of all."""
    ram = max(ram for _, ram in cases) - empty_ram
    return KernelSize(max(0, cases[0][0] - empty_code), max(0, ram))


def _zoo(name: str, models: Path) -> Iterator[Known]:
    """(program, code, RAM that is not planned) of each pair of `matrix`, as it was linked."""
    for row in rows_of(RESULTS.read_text(encoding="utf-8")):
        if row.target == name and row.flash_bytes is not None and row.ram_bytes is not None:
            data = (models / f"{row.model}.tflite").read_bytes()
            request = Request(data, row.model, load_target(name), **_settings(row.settings))
            steps, plan = plan_program(select_program(request), request)
            constants = steps.program.constant_bytes
            yield steps.program, row.flash_bytes - constants, row.ram_bytes - plan.ram_bytes


def _chains(name: str) -> Iterator[Known]:
    """The same of random models of a few layers."""
    for seed in range(CHAINS):
        generator = np.random.default_rng(seed)
        request = Request(random_chain(partial(_drawn, generator)), "model", load_target(name))
        program = plan_program(select_program(request), request)[0].program
        with tempfile.TemporaryDirectory() as folder:
            yield program, *measured(request, Path(folder))


def _drawn(generator: np.random.Generator, low: int, high: int) -> int:
    return int(generator.integers(low, high + 1))


def _settings(words: str) -> dict[str, Any]:
    given = dict(word.partition("=")[::2] for word in words.split())
    found: dict[str, Any] = {"push_rows": True} if "push_rows" in given else {}
    found |= {"weights": Weights(given["weights"])} if "weights" in given else {}
    return found | ({"optimize": Optimize(given["optimize"])} if "optimize" in given else {})


def main() -> None:
    """Measure what is asked for, or all, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="the folder of the zoo's models")
    parser.add_argument("--kind", action="append", help="one target alone (default: all)")
    options = parser.parse_args()
    tables = parts_of_file() if CODE_FILE.exists() else {}
    for name in options.kind or KINDS:
        tables[name] = table_of(name, raw_table(name), options.models)
    CODE_FILE.write_text(code_text(tables), encoding="utf-8")


def code_text(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """JSON: a kind a line, then a kernel a line with its sizes on each of them, null where none of
    its cases are for that kind."""
    heads = {
        name: {key: value for key, value in table.items() if key != "kernels"}
        for name, table in tables.items()
    }
    names = sorted({name for table in tables.values() for name in table["kernels"]})
    rows = {name: [table["kernels"].get(name) for table in tables.values()] for name in names}
    parts = (
        f'  "{key}": {{\n{_lines(of)}\n  }}' for key, of in (("kinds", heads), ("kernels", rows))
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(rows: Mapping[str, Any]) -> str:
    return ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())


if __name__ == "__main__":
    main()
