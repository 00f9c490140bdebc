"""What compilers make of C files, kept by content from one test run to the next.

An object, or its assembly, is the version of its compiler, its flags, its source and all files that
this includes, by name, from folders of the command; what the compiler has itself comes with its
version.  The folders themselves do not matter, so that each test may use one of its own.  A check
of the syntax makes nothing, so that of it is kept that there was nothing to say.  Where a command
does more than that, or its files cannot all be known, it runs each time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from tinyml_rules.system.process import run_program
from tinyml_rules.system.programs import find_program
from tinyml_rules.system.user_folder import user_cache

KEPT_BYTES = 2 * 2**30
"""What stays of the files that were used last, when a run ends."""
_SOURCES = (".c", ".S", ".cpp", ".cc")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)', re.M)
_UNKNOWN = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[A-Za-z_]|__FILE__|__DATE__|__TIME__", re.M)
"""What makes more of a text than its words say."""
_DOES_MORE = re.compile(
    r"-g(?!0)|@|-M|-save-temps|-include|-imacros|-fdump|--coverage|-fprofile|-x"
)
_WITH_FOLDER = ("-I", "-isystem")
_SUFFIXES = (".su", ".ci", ".o")
"""What a compilation writes: the frame sizes of its functions, their calls, and the object, which
is kept last and says that the others are there."""


def run_kept(
    command: Sequence[str],
    *,
    where: str,
    timeout_s: float,
    folder: Path | None = None,
    input_bytes: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """As `run_program`, which runs a command that has to."""
    words = list(command)
    key = None if folder or input_bytes else _key(words)
    if key is None:
        return run_program(
            command, where=where, timeout_s=timeout_s, folder=folder, input_bytes=input_bytes
        )
    kept, output = place() / key[:2] / key, _after(words, "-o")
    if kept.with_suffix(".o").is_file():
        os.utime(kept.with_suffix(".o"))
        for suffix in _SUFFIXES:
            if output is not None and kept.with_suffix(suffix).is_file():
                shutil.copyfile(kept.with_suffix(suffix), Path(output).with_suffix(suffix))
        return subprocess.CompletedProcess(words, 0, b"", b"")
    done = run_program(command, where=where, timeout_s=timeout_s)
    if done.returncode == 0 and not done.stdout and not done.stderr:
        _keep(Path(output) if output else None, kept)
    return done


def place() -> Path:
    """The folder of all that is kept."""
    return user_cache() / "test-objects"


def _keep(made: Path | None, kept: Path) -> None:
    """Each file whole or not at all; an empty one for a check."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    draft = kept.with_suffix(f".{os.getpid()}")
    for suffix in _SUFFIXES:
        if made is not None and made.with_suffix(suffix).is_file():
            shutil.copyfile(made.with_suffix(suffix), draft)
            draft.replace(kept.with_suffix(suffix))
    if made is None:
        kept.with_suffix(".o").touch()


def forget_the_oldest(kept_bytes: int = KEPT_BYTES) -> None:
    """Leave so many bytes of what was used last."""
    files = [(file.stat(), file) for file in place().glob("*/*") if file.is_file()]
    room = kept_bytes
    for stat, file in sorted(files, key=lambda each: -each[0].st_mtime):
        room -= stat.st_size
        if room < 0:
            file.unlink(missing_ok=True)


def _key(words: list[str]) -> str | None:
    """All that the result depends on; None for a command that is kept nowhere."""
    sources = [word for word in words[1:] if word.endswith(_SOURCES)]
    output = _after(words, "-o")
    is_made = not {"-c", "-S"}.isdisjoint(words)
    is_object = is_made and len(sources) == 1 and (output or "").endswith(".o")
    is_check = "-fsyntax-only" in words and output is None
    if not sources or not (is_object or is_check) or any(map(_DOES_MORE.match, words)):
        return None
    texts = _texts(list(map(Path, sources)), _include_folders(words))
    if texts is None:
        return None
    sha = hashlib.sha256(_version(words[0]).encode())
    names = [Path(source).name for source in sources]
    for word in (*names, *_without_folders(words, {*sources, *([output] if output else [])})):
        sha.update(word.encode() + b"\0")
    for text in texts:
        sha.update(hashlib.sha256(text).digest())
    return sha.hexdigest()


def _after(words: list[str], option: str) -> str | None:
    return words[words.index(option) + 1] if option in words[:-1] else None


def _include_folders(words: list[str]) -> list[Path]:
    attached = [word[2:] for word in words if word.startswith("-I") and len(word) > 2]
    apart = [words[i + 1] for i, word in enumerate(words[:-1]) if word in _WITH_FOLDER]
    return [Path(each) for each in (*attached, *apart)]


def _without_folders(words: list[str], files: set[str]) -> Iterator[str]:
    """The words that say how, not where."""
    is_folder = False
    for word in words:
        if is_folder or word in files or (word.startswith("-I") and len(word) > 2):
            is_folder = False
            continue
        is_folder = word in _WITH_FOLDER
        yield word


def _texts(sources: list[Path], folders: Sequence[Path]) -> list[bytes] | None:
    """The files and what they include from the folders, each once; None where an include or the
    text itself is not all there is."""
    found: dict[Path, bytes] = {}
    waiting = sources[::-1]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        text = found[file] = file.read_bytes()
        if _UNKNOWN.search(text):
            return None
        for quote, name in _INCLUDE.findall(text):
            places = [*([file.parent] if quote == b'"' else []), *folders]
            home = next((each for each in places if (each / name.decode()).is_file()), None)
            if home is not None:
                waiting.append(home / name.decode())
            elif quote == b'"':
                return None
    return list(found.values())


@cache
def _version(program: str) -> str:
    """What a compiler is: its version, and where it is, of which it may have several."""
    path = find_program(program) or program
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return f"{path}\n{done.stdout}"
