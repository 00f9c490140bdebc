"""The program behind tinyml_test: runs an image on its target's emulator, compares every byte."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.arrays import check_outputs, pack_samples, read_vectors, unpack_samples
from tinyml_rules.errors import TinymlError
from tinyml_rules.figures import describe_run, equal_summary
from tinyml_rules.files import read_file
from tinyml_rules.firmware.image import Image
from tinyml_rules.report import interface_of
from tinyml_rules.runners import run_image
from tinyml_rules.target import load_target

TIMEOUT_S = 600.0


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
    """What is told of a run whose outputs are all as expected; raises ToolError for another."""
    target = load_target(options.target, search=options.targets)
    interface = interface_of(json.loads(read_file(options.report)))
    vectors = read_vectors(options.vectors, interface)
    image = Image(
        name=interface.name,
        invoke_symbol=interface.entry,
        kind="test",
        elf=options.image,
        map_file=options.image.with_suffix(".map"),
        objects=(),
        model_objects=(),
        weights=options.weights,
    )
    samples = pack_samples(interface, vectors, where=options.vectors.name)
    with tempfile.TemporaryDirectory() as folder:
        result = run_image(target, image, samples, timeout_s=TIMEOUT_S, cache=Path(folder))
    outputs = unpack_samples(interface, result.output)
    check_outputs(interface, outputs, vectors, where=f"{interface.name} on {target.name}")
    return equal_summary(
        interface.name,
        target,
        samples=len(next(iter(outputs.values()))),
        figures=describe_run(result, target, interface),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
