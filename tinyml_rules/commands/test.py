"""`test`: run a model on its target's runner, and compare every byte with what is expected."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tinyml_rules.compile import Compiled
from tinyml_rules.report.budgets import budgets_of, check_run
from tinyml_rules.report.firmware import Profile
from tinyml_rules.runners.arrays import check_outputs, read_vectors, unpack_samples
from tinyml_rules.runners.figures import equal_summary
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.profile import profile_on_arrays
from tinyml_rules.target.target import Target


def add_test(parser: argparse.ArgumentParser) -> None:
    """Its own options, in addition to those of a model and a target."""
    parser.add_argument(
        "--vectors",
        type=Path,
        required=True,
        metavar="FILE",
        help=".npz with inputs and expected outputs by tensor name",
    )


def test_text(
    options: argparse.Namespace,
    compiled: Compiled,
    target: Target,
    marked: Callable[[], Compiled],
    *,
    show: Callable[[str], None],
) -> str:
    """One line on outputs that are all as expected; raises WrongOutputError for others, and
    OverBudgetError.  `marked`: the same model with marks, for a profile; `show` is given what is
    done now."""
    interface, where = compiled.interface, str(options.vectors)
    vectors = read_vectors(options.vectors, interface)
    show(f"{interface.name}: building for {target.name}, and running there")
    outcome = run_on_arrays(compiled, target, vectors, where=where)
    outputs = unpack_samples(interface, outcome.output)
    check_outputs(interface, outputs, vectors, where=f"{interface.name} on {target.name}")

    run = outcome.report.run

    def profiled() -> Profile:
        return profile_on_arrays(marked(), target, vectors, where=where, expected=outputs, run=run)

    check_run(run, budgets_of(compiled.report), where=interface.name, profiled=profiled)
    count = len(next(iter(outputs.values())))
    return equal_summary(interface.name, target, samples=count, run=run)
