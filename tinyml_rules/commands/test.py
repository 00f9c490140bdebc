"""`test`: run a model on its target's runner, and compare every byte with what is expected."""

from __future__ import annotations

import argparse
from pathlib import Path

from tinyml_rules.commands.compiled import compiled_model, marked_model
from tinyml_rules.commands.console import Console
from tinyml_rules.reporting.budgets import budgets_of, check_run
from tinyml_rules.reporting.firmware import Profile
from tinyml_rules.request.command_line import add_compilation, chosen_target
from tinyml_rules.runners.arrays import check_outputs, read_vectors, unpack_samples
from tinyml_rules.runners.figures import equal_summary
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.profile import profile_on_arrays
from tinyml_rules.worst_case.budget import check_every_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a compilation, and its own."""
    add_compilation(parser)
    parser.add_argument(
        "--vectors",
        type=Path,
        required=True,
        metavar="FILE",
        help=".npz with inputs and expected outputs by tensor name",
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Print one line on outputs that are all as expected; raises WrongOutputError for others, and
    OverBudgetError."""
    target = chosen_target(options)
    compiled = compiled_model(options, target, console)
    interface, where = compiled.interface, str(options.vectors)
    vectors = read_vectors(options.vectors, interface)
    console.show(f"{interface.name}: building for {target.name}, and running there")
    outcome = run_on_arrays(compiled, target, vectors, where=where)
    outputs = unpack_samples(interface, outcome.output)
    check_outputs(interface, outputs, vectors, where=f"{interface.name} on {target.name}")

    figures = outcome.report.run

    def profiled() -> Profile:
        return profile_on_arrays(
            marked_model(options, target),
            target,
            vectors,
            where=where,
            expected=outputs,
            run=figures,
        )

    check_run(figures, budgets_of(compiled.report), where=interface.name, profiled=profiled)
    judged = check_every_run(compiled.request)
    count = len(next(iter(outputs.values())))
    summary = equal_summary(interface.name, target, samples=count, run=figures)
    console.result("\n".join(filter(None, (summary, judged))))
