"""Runs a test image on what its target names as runner, and counts what each inference takes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.watch import Watch
from tinyml_rules.runners import host, qemu, simavr
from tinyml_rules.runners.job import Job, RunResult, read_addresses
from tinyml_rules.runners.marks import every_mark, read_marks
from tinyml_rules.runners.watching import Watching, watching_of
from tinyml_rules.system.user_folder import user_cache
from tinyml_rules.target.missing import require_tools
from tinyml_rules.target.target import Target

__all__ = ["RunResult", "run_image"]

_RUNNERS: Mapping[str, Callable[[Job], RunResult]] = {
    "host": host.run,
    "qemu": qemu.run,
    "simavr": simavr.run,
}


def run_image(
    target: Target,
    image: Image,
    input_bytes: bytes,
    *,
    invoke_symbol: str | None = None,
    timeout_s: float = 300.0,
    cache: Path | None = None,
    watches: Sequence[Watch] = (),
) -> RunResult:
    """Run `image`, of kind `test`, on every sample of `input_bytes`.

    A sample is the int8 values of all inputs, one after another; the output is laid out alike.
    Counts are from the first instruction of `invoke_symbol` (default: the image's own) until
    it has returned; those of an image with marks are given by account as well.  `cache`: where our
    own programs around the emulators are kept (default: the user's folder for such).

    Raises ToolError if a tool is missing, or if the image crashes, hangs or finds its input cut off
    inside a sample.
    """
    require_tools(target, for_runs=True)
    assert image.kind == "test", "the minimal image neither reads input nor ends"
    watching = _watching(target, image, watches) if watches else None
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        job = Job(
            target=target,
            name=image.name,
            elf=image.elf.resolve(),
            addresses=read_addresses(image.elf, invoke_symbol or image.invoke_symbol),
            input_bytes=input_bytes,
            timeout_s=timeout_s,
            folder=Path(folder),
            cache=(cache or user_cache()).resolve(),
            weights=image.weights,
            marks={} if watching else read_marks(image.elf),
            watching=watching,
        )
        return _RUNNERS[target.runner.kind](job)


def _watching(target: Target, image: Image, watches: Sequence[Watch]) -> Watching:
    return watching_of(
        image.elf,
        watches,
        every_mark(image.elf),
        data_origin=simavr.DATA_SPACE if target.runner.kind == "simavr" else 0,
        mode_bit=qemu.mode_bit(target),
    )
