"""A Python that has imported SCons and the compiler, and whose forks run what is asked for.

python warm_server.py FD PACKAGE .., of a socket that listens, and what modules are kept of beside
Python's own
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import runpy
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import Any

AT_FIRST = (
    *("SCons.Script.Main", "elftools.elf.elffile", "jinja2", "numpy", "tflite"),
    *("tinyml_rules.commands.compile", "tinyml_rules.frontends.scons"),
)
LONGEST_S = 1200
"""What takes longer hangs."""


def serve(listener: socket.socket, packages: set[str]) -> None:
    """Until it is ended.  What a fork imported further, the next ones find."""
    del sys.path[0]  # where this file lies
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    learned, of_forks = os.pipe()
    for end in (learned, of_forks):  # what does not fit is learned another time
        os.set_blocking(end, False)
    _import(name for name in AT_FIRST if name.partition(".")[0] in packages)
    with suppress(Exception):
        sys.modules["tinyml_rules.ops"].builtin_operators()
    while True:
        connection, _ = listener.accept()
        with suppress(BlockingIOError):
            _import(os.read(learned, 2**16).decode().split())
        gc.freeze()
        if os.fork() == 0:
            listener.close()
            _answer(connection, of_forks, packages | sys.stdlib_module_names)
        connection.close()


def _import(names: Iterable[str]) -> None:
    """What cannot be imported is the commands' to tell."""
    for name in names:
        if name not in sys.modules:
            with suppress(Exception):
                import_module(name)


def _answer(connection: socket.socket, of_forks: int, kept: set[str]) -> None:
    """Run the command in a process of its own, and tell its status when that has ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, files, _, _ = socket.recv_fds(connection, 1, 3)
    request = b"".join(iter(lambda: connection.recv(2**16), b""))
    pid = os.fork()
    if pid == 0:
        connection.close()
        _run(json.loads(request), files, of_forks, kept)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with suppress(BrokenPipeError):
        connection.sendall(str(status).encode())
    os._exit(0)


def _run(request: list[Any], files: list[int], of_forks: int, kept: set[str]) -> None:
    """Be `python -m`, to its end."""
    module, arguments, folder, environment = request
    signal.alarm(LONGEST_S)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _stream(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.chdir(folder)
    if "SCons.Script.SConscript" in sys.modules:  # which takes it when it is imported
        sys.modules["SCons.Script.SConscript"].launch_dir = folder  # type: ignore[attr-defined]
    os.environ.clear()
    os.environ.update(environment)
    sys.path.insert(0, folder)
    sys.argv[:] = ["-m", *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", module, *arguments]
    known = set(sys.modules)
    status = _status_of(module)
    found = [
        name
        for name in sys.modules
        if name not in known and name.partition(".")[0] in kept and "__main__" not in name
    ]
    with suppress(BlockingIOError):
        os.write(of_forks, "".join(f"{name} " for name in found).encode())
    _end(status)


def _stream(number: int, was: io.TextIOWrapper) -> io.TextIOWrapper:
    """As Python opens it when it starts, for what the number now stands for."""
    is_reading, is_direct = number == 0, was.write_through
    return io.TextIOWrapper(
        open(number, "rb" if is_reading else "wb", 0 if is_direct else -1, closefd=False),
        encoding=was.encoding,
        errors=was.errors,
        line_buffering=number == 2 or (number == 1 and os.isatty(1)),
        write_through=is_direct,
    )


def _status_of(module: str) -> int:
    """Of the module's end, as Python judges it."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end(status: int) -> None:
    """As Python ends, but for taking all modules apart, which takes longer than a small command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), {*sys.argv[2:]})
