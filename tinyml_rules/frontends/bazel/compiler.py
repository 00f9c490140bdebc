"""The program of the action TinymlCompile: a model into C, quietly."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.compile import compile_model
from tinyml_rules.errors import TinymlError
from tinyml_rules.files import read_file, write_files
from tinyml_rules.options import add_compile_options, request_of
from tinyml_rules.target import load_target


def main(arguments: Sequence[str]) -> int:
    """Compile one model; returns the exit status."""
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
    parser.add_argument("model", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--targets", type=Path, action="append", required=True)
    add_compile_options(parser)
    options = parser.parse_args(arguments)
    try:
        target = load_target(options.target, search=options.targets)
        request = request_of(options, read_file(options.model), options.name, target)
        write_files(compile_model(request).outputs, options.out)
    except TinymlError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
