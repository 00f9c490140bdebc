"""For each option of the table, its attribute gives what the command line gives, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.bazel.builds import Bazel
from tests.ways_in.samples import (
    TARGET,
    TOGETHER,
    Sample,
    outcome,
    through_command_line,
    write_project,
)
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS


def rule(sample: Sample) -> str:
    """The sample as a target of a BUILD file."""
    options = [f"{name} = {_value(name, value)}" for name, value in sample.options.items()]
    settings = [f'name = "{sample.name}"', f'src = "{sample.model}"', f'target = "{TARGET}"']
    return f"tinyml_model({', '.join([*settings, *options])})\n"


def _value(name: str, value: Any) -> str:
    if OPTIONS[name].kind is Kind.PAIRS:
        return repr(dict(each.split("=") for each in value))
    if OPTIONS[name].kind is Kind.FOLDERS:
        return f"glob({[f'{folder}/**' for folder in value]})"
    return repr(value)


def test_every_option(
    bazel: Bazel, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one build, with what they go with: a process of Bazel's compiles each."""
    package = workspace / "every_option"
    package.mkdir()
    write_project(package)
    load = 'load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model")\n'
    (package / "BUILD.bazel").write_text(load + "".join(map(rule, TOGETHER)))
    bazel.build(workspace, "//every_option:all")
    monkeypatch.chdir(package)
    made = workspace / "bazel-bin" / "every_option"
    differing = [
        each.name
        for each in TOGETHER
        if outcome(made, each.name) != through_command_line(each, each.options, tmp_path)
    ]
    assert differing == []
