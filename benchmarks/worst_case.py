"""Which cases of the operators have a bound for their time, and how far it is above what was
measured: `./tinyml wcet-survey [operators=NAME,..] [target=A,B]`, which names the targets.

A case is one of those between which every kernel of an operator is used.  With known bits its own
samples have to take what the emulator counts, and give the same outputs.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.runners.model import build_test
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.worst_case.image import bound_of_image

EACH = 2
"""Cases of an operator."""


@dataclass(frozen=True)
class Surveyed:
    """A case: `ratio` of the bound to the most that was measured; `why` there is no bound."""

    target: str
    operator: str
    case: str
    is_real: bool
    ratio: float | None
    why: str = ""


def surveyed(target: Target, operator: str, name: str, folder: Path) -> Surveyed:
    """One case, built and run."""
    case = cases_of(operator)[name]
    graph = graph_of(case, name="m")
    is_real = any(each.dtype.is_real for each in graph.tensors)
    compiled = compile_model(Request(file_of(case), "m", target, loop_limits=True))
    image = build_test(compiled, target, folder=folder)
    samples = sample_bytes(case, graph)
    run = run_image(target, image, samples)
    counted = list(run.estimated_cycles or run.counts)
    try:
        _, known = bound_of_image(target, image, input_bytes=samples)
        assert known.output == run.output, f"{operator} {name}: other outputs"
        assert [each.most for each in known.calls] == counted, f"{operator} {name}: other counts"
        _, bound = bound_of_image(target, image)
    except UnsupportedError as error:
        why = error.problems[0].what
        return Surveyed(target.name, operator, name, is_real, None, why)
    most = max(each.most for each in bound.calls)
    assert most >= max(counted), f"{operator} {name}: a bound below what was measured"
    return Surveyed(target.name, operator, name, is_real, most / max(counted))


def survey(targets: Sequence[str], operators: Sequence[str]) -> Iterator[Surveyed]:
    """Every case, target by target."""
    for each in targets:
        target = load_target(each)
        for operator in operators:
            for name in list(samples_of(operator))[:EACH]:
                with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
                    yield surveyed(target, operator, name, Path(folder))


def table(found: Sequence[Surveyed]) -> str:
    """A row for integers and for real numbers on each target, and what has no bound."""
    lines = [
        "| target | cases | with a bound | bound over measured, middle | largest | none for |",
        "| --- | --- | --: | --: | --: | --- |",
    ]
    for target in dict.fromkeys(each.target for each in found):
        for word, is_real in (("integers", False), ("real numbers", True)):
            rows = [each for each in found if (each.target, each.is_real) == (target, is_real)]
            if not rows:
                continue
            ratios = [each.ratio for each in rows if each.ratio is not None]
            without = sorted({each.operator.upper() for each in rows if each.ratio is None})
            middle = f"{statistics.median(ratios):.3f}" if ratios else ""
            largest = f"{max(ratios):.3f}" if ratios else ""
            lines.append(
                f"| {target} | {word} | {len(ratios)} of {len(rows)} | {middle} | {largest} "
                f"| {', '.join(without)} |"
            )
    return "\n".join(lines) + "\n"


def main(words: Sequence[str]) -> None:
    """Print a line for each case, and the table."""
    given = dict(word.split("=", 1) for word in words)
    targets = given["target"].split(",")
    operators = given["operators"].split(",") if "operators" in given else OPERATORS
    found = []
    for each in survey(targets, operators):
        found.append(each)
        told = each.why if each.ratio is None else f"{each.ratio:.3f}"
        print(each.target, each.operator, each.case, told, sep="\t", flush=True)
    print(table(found))


if __name__ == "__main__":
    main(sys.argv[1:])
