"""`python -m` for tests that start it often, in forks of a process that has imported it already.

To import SCons and the compiler takes longer than to build a small model.  Each command has the
modules as they are after their import, and a folder, files and an environment of its own.  Where
the package is not that Python's but a copy in the command's folder, that is imported anew.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.support.warm_ask import ask

FOREIGN = ("SCons", "elftools", "flatbuffers", "jinja2", "markupsafe", "numpy", "tflite")
_SERVER = Path(__file__).with_name("warm_server.py")
_ASK = Path(__file__).with_name("warm_ask.py")


@cache
def warm_python(
    python: str | Path = sys.executable,
    *,
    search: str = "",
    packages: tuple[str, ...] = (*FOREIGN, "tinyml_rules"),
) -> Path:
    """A folder with the socket of a warm Python, and in `bin` with the program `tinyml_rules` that
    runs there; started when it is first asked for, it ends with this process.  `search` is its
    PYTHONPATH; of the packages it has all modules that some command imported."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    place = str(folder / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(64)
        number = listener.fileno()
        command = ["setpriv", "--pdeathsig=TERM", python, _SERVER, str(number), *packages]
        server = subprocess.Popen(
            command,
            pass_fds=(number,),
            cwd=folder,
            env=without_path(os.environ) | ({"PYTHONPATH": search} if search else {}),
            stdin=subprocess.DEVNULL,
        )
    program = folder / "bin" / "tinyml_rules"
    program.parent.mkdir()
    words = [str(python), "-I", "-S", str(_ASK), place, program.name]
    program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)

    def end() -> None:
        server.terminate()
        server.wait()
        shutil.rmtree(folder)

    atexit.register(end)
    return folder


def run_module(
    python: str | Path,
    module: str,
    arguments: Sequence[str],
    *,
    folder: Path,
    variables: Mapping[str, str],
) -> subprocess.CompletedProcess[str]:
    """Run a module in a folder to its end, whatever comes of it."""
    has_copy = (folder / "tinyml_rules").exists()
    warm = warm_python(python, packages=FOREIGN) if has_copy else warm_python(python)
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
    ):
        status = ask(
            *(str(warm / "socket"), module, arguments),
            folder=str(folder),
            environment={**without_path(os.environ), **variables},
            files=[file.fileno() for file in (nothing, output, errors)],
        )
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read())
    return subprocess.CompletedProcess([module, *arguments], status, *texts)


def path_with(python: Path, *, is_warm: bool = True) -> str:
    """The PATH of an environment that counts as activated, whose own program starts anew each time
    unless it is warm."""
    first = [str(warm_python(python) / "bin")] if is_warm else []
    return os.pathsep.join([*first, str(python.parent), os.environ["PATH"]])


def warm_in_cmake(python: Path) -> str:
    """The option with which CMake's package takes the warm program of a Python."""
    return f"-DTinymlRules_PROGRAM={warm_python(python) / 'bin' / 'tinyml_rules'}"


def without_path(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables as a stranger has them, who does not know of this folder."""
    return {name: value for name, value in variables.items() if name != "PYTHONPATH"}
