"""A remote cache on nginx: what one clone has built, no other one builds again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.bazel.builds import processes
from tests.bazel.remote_servers import ACTIONS_OF_A_PAIR, Clone, clone, serving

TESTS = ("//:sine_host_test", "//:sine_atmega328_test")
ACTIONS = ACTIONS_OF_A_PAIR * len(TESTS)
OTHER_SHELL = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C", "HOME": "/nonexistent"}


def test_another_clone_builds_nothing(tmp_path: Path) -> None:
    """In another folder, from another shell, with a Bazel of its own: every action is a hit."""
    with serving("cache", tmp_path / "served") as port:
        options = ("--config=cache", f"--remote_cache=http://127.0.0.1:{port}")
        first = clone(tmp_path / "first")
        done = first.bazel("test", *options, *TESTS)
        assert done.returncode == 0, done.stdout + done.stderr
        assert first.runners().total() == ACTIONS
        assert "remote cache hit" not in first.runners()

        before = len(requests(tmp_path))
        second = clone(tmp_path / "further" / "down")
        done = second.bazel("test", *options, *TESTS, variables=OTHER_SHELL)
        assert done.returncode == 0, done.stdout + done.stderr
        assert second.runners() == Counter({"remote cache hit": ACTIONS})
        assert processes(done.stderr)["remote cache hit"] == ACTIONS
        assert second.outputs() == first.outputs() != {}
        asked = Counter(requests(tmp_path)[before:])
        assert asked.keys() == {"GET 200"}
        assert asked.total() < 10 * ACTIONS
        check_image_is_part_of_a_key(first, options)


def requests(folder: Path) -> list[str]:
    """What nginx was asked so far: `GET 200`."""
    lines = (folder / "served" / "access.log").read_text(encoding="utf-8").splitlines()
    return [f"{line.split()[5][1:]} {line.split()[8]}" for line in lines]


def check_image_is_part_of_a_key(made: Clone, options: Sequence[str]) -> None:
    """Other tools on the workers, so another value in the platform: what was there is no hit."""
    build_file = made.workspace / "BUILD.bazel"
    text = build_file.read_text(encoding="utf-8")
    build_file.write_text(text.replace('"debian-12"', '"debian-13"'), encoding="utf-8")
    done = made.bazel("build", *options, "//:sine_host")
    assert done.returncode == 0, done.stdout + done.stderr
    assert made.runners().total() == 1
    assert "remote cache hit" not in made.runners()
