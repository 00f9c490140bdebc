"""The hook of pre-commit: what it checks of a commit's files, in a folder like a repository's.

`pre-commit` itself calls the hook's entry with the names of files, as is done here.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.conftest import PROJECT
from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tinyml_rules.ci import check_models

HOOKS = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sine, and its budgets for two parts."""
    monkeypatch.chdir(tmp_path)
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    text = "[target.atmega328]\nmax_flash = 300\n[target.rp2040]\nmax_arena = 64\n"
    (tmp_path / "sine.tinyml.toml").write_text(text)
    return tmp_path


def test_hook() -> None:
    """Its entry is the module, and it is called for models and their files of options alone."""
    (hook,) = HOOKS
    assert hook["entry"].split()[-1] == check_models.__name__
    names = ("a/sine.tflite", "sine.tinyml.toml", "pyproject.toml", "sine.tflite.license")
    assert [bool(re.search(hook["files"], name)) for name in names] == [True, True, False, False]


@pytest.mark.parametrize("file", ["sine.tflite", "sine.tinyml.toml"])
def test_within_budgets(file: str, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed, and nothing is left."""
    before = sorted(repository.iterdir())
    assert check_models.main([file]) == 0
    assert capsys.readouterr() == ("", "")
    assert sorted(repository.iterdir()) == before


def test_broken_budgets(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each target in the file; the second one holds."""
    options = repository / "sine.tinyml.toml"
    options.write_text(options.read_text().replace("300", "200"))
    assert check_models.main(["sine.tflite", "sine.tinyml.toml"]) == 1
    errors = capsys.readouterr().err
    assert errors.count("error: ") == 1
    assert "--max-flash=200" in errors
    assert check_models.main(["sine.tflite", "--target", "rp2040,nrf52840"]) == 0


def test_linked(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--run` judges the whole firmware, which has more than constants."""
    target_or_skip("atmega328")
    assert check_models.main(["--run", "--target", "atmega328", "sine.tflite"]) == 1
    assert "more than --max-flash=300" in capsys.readouterr().err
    (repository / "sine.tinyml.toml").unlink()
    assert check_models.main(["--run", "--target", "atmega328", "sine.tflite"]) == 0


def test_what_is_no_model(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An error of the compiler; a file of options without a model is nobody's."""
    (repository / "new.tflite").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    (repository / "alone.tinyml.toml").write_text("optimize = 'size'\n")
    assert check_models.main(["alone.tinyml.toml"]) == 0
    assert check_models.main(["new.tflite"]) == 1
    assert "new.tflite: error: " in capsys.readouterr().err
    (repository / "sine.tinyml.toml").write_text("target = 3\n")
    assert check_models.main(["sine.tflite"]) == 2
    assert "expected tables [target.NAME]" in capsys.readouterr().err
