"""Compiles our own small C programs around the emulators, once, with the host's gcc."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.runners.job import Job
from tinyml_rules.system.process import run_tool

_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")


def user_cache() -> Path:
    """Where programs of ours are kept for all projects of a user; it need not be there."""
    told = Path(os.environ.get("XDG_CACHE_HOME", ""))
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - which raises nothing without a home
    return (told if told.is_absolute() else home / ".cache") / "tinyml_rules"


def compile_cached(
    source: Path, *, flags: Sequence[str], job: Job, headers: Sequence[Path] = ()
) -> Path:
    """The program or library made from `source` and its `headers`, from the cache if it is there.

    Named after what it is made from, and moved into place whole, so that runs side by side may
    share a cache.  Where nothing can be kept, it is made for this run alone.
    """
    command = ["gcc", *_FLAGS]
    contents = [file.read_bytes() for file in (source, *headers)]
    key = hashlib.sha256(repr((contents, command, tuple(flags))).encode())
    name = f"{source.stem}-{key.hexdigest()[:16]}"
    program = job.cache / name
    if program.exists():
        return program
    fresh = job.folder / name
    run_tool([*command, str(source), *flags, "-o", str(fresh)], where=source.name)
    try:
        job.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=job.cache) as folder:
            shutil.copy(fresh, folder)
            (Path(folder) / name).replace(program)
    except OSError:
        return fresh
    return program
