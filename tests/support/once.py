"""What all processes of a test run share: the first one that asks makes it, the others wait."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(
    factory: pytest.TempPathFactory, worker_id: str, name: str, make: Callable[[Path], object]
) -> Path:
    """A folder of this run by its name; `make` fills it, and what it raises, such as a skip, each
    process meets anew."""
    own = factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent
    folder, done = shared / name, shared / f"{name}.done"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder
