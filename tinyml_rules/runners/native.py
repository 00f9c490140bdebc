"""Compiles our own small C programs around the emulators, once, with the host's gcc."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.system.process import run_tool

_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")


def compile_cached(
    source: Path, *, flags: Sequence[str], cache: Path, folder: Path, headers: Sequence[Path] = ()
) -> Path:
    """The program or library made from `source` and its `headers`, from the cache if it is there.

    Named after what it is made from, and moved into place whole, so that runs side by side may
    share a cache.  Where nothing can be kept, it is in `folder`, of this run alone.
    """
    command = ["gcc", *_FLAGS]
    contents = [file.read_bytes() for file in (source, *headers)]
    key = hashlib.sha256(repr((contents, command, tuple(flags))).encode())
    name = f"{source.stem}-{key.hexdigest()[:16]}"
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
