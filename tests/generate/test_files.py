"""Every generated file is as the code and the figures have it; the command says what it wrote."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generate import __main__
from generate.files import generated_files
from tests.conftest import PROJECT

READ = (
    *("benchmarks/layers.json", "benchmarks/release.json", "benchmarks/quantizer.json"),
    *("benchmarks/networks.json", "benchmarks/worst_case.json"),
    *("models/paper.json", "models/results.json", "models/tflm.json", "models/sine/sine.tflite"),
)
"""Figures, and the model, that pages are made from."""
WRITTEN_ELSEWHERE = (
    *("tinyml_rules/target/boards.toml", "tinyml_rules/target/parts.toml"),
    *("tinyml_rules/fitting/code.json", "requirements/check.txt", "requirements/package-lock.json"),
)
"""By programs that need more than the repository."""


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """{path: text} of all of them."""
    return generated_files(PROJECT)


def test_up_to_date(generated: dict[str, str]) -> None:
    """Written by `python -m generate`."""
    texts = {name: (PROJECT / name).read_text(encoding="utf-8") for name in generated}
    assert [name for name, text in texts.items() if text != generated[name]] == []


def test_every_kind_is_there(generated: dict[str, str]) -> None:
    """As a guard against a generator that finds nothing."""
    for name in (
        "README.md",
        "docs/reference/options.md",
        "docs/pictures/comparison-light.svg",
        "tinyml_rules/commands/completions/tinyml_rules.zsh",
        "tinyml_rules/frontends/bazel/option_table.bzl",
        "tinyml_rules/frontends/bazel/target_table.bzl",
        "tinyml_rules/frontends/cmake/TinymlRulesOptions.cmake",
    ):
        assert name in generated


def test_forges_know_them(generated: dict[str, str]) -> None:
    """.gitattributes has every file that is generated whole, and no pattern of the past."""
    lines = (PROJECT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    patterns = [line.partition(" ")[0] for line in lines if line.endswith(" linguist-generated")]
    files = {path for pattern in patterns for path in PROJECT.glob(pattern)}
    whole = {PROJECT / name for name in (*generated, *WRITTEN_ELSEWHERE) if name[-3:] != ".md"}
    assert whole - files == set()
    assert [pattern for pattern in patterns if not any(PROJECT.glob(pattern))] == []


def test_command(
    generated: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It writes and names what is missing or another text, and nothing else."""
    for name in (*generated, *READ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PROJECT / name, tmp_path / name)
    monkeypatch.setattr(__main__, "ROOT", tmp_path)
    page, table = "docs/reference/options.md", "tinyml_rules/frontends/bazel/target_table.bzl"
    before = (tmp_path / page).read_text(encoding="utf-8")
    option = next(line for line in before.splitlines() if line.startswith("| `--"))
    (tmp_path / page).write_text(before.replace(option, "| old |"), encoding="utf-8")
    (tmp_path / table).unlink()
    __main__.main()
    assert sorted(capsys.readouterr().out.splitlines()) == [f"wrote {page}", f"wrote {table}"]
    assert (tmp_path / page).read_text(encoding="utf-8") == before
    assert (tmp_path / table).read_text(encoding="utf-8") == generated[table]
    __main__.main()
    assert capsys.readouterr().out == "wrote nothing: every generated file is up to date\n"
