"""Runs one action of the Remote Execution API in a folder of its own.

The folder holds the declared inputs and nothing else, the environment the declared variables: what
an action does not declare it does not find, apart from what is installed on the computer.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import grpc
from blobs import fetch_message, fetch_tree, store
from buildgrid._protos.build.bazel.remote.execution.v2.remote_execution_pb2 import (
    Action,
    ActionResult,
    Command,
)
from buildgrid._protos.google.rpc import code_pb2

HEARTBEAT_S = 10.0
MOST_S = 900.0
"""For an action that says nothing of its time."""


def execute(
    channel: grpc.Channel, action: Action, *, blobs: Path, is_wanted: Callable[[], bool]
) -> tuple[ActionResult, int]:
    """Fetch the inputs, run the command, store the outputs; returns the result and a gRPC code.

    `is_wanted` is asked from time to time; an action that is not, or takes too long, is killed.
    """
    command = fetch_message(channel, action.command_digest, Command())
    result = ActionResult()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "root")
        fetch_tree(channel, action.input_root_digest, root, blobs=blobs)
        folder = root / command.working_directory
        paths = command.output_paths or [*command.output_files, *command.output_directories]
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
        printed = Path(temporary, "stdout"), Path(temporary, "stderr")
        seconds = action.timeout.ToTimedelta().total_seconds() or MOST_S
        status = _run(command, folder, printed, seconds=seconds, is_wanted=is_wanted)
        result.exit_code = 128 + signal.SIGKILL if status is None else status
        store(channel, folder, paths, printed, result)
    return result, code_pb2.DEADLINE_EXCEEDED if status is None else code_pb2.OK


def _run(
    command: Command,
    folder: Path,
    printed: tuple[Path, Path],
    *,
    seconds: float,
    is_wanted: Callable[[], bool],
) -> int | None:
    """The exit status, or None if the command had to be killed."""
    environment = {each.name: each.value for each in command.environment_variables}
    with printed[0].open("wb") as out, printed[1].open("wb") as err:
        try:
            process = subprocess.Popen(
                command.arguments,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except (FileNotFoundError, PermissionError) as error:
            err.write(f"{error.filename}: {error.strerror} (on the worker)\n".encode())
            return 127
        try:
            return _wait(process, until=time.monotonic() + seconds, is_wanted=is_wanted)
        finally:
            _end_session(process.pid)
            process.wait()


def _wait(
    process: subprocess.Popen[bytes], *, until: float, is_wanted: Callable[[], bool]
) -> int | None:
    while (left := until - time.monotonic()) > 0:
        try:
            status = process.wait(min(left, HEARTBEAT_S))
            return status if status >= 0 else 128 - status  # of a signal, as a shell has it
        except subprocess.TimeoutExpired:
            if not is_wanted():
                return None
    return None


def _end_session(leader: int) -> None:
    """Kill what a command has started: a test runs in another process group than its shell."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(ProcessLookupError):  # it has ended just now
            if os.getsid(int(entry.name)) == leader:
                os.kill(int(entry.name), signal.SIGKILL)
