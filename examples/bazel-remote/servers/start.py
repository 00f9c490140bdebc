#!/usr/bin/env python3
"""Starts what Bazel's remote builds need, on this computer's loopback, until it is interrupted.

    start.py cache FOLDER [--port 8080]                  nginx: a remote cache
    start.py grid  FOLDER [--port 8980] [--workers N] [--image debian-12]
                                                           BuildGrid and its workers

What is stored lies in FOLDER.  The grid's queue is a PostgreSQL that lives as long as the grid.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOPBACK = "127.0.0.1"
START_S = 30.0
STOP_S = 15.0


@contextlib.contextmanager
def running(
    command: Sequence[str | Path], *, is_ready: Callable[[], bool], **variables: str
) -> Iterator[None]:
    """A server, from when it is ready; it ends with the block, or with us."""
    process = subprocess.Popen(
        [program("setpriv"), "--pdeathsig=INT", *command],
        env={**os.environ, **variables},
        stdout=sys.stderr,
        start_new_session=True,  # an interrupt from the keyboard is for us alone
    )
    try:
        until = time.monotonic() + START_S
        while not is_ready():
            if process.poll() is not None or time.monotonic() > until:
                sys.exit(f"start.py: error: does not start: {' '.join(map(str, command))}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def program(name: str) -> str:
    """Where it lies; administrators' programs are not on everybody's path."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    return path or sys.exit(f"start.py: error: '{name}' is not installed")


def is_open(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as attempt:
        return attempt.connect_ex((LOOPBACK, port)) == 0


@contextlib.contextmanager
def cache(folder: Path, port: int) -> Iterator[None]:
    """nginx, which keeps what it is sent below FOLDER/files."""
    (folder / "temporary").mkdir(exist_ok=True)
    text = (HERE / "nginx.conf").read_text(encoding="utf-8")
    file = folder / "nginx.conf"
    file.write_text(text.replace(f"{LOOPBACK}:8080", f"{LOOPBACK}:{port}"), encoding="utf-8")
    user = f"user {folder.owner()};" if os.geteuid() == 0 else ""
    where: list[str | Path] = ["-p", folder, "-c", file, "-e", "error.log"]
    command = [program("nginx"), *where, "-g", f"daemon off; {user}"]
    with running(command, is_ready=lambda: is_open(port)):
        yield


@contextlib.contextmanager
def grid(folder: Path, port: int, workers: int, image: str) -> Iterator[None]:
    """BuildGrid, which keeps what it is sent below FOLDER, with its queue and its workers."""
    bgd = Path(sys.executable).with_name("bgd")
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(queue())
        subprocess.run([bgd, "migrate", "apply", database], check=True, stdout=subprocess.DEVNULL)
        server = running(
            [bgd, "server", "start", HERE / "buildgrid.yml"],
            is_ready=lambda: is_open(port),
            BUILDGRID_ADDRESS=f"{LOOPBACK}:{port}",
            BUILDGRID_DATABASE=database,
            BUILDGRID_STORAGE=str(folder),
        )
        stack.enter_context(server)
        worker = [sys.executable, str(HERE / "worker.py"), f"{LOOPBACK}:{port}", f"--image={image}"]
        for _ in range(workers):
            stack.enter_context(running(worker, is_ready=lambda: True))
        yield


@contextlib.contextmanager
def queue() -> Iterator[str]:
    """An empty PostgreSQL that nobody reaches over the network; gives its address."""
    found = subprocess.check_output([program("pg_config"), "--bindir"], text=True)
    programs = Path(found.strip())
    with tempfile.TemporaryDirectory(prefix="queue-") as folder:
        account: list[str | Path] = []
        if os.geteuid() == 0:  # as which it refuses to run
            shutil.chown(folder, "postgres", "postgres")
            account = ["--reuid=postgres", "--regid=postgres", "--init-groups"]
        data = Path(folder, "data")
        initdb = [*account, programs / "initdb", data, "--username=buildgrid", "--auth=trust"]
        subprocess.run([program("setpriv"), *initdb], check=True, stdout=subprocess.DEVNULL)
        settings = ["listen_addresses=", f"unix_socket_directories={folder}", "fsync=off"]
        server = [*account, programs / "postgres", "-D", data, *(f"--{each}" for each in settings)]
        check = [str(programs / "pg_isready"), "--quiet", f"--host={folder}", "-U", "buildgrid"]
        with running(server, is_ready=lambda: not subprocess.call(check)):
            yield f"postgresql+psycopg2://buildgrid@/postgres?host={folder}"


def absolute(text: str) -> Path:
    """A path for programs that run elsewhere."""
    return Path(text).absolute()


def stop(number: int, _: object) -> None:
    """Unwind, once."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.exit("start.py: error: a server has ended" if number == signal.SIGCHLD else 0)


def main() -> None:
    """Start the servers that the command line names, and wait."""
    parser = argparse.ArgumentParser(description="Servers for Bazel, on the loopback.")
    commands = parser.add_subparsers(required=True)
    for name, server, port in (("cache", cache, 8080), ("grid", grid, 8980)):
        command = commands.add_parser(name)
        command.add_argument("folder", type=absolute)
        command.add_argument("--port", type=int, default=port)
        command.set_defaults(server=server)
    command.add_argument("--workers", type=int, default=os.cpu_count())
    command.add_argument("--image", default="debian-12")
    options = vars(parser.parse_args())
    if is_open(options["port"]):
        parser.error(f"port {options['port']} is taken")
    server = options.pop("server")
    options["folder"].mkdir(parents=True, exist_ok=True)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, stop)
    with server(**options):
        print(f"listening on {LOOPBACK}:{options['port']}", flush=True)
        signal.signal(signal.SIGCHLD, stop)
        signal.pause()


if __name__ == "__main__":
    main()
