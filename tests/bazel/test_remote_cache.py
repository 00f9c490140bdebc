"""A remote cache on nginx: what one clone has built, no other one builds again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bazel.builds import processes
from tests.bazel.remote_servers import ACTIONS_OF_A_PAIR, Clone, clone, serving

TESTS = ("//:sine_host_test", "//:sine_atmega328_test", "//:sine_nrf52840_test")
ACTIONS = ACTIONS_OF_A_PAIR * len(TESTS)
OTHER_SHELL = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C", "HOME": "/nonexistent"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder of a cache, and Bazel's option that names it."""
    folder = tmp_path_factory.mktemp("cache") / "served"
    with serving("cache", folder) as port:
        yield folder, f"--remote_cache=http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def first(served: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The clone that has filled the cache."""
    made = clone(tmp_path_factory.mktemp("first"))
    done = made.bazel("test", "--config=cache", served[1], *TESTS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert made.runners().total() == ACTIONS
    assert "remote cache hit" not in made.runners()
    return made


def requests(served: tuple[Path, str]) -> list[str]:
    """What nginx was asked so far: `GET 200`."""
    lines = (served[0] / "access.log").read_text(encoding="utf-8").splitlines()
    return [f"{line.split()[5][1:]} {line.split()[8]}" for line in lines]


def test_another_clone_builds_nothing(
    served: tuple[Path, str], first: Clone, tmp_path: Path
) -> None:
    """In another folder, from another shell, with a Bazel of its own: every action is a hit."""
    before = len(requests(served))
    second = clone(tmp_path / "further" / "down")
    done = second.bazel("test", "--config=cache", served[1], *TESTS, variables=OTHER_SHELL)
    assert done.returncode == 0, done.stdout + done.stderr
    assert second.runners() == Counter({"remote cache hit": ACTIONS})
    assert processes(done.stderr)["remote cache hit"] == ACTIONS
    assert second.outputs() == first.outputs() != {}
    asked = Counter(requests(served)[before:])
    assert asked.keys() == {"GET 200"}
    assert asked.total() < 10 * ACTIONS


def test_image_is_part_of_a_key(served: tuple[Path, str], first: Clone) -> None:
    """Other tools on the workers, so another value in the platform: what was there is no hit."""
    build_file = first.workspace / "BUILD.bazel"
    text = build_file.read_text(encoding="utf-8")
    build_file.write_text(text.replace('"debian-12"', '"debian-13"'), encoding="utf-8")
    done = first.bazel("build", "--config=cache", served[1], "//:sine_host")
    assert done.returncode == 0, done.stdout + done.stderr
    assert first.runners().total() == 1
    assert "remote cache hit" not in first.runners()
