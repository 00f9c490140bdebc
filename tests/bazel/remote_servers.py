"""The example examples/bazel-remote: clones of it, its servers, and what Bazel logged."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import PROJECT
from tests.frontends.builds import Done, copy_project, run

EXAMPLE = "examples/bazel-remote"
CLONE_PARTS = (
    *("BUILD.bazel", "MODULE.bazel", "WORKSPACE", "requirements", "targets", "tinyml_rules"),
    EXAMPLE,
)
"""What a build of the example reads."""
START_PY = PROJECT / EXAMPLE / "servers" / "start.py"
ACTIONS_OF_A_PAIR = 3
"""A model on a target is compiled, linked and run."""
LONGEST_S = 300.0
"""A server that outlives its test does so no longer than this."""

_SUMMARY = re.compile(r"^INFO: \d+ process(?:es)?: (.*)\.$", re.M)


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
        options = [
            f"--repo_env=TINYML_PYTHON={sys.executable}",
            f"--execution_log_json_file={self.folder / 'log.json'}",
        ]
        return run(
            [
                *("bazel", "--batch", f"--output_user_root={self.folder / 'output'}", command),
                *(options if command in ("build", "test") else ()),
                *arguments,
            ],
            self.workspace,
            variables=variables,
            timeout_s=LONGEST_S,
        )

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
    copy_project(folder / "project", parts=CLONE_PARTS)
    return Clone(folder)


def summary(done: Done) -> dict[str, int]:
    """{how: actions}, as Bazel itself sums a build up: `36 remote`; its own steps left out."""
    (counts,) = _SUMMARY.findall(done.stderr)
    pairs = (each.split(" ", 1) for each in counts.split(", "))
    return {how: int(number) for number, how in pairs if how != "internal"}


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
