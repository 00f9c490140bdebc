"""The program of tinyml_test: runs an image on its target's emulator, compares every byte."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.errors import TinymlError
from tinyml_rules.reporting.budgets import budgets_of
from tinyml_rules.reporting.read import read_report
from tinyml_rules.runners.arrays import read_vectors
from tinyml_rules.runners.linked import Linked, check_linked
from tinyml_rules.target.target import load_target
from tinyml_rules.worst_case.budget import check_every_run_of_image


def main(arguments: Sequence[str]) -> int:
    """Run one image on all samples; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--image", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--target", required=True)
    parser.add_argument("--targets", type=Path, action="append", required=True)
    options = parser.parse_args(arguments)
    try:
        print(_run(options))
    except TinymlError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


def _run(options: argparse.Namespace) -> str:
    """The text for a run whose outputs are all as expected."""
    target = load_target(options.target, search=options.targets)
    report = read_report(options.report)
    interface = report.interface
    vectors = read_vectors(options.vectors, interface)
    linked = Linked(target, interface, options.image, options.weights)
    with tempfile.TemporaryDirectory() as folder:
        summary = check_linked(
            linked,
            vectors,
            where=options.vectors.name,
            cache=Path(folder),
            budgets=budgets_of(report),
        )
        judged = check_every_run_of_image(report, linked.image, target, cache=Path(folder))
    return "\n".join(filter(None, (summary, judged)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
