"""One build at a time in a tree: a second one waits for the first.

SCons removes each file before it makes it anew, and writes its notes at the end.  Of two builds
that run at once, one would find files of the other missing or half written.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from SCons.Script import GetOption

from tinyml_rules.system.computer import can_lock, lock_folder

_LOCKS = Path("/proc/locks")
_WITHOUT_WORK = ("no_exec", "help", "question", "interactive")
_locked: dict[str, int] = {}
"""The opened folder of each tree that this process builds in; its lock ends with the process."""


def wait_for_other_builds(env: Any) -> None:
    """Lock the folder of the SConstruct; where another build holds it, say so and wait for its end.

    A build that was started by that one goes on: it would wait for ever.  A folder that cannot be
    locked is built in without a lock.
    """
    folder = env.Dir("#").abspath
    if not can_lock() or folder in _locked or any(map(_is, _WITHOUT_WORK)):
        return
    try:
        _locked[folder] = os.open(folder, os.O_RDONLY)
        if not lock_folder(_locked[folder], waits=False):
            holder = _holder(_locked[folder])
            if holder in _ancestors():
                return
            if not _is("silent"):
                print(f"scons: waits for the build of process {holder} in this folder", flush=True)
            lock_folder(_locked[folder], waits=True)
    except OSError:
        return


def _is(option: str) -> bool:
    try:
        return bool(GetOption(option))
    except AttributeError:  # nobody has read a command line
        return True


def _holder(descriptor: int) -> int | None:
    """The process that holds the lock; None if it has ended meanwhile."""
    inode = os.fstat(descriptor).st_ino
    found = re.search(rf"FLOCK +\S+ +\S+ +(\d+) +\S+:{inode} ", _LOCKS.read_text("ascii"))
    return int(found[1]) if found else None


def _ancestors() -> set[int | None]:
    """This process and those that started it."""
    process, found = os.getpid(), set[int | None]()
    while process > 0 and process not in found:
        found.add(process)
        status = Path(f"/proc/{process}/stat").read_text("utf-8", errors="replace")
        process = int(status.rpartition(")")[2].split()[1])
    return found
