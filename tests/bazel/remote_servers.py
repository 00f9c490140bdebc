"""The example examples/bazel-remote: clones of it, its servers, and what Bazel logged."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bazel.builds import BUILD_OPTIONS, STARTUP, copy_rules
from tests.conftest import PROJECT
from tests.frontends.builds import Done, run

EXAMPLE = "examples/bazel-remote"
START_PY = PROJECT / EXAMPLE / "servers" / "start.py"
ACTIONS_OF_A_PAIR = 3
"""A model on a target is compiled, linked and run."""
LONGEST_S = 600.0
"""A server that outlives its tests does so no longer than this."""


@dataclass(frozen=True)
class Clone:
    """A copy of the project with a Bazel that knows nothing of other copies."""

    folder: Path

    @property
    def workspace(self) -> Path:
        """The example in it."""
        return self.folder / "project" / EXAMPLE

    def bazel(
        self, command: str, *arguments: str, variables: Mapping[str, str] | None = None
    ) -> Done:
        """Run Bazel in the example to its end; no server of it remains."""
        (self.folder / "log.json").unlink(missing_ok=True)
        startup = ["--batch", *STARTUP, f"--output_user_root={self.folder / 'output'}"]
        log = f"--execution_log_json_file={self.folder / 'log.json'}"
        words = ["bazel", *startup, command, *BUILD_OPTIONS, log, *arguments]
        return run(words, self.workspace, variables=variables, timeout_s=300)

    def runners(self) -> Counter[str]:
        """How many actions of the last build ran where, from Bazel's execution log."""
        text = (self.folder / "log.json").read_text(encoding="utf-8")
        decoder = json.JSONDecoder()
        counts: Counter[str] = Counter()
        place = 0
        while place < len(text):
            action, place = decoder.raw_decode(text, place)
            counts[action["runner"]] += 1
        return counts

    def outputs(self) -> dict[str, bytes]:
        """{name: contents} of the files that the models were compiled to."""
        files = (self.workspace / "bazel-bin").glob("*_*.*")
        endings = (".c", ".h", ".json", ".svg", ".elf")
        return {file.name: file.read_bytes() for file in files if file.suffix in endings}


def clone(folder: Path) -> Clone:
    """A copy of the project in a folder, which is made."""
    copy_rules(folder / "project")
    ignore = shutil.ignore_patterns("__pycache__", "bazel-*")
    made = Clone(folder)
    shutil.copytree(PROJECT / EXAMPLE, made.workspace, ignore=ignore)
    return made


@contextlib.contextmanager
def serving(server: str, folder: Path, *options: str) -> Iterator[int]:
    """The port of `start.py cache` or `start.py grid`, which ends with the block."""
    folder.mkdir()
    port = free_port()
    command = [sys.executable, str(START_PY), server, str(folder), f"--port={port}", *options]
    bounded = ["setpriv", "--pdeathsig=TERM", "timeout", f"{LONGEST_S}", *command]
    log_file = folder.with_suffix(".log")
    with log_file.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(bounded, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == f"listening on 127.0.0.1:{port}\n", log_file.read_text()
        yield port
    finally:
        process.terminate()
        status = process.wait(60)
    assert status == 0, log_file.read_text()


def free_port() -> int:
    """One on which nobody listens just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
