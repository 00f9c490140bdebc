"""What differs between Linux, macOS and Windows, as functions of the system: tests run all three.

Windows and macOS themselves are not tested.  Standard library only.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

try:
    import fcntl
except ImportError:  # on Windows nobody waits
    fcntl = None  # type: ignore[assignment]


class System(StrEnum):
    """The kinds of systems."""

    LINUX = "linux"
    MACOS = "macos"
    WINDOWS = "windows"


def this_system() -> System:
    """That of this computer; any other Unix counts as Linux."""
    return {"win32": System.WINDOWS, "darwin": System.MACOS}.get(sys.platform, System.LINUX)


SIGINT, SIGPIPE = 2, 13
"""Numbers of signals for an exit status; Windows has no name for the second."""

_OF_CMD = re.compile(r'[\s&|<>^()%!"\']')
_ESCAPED_BY_CMD = re.compile(r'([()%!^"<>&|])')
_BACKSLASHES = re.compile(r'(\\*)(")|(\\+)$')


def shell_line(words: Sequence[str], *, system: System | None = None) -> str:
    """A command to type: for a POSIX shell, or for the command prompt of Windows."""
    if (system or this_system()) is not System.WINDOWS:
        return shlex.join(words)
    return " ".join(_word_of_cmd(word) for word in words)


def shell_word(word: str, *, system: System | None = None) -> str:
    """One word of it."""
    return shell_line([word], system=system)


def _word_of_cmd(word: str) -> str:
    """As CommandLineToArgvW takes it apart: backslashes count only before a quote, where each is
    doubled.  The prompt ends a quote at every `"` and reads `%` inside of one, so that a word with
    either has a caret before each character that means something to it."""
    if word and not _OF_CMD.search(word):
        return word
    inside = _BACKSLASHES.sub(lambda found: _doubled(found[1] or found[3] or "", found[2]), word)
    quoted = f'"{inside}"'
    return _ESCAPED_BY_CMD.sub(r"^\1", quoted) if re.search('["%!]', word) else quoted


def _doubled(backslashes: str, quote: str | None) -> str:
    return backslashes * 2 + ("\\" + quote if quote else "")


_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"}
_DEVICES |= {f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³"}


def is_device(name: str) -> bool:
    """Whether Windows takes the name of a file for a device, with any ending: `con.c`."""
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES


def is_taken_as_other(name: str) -> bool:
    """Whether Windows cannot have a file of this name, or changes it: a device, a character that is
    none of a name, or a blank or dot at the end."""
    return is_device(name) or bool(re.search(r'[<>:"/\\|?*\x00-\x1f]|[ .]$', name))


def cache_folder(system: System, settings: Mapping[str, str], home: str) -> PurePath:
    """The folder for what can be made again: that of the XDG specification where it is set, or what
    the system has for it.  `settings`: environment variables."""
    told = settings.get("XDG_CACHE_HOME", "")
    if system is System.WINDOWS:
        local = PureWindowsPath(settings.get("LOCALAPPDATA", ""))
        root = local if local.is_absolute() else PureWindowsPath(home, "AppData", "Local")
        return root / "tinyml_rules" / "Cache"
    if PurePosixPath(told).is_absolute():
        return PurePosixPath(told, "tinyml_rules")
    caches = ("Library", "Caches") if system is System.MACOS else (".cache",)
    return PurePosixPath(home, *caches, "tinyml_rules")


def program_file(name: str, *, system: System | None = None) -> str:
    """The file of a program that a compiler is asked for by this name."""
    is_windows = (system or this_system()) is System.WINDOWS
    return f"{name}.exe" if is_windows and not name.endswith(".exe") else name


_TRIES, _PAUSE_S = 20, 0.05


def replace_file(
    source: Path,
    target: Path,
    *,
    replace: Callable[[Path, Path], None] = os.replace,
    wait: Callable[[float], None] = time.sleep,
    system: System | None = None,
) -> None:
    """Give a file the name of another, at once.  Windows refuses it for as long as a program has
    the other one open, an editor or a virus scanner, so that it is tried for a second there."""
    is_windows = (system or this_system()) is System.WINDOWS
    for _ in range(_TRIES if is_windows else 0):
        try:
            replace(source, target)
        except PermissionError:
            wait(_PAUSE_S)
        else:
            return
    replace(source, target)


def is_own(descriptor: int) -> bool:
    """Whether an opened file is this user's own; on Windows the folder says who may write to it."""
    return os.name != "posix" or os.fstat(descriptor).st_uid == os.geteuid()


def can_lock() -> bool:
    """Whether a folder can be locked, and the holder of a lock be found."""
    return fcntl is not None and Path("/proc/locks").exists()


def lock_folder(descriptor: int, *, waits: bool) -> bool:
    """Lock an opened folder until this process ends; False where another has it, unless it
    `waits`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
