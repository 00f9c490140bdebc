"""What a change makes Bazel do again, and what another copy finds in a cache."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bazel.builds import BUILD_OPTIONS, Bazel, copy_rules, processes, worked
from tests.frontends.builds import with_other_weight

MADE = ("sine_atmega328.c", "sine_atmega328_test.elf", "sine_host_test")


@pytest.fixture
def own_workspace(bazel: Bazel, tmp_path: Path) -> Iterator[Path]:
    """A copy that a test may change."""
    folder = copy_rules(tmp_path / "rules")
    yield folder
    bazel.stop(folder)


def test_changes(bazel: Bazel, own_workspace: Path) -> None:
    """Of a template, of a weight; a test that passed before is run again, and says what differs."""
    test, source = "//:sine_atmega328_test", own_workspace / "bazel-bin" / "sine_atmega328.c"
    bazel.build(own_workspace, test, command="test")
    before = source.read_text()
    rules = own_workspace.parents[1]
    kernels = rules / "tinyml_rules" / "ops" / "lookup" / "kernels"
    with (kernels / "portable.c.j2").open("a") as file:
        file.write("/* another line */\n")
    assert worked(bazel.build(own_workspace, test, command="test")) == 3  # compile, link, run
    assert "/* another line */" in source.read_text()
    assert "/* another line */" not in before
    model = own_workspace / "model" / "sine.tflite"
    model.write_bytes(with_other_weight(model.read_bytes()))
    done = bazel.run(own_workspace, "test", *BUILD_OPTIONS, "--test_output=errors", test)
    assert done.returncode == 3
    assert re.search(r"sine_atmega328 on atmega328: error: sample \d+: output", done.stdout)
    assert worked(done.stderr) == 3


def damage(cache: Path) -> None:
    """Cut each file that the cache holds, or give it other bits; and what it knows of every fourth
    action too."""
    cut = 0
    for folder, step in (("cas", 1), ("ac", 4)):
        files = sorted(each for each in (cache / folder).rglob("*") if each.is_file())
        for number, file in enumerate(files[::step]):
            data = file.read_bytes()
            wrong = bytes(each ^ 1 for each in data) if number % 2 else data[: len(data) // 2]
            file.write_bytes(wrong)
            cut += 1
    assert cut > len(MADE)


def test_cache(workspace: Path, bazel: Bazel, own_workspace: Path, tmp_path: Path) -> None:
    """A copy in another folder, with another Bazel folder, builds and tests nothing itself.  Where
    what the cache holds is damaged it says so and builds that anew, with the same bytes."""
    tests = ("//:sine_host_test", "//:sine_atmega328_test")
    cache = f"--disk_cache={tmp_path / 'cache'}"
    first = bazel.build(own_workspace, cache, *tests, command="test")
    assert worked(first) > 0
    other = Bazel(tmp_path / "other")
    try:
        second = other.build(workspace, cache, *tests, command="test")
        made = {name: (workspace / "bazel-bin" / name).read_bytes() for name in MADE}
        other.run(workspace, "clean")
        damage(tmp_path / "cache")
        third = other.build(workspace, cache, *tests, command="test")
        found = {name: (workspace / "bazel-bin" / name).read_bytes() for name in MADE}
    finally:
        other.stop(workspace)
    assert worked(second) == 0
    assert worked(third) == worked(first)
    assert [name for name in MADE if found[name] != made[name]] == []
    assert processes(second)["remote cache hit"] == worked(first)  # Bazel 4's word for any cache
