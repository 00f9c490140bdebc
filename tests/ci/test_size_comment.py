"""The size comment: `action.yml`, step by step, on a repository with two commits.

GitHub is the only part that is not real: a local server answers as the documentation of its API for
comments says, and keeps what it is sent.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.conftest import PROJECT
from tests.frontends.builds import SINE
from tinyml_rules.ci import github, size_comment

ACTION = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.org")
WORKFLOW = {"models": "*.tflite", "targets": "atmega328"}
"""What a workflow has after `with`."""
_EXPRESSION = re.compile(r"\$\{\{ *(.+?) *\}\}")


class GitHub(ThreadingHTTPServer):
    """Comments of one pull request, number 7; `foreign` ones may not be changed."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Api)
        self.comments: dict[int, str] = {}
        self.foreign: set[int] = set()
        self.seen: list[str] = []
        self.status = 200


class Api(BaseHTTPRequestHandler):
    """The three calls: list, create, update."""

    server: GitHub

    def do_GET(self) -> None:
        page = int(self.path.rpartition("page=")[2])
        listed = [{"id": each, "body": text} for each, text in self.server.comments.items()]
        self.answer(listed[(page - 1) * github.PER_PAGE : page * github.PER_PAGE])

    def do_POST(self) -> None:
        number = 100 + len(self.server.comments)
        self.server.comments[number] = self.body()
        self.answer({"id": number})

    def do_PATCH(self) -> None:
        number = int(self.path.rpartition("/")[2])
        text = self.body()
        if number in self.server.foreign:
            self.answer({"message": "Resource not accessible by integration"}, 403)
        else:
            self.server.comments[number] = text
            self.answer({"id": number})

    def body(self) -> str:
        assert self.headers["Authorization"] == "Bearer secret"
        text: str = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        return text

    def answer(self, data: object, status: int = 0) -> None:
        self.server.seen.append(f"{self.command} {self.path.partition('?')[0]}")
        text = json.dumps(data).encode()
        self.send_response(status or self.server.status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def api() -> Iterator[GitHub]:
    """It listens, and ends with the test."""
    server = GitHub()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The base has the sine as a table, the change keeps its layers."""
    folder = tmp_path / "repository"
    folder.mkdir()
    shutil.copy2(SINE / "sine.tflite", folder)
    git(folder, "init", "--quiet")
    commit(folder)
    (folder / "sine.tinyml.toml").write_text('optimize = "layers"\n')
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> str:
    command = ["git", *PERSON, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path) -> None:
    """All files, as a commit."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a change")


def runner(repository: Path, api: GitHub) -> dict[str, str]:
    """What a runner sets for the steps."""
    host, port = api.server_address[:2]
    summary = repository.parent / "summary.md"
    temporary = repository.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "RUNNER_TEMP": str(temporary),
        "GITHUB_API_URL": f"http://{host!s}:{port}",
        "GITHUB_REPOSITORY": "owner/firmware",
        "GITHUB_STEP_SUMMARY": str(summary),
    }


def value_of(expression: str, context: dict[str, str]) -> str:
    """Of an expression of the action: the first of the alternatives that is not empty."""
    for each in expression.split("||"):
        name = each.strip()
        if name.startswith("inputs."):
            key = name.removeprefix("inputs.")
            found = context.get(name, str(ACTION["inputs"][key]["default"]))
        else:
            found = context.get(name, "")
        found = _EXPRESSION.sub(lambda inner: value_of(inner[1], context), found)
        if found:
            return found
    return ""


def run_step(
    step: dict[str, Any], context: dict[str, str], variables: dict[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """As a runner does: a script of bash with the words that GitHub documents."""
    own = {
        name: _EXPRESSION.sub(lambda found: value_of(found[1], context), text)
        for name, text in step.get("env", {}).items()
    }
    assert "${{" not in step["run"]  # values of others never become a part of a script
    script = folder.parent / "step.sh"
    script.write_text(step["run"])
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    return subprocess.run(
        command,
        cwd=folder,
        env={**variables, **own},
        capture_output=True,
        text=True,
        check=False,
    )


def test_action(repository: Path, api: GitHub, wheel: Path) -> None:
    """Both steps, from an empty runner to the comment; a second push replaces the comment.  The
    wheel is installed in the place of the action's folder, of which it was built."""
    context = {f"inputs.{name}": text for name, text in WORKFLOW.items()}
    context["github.token"] = "secret"
    context["github.event.pull_request.number"] = "7"
    context["github.event.pull_request.base.sha"] = git(repository, "rev-parse", "HEAD~")
    variables = {**runner(repository, api), "GITHUB_ACTION_PATH": str(wheel)}
    assert [each["shell"] for each in ACTION["runs"]["steps"]] == ["bash", "bash"]
    for step in ACTION["runs"]["steps"]:
        done = run_step(step, context, variables, repository)
        assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert api.seen == [f"{word} /repos/owner/firmware/issues/7/comments" for word in CALLS]
    (text,) = api.comments.values()
    assert text == done.stdout == Path(variables["GITHUB_STEP_SUMMARY"]).read_text()
    assert text.startswith(f"{github.MARK}\n{size_comment.TITLE}\n\n### `sine` on `atmega328`\n")
    assert re.search(r"^\| constants \| 256 B \| \d+ B \| \+\d+ B \|", text, re.M)
    context["inputs.budgets"] = "--max-arena-growth 1%"
    done = run_step(step, context, variables, repository)
    assert done.returncode == 1
    (text,) = api.comments.values()
    assert "- **over budget:** `sine on atmega328: grew by " in text
    assert api.seen[-1] == "PATCH /repos/owner/firmware/issues/comments/100"
    assert git(repository, "worktree", "list").count("\n") == 0


CALLS = ("GET", "POST")
"""Of the first run."""


def run(repository: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The plain script, as any other service calls it."""
    command = [sys.executable, "-m", "tinyml_rules.ci.size_comment", *words]
    variables = {**os.environ, "PYTHONPATH": str(PROJECT)}
    return subprocess.run(
        command, cwd=repository, env=variables, capture_output=True, text=True, check=False
    )


def test_own_command_in_a_shallow_clone(repository: Path, tmp_path: Path) -> None:
    """The build of the firmware writes the reports; the base is fetched."""
    base = git(repository, "rev-parse", "HEAD~")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), str(shallow))
    command = f"{sys.executable} -m tinyml_rules compile sine.tflite --out $REPORTS --quiet"
    out = tmp_path / "comment.md"
    done = run(shallow, "--base", base, "--command", command, "--out", str(out))
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    assert "### `sine` on `host`" in out.read_text()


def test_model_that_cannot_be_built(repository: Path) -> None:
    """It fails, and the comment says why, next to what could be compared."""
    (repository / "new.tflite").write_bytes(np.arange(64, dtype=np.uint8).tobytes())
    done = run(repository, "--base", "HEAD~", "--models", "*.tflite", "--targets", "atmega328")
    assert done.returncode == 1
    assert "- **failed:** `new: error: broken model" in done.stdout
    assert "### `sine` on `atmega328`" in done.stdout


def test_base_without_the_model(repository: Path) -> None:
    """The first commit of all with a model has nothing to compare with."""
    git(repository, "mv", "sine.tflite", "wave.tflite")
    done = run(repository, "--base", "HEAD~", "--models", "wave.tflite")
    assert done.returncode == 0
    assert "nothing to compare: no report of HEAD~." in done.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--base", "no-such"), "expected --command or --models, one of the two"),
        (("--base", "no-such", "--models", "*.tflite"), "'git fetch' failed: "),
        (("--base", "HEAD~", "--models", "*.tflite", "--min-flash=1"), "unknown '--min-flash=1'"),
    ],
)
def test_mistakes(repository: Path, words: tuple[str, ...], expected: str) -> None:
    """One error, and nothing is left of the second tree."""
    done = run(repository, *words)
    assert done.returncode == 2
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert git(repository, "worktree", "list").count("\n") == 0


@pytest.fixture
def token(repository: Path, api: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables of a runner, in this process."""
    for name, value in {**runner(repository, api), "GITHUB_TOKEN": "secret"}.items():
        if name.startswith("GITHUB_"):
            monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("token")
def test_comment_is_found_among_many(api: GitHub, capsys: pytest.CaptureFixture[str]) -> None:
    """On the second page; one of somebody else with the same first line is left as it is."""
    api.comments = {number: f"about {number}" for number in range(150)}
    github.post_comment("7", f"{github.MARK}\nfirst")
    github.post_comment("7", f"{github.MARK}\nsecond")
    assert len(api.comments) == 151
    assert api.comments[250] == f"{github.MARK}\nsecond"
    api.foreign = {250}
    github.post_comment("7", f"{github.MARK}\nthird")
    assert api.comments[250] == f"{github.MARK}\nsecond"
    assert api.comments[251] == f"{github.MARK}\nthird"
    github.post_comment("7", github.MARK + "x" * 70_000)
    assert len(api.comments[251]) < 65_536
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("token")
def test_token_that_may_not_write(
    api: GitHub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a fork: a warning, and the job goes on."""
    api.status = 403
    github.post_comment("7", "text")
    assert "size_comment: warning: no comment: HTTP Error 403" in capsys.readouterr().err
    monkeypatch.delenv("GITHUB_TOKEN")
    github.post_comment("7", "text")
    assert "warning: no comment: $GITHUB_TOKEN is not set" in capsys.readouterr().err
