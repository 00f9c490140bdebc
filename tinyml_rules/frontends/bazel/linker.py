"""The program of the action TinymlLink: a compiled model into an image that its target can run."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.errors import TinymlError
from tinyml_rules.firmware.build import build_image
from tinyml_rules.reporting.read import read_report
from tinyml_rules.system.files import read_file
from tinyml_rules.target.target import load_target


def main(arguments: Sequence[str]) -> int:
    """Link one test image; returns the exit status."""
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
    parser.add_argument("sources", type=Path, nargs="+")
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--targets", type=Path, action="append", required=True)
    options = parser.parse_args(arguments)
    try:
        target = load_target(options.target, search=options.targets)
        with tempfile.TemporaryDirectory() as folder:
            image = build_image(
                target,
                sources={file.name: read_file(file) for file in options.sources},
                interface=read_report(options.report).interface,
                kind="test",
                folder=Path(folder),
            )
            shutil.copyfile(image.elf, options.out)
    except TinymlError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
