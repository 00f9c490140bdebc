"""Compiles our small C programs around the emulators, once, with the host's gcc."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.system.computer import program_file
from tinyml_rules.system.process import run_tool

_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")


def compile_cached(
    source: Path, *, flags: Sequence[str], cache: Path, folder: Path, headers: Sequence[Path] = ()
) -> Path:
    """The program or library made from `source` and its `headers`, from the cache if it is there.

    Its name is a hash of its sources, and it is moved into place complete, so that concurrent runs
    may share a cache.  Without a writable cache it is in `folder`, for this run only.
    """
    command = ["gcc", *_FLAGS]
    contents = [file.read_bytes() for file in (source, *headers)]
    key = hashlib.sha256(repr((contents, command, tuple(flags))).encode())
    name = f"{source.stem}-{key.hexdigest()[:16]}"
    name = name if "-shared" in flags else program_file(name)
    program = cache / name
    if program.exists():
        return program
    fresh = folder / name
    run_tool([*command, str(source), *flags, "-o", str(fresh)], where=source.name)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as staging:
            shutil.copy(fresh, staging)
            (Path(staging) / name).replace(program)
    except OSError:
        return fresh
    return program
