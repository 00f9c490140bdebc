"""Models of a commit compile, within the budgets of their files of options: a hook of pre-commit.

python -m tinyml_rules.ci.check_models [--target A,B] [--run] FILE ...

A FILE is a model or the file of options next to one.  Without --target, a model is compiled for the
targets that its file of options has tables for, or else for this computer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from tinyml_rules import cli
from tinyml_rules.errors import TinymlError
from tinyml_rules.request.options_file import OPTIONS_SUFFIX, TARGET, options_file
from tinyml_rules.system.tables import read_toml

NO_PART = ("host",)


def main(words: Sequence[str] | None = None) -> int:
    """Check all; returns the greatest exit status."""
    parser = argparse.ArgumentParser(prog="check_models", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--target", default="", metavar="A,B", help="targets, parts or boards")
    parser.add_argument("--run", action="store_true", help="link and run each model too")
    options = parser.parse_args(words)
    given = tuple(filter(None, options.target.split(",")))
    return max(
        (
            status_of(model, target, is_run=options.run)
            for model in models_of(options.files)
            for target in given or targets_of(model)
        ),
        default=0,
    )


def models_of(files: Iterable[Path]) -> list[Path]:
    """The models, each once; a file of options without one is skipped."""
    found = set()
    for file in files:
        is_options = file.name.endswith(OPTIONS_SUFFIX)
        model = file.with_name(file.name.removesuffix(OPTIONS_SUFFIX) + ".tflite")
        found.add(model if is_options else file)
    return sorted(each for each in found if each.is_file() or each in files)


def targets_of(model: Path) -> tuple[str, ...]:
    """Those of the file of options; what is wrong with the file is left for the compiler to say."""
    file = options_file(model)
    try:
        table = read_toml(file, shown=str(file)).get(TARGET) if file.is_file() else None
    except TinymlError:
        return NO_PART
    return tuple(table) if isinstance(table, dict) and table else NO_PART


def status_of(model: Path, target: str, *, is_run: bool) -> int:
    """Compile or run a model; errors are printed, nothing is kept."""
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        verb = ("run", "--json") if is_run else ("compile", "--out", folder)
        return cli.main([*verb, "--target", target, str(model)])


if __name__ == "__main__":
    sys.exit(main())
