"""The command `accuracy` as a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tinyml_rules.cli import main

Arrays = Mapping[str, Any]
Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """A function that runs the command on arrays: exit status, and what it printed to both."""

    def ask_(model: Path, arrays: Arrays, *words: str) -> tuple[int, str, str]:
        vectors = tmp_path / "labelled.npz"
        np.savez(vectors, **arrays)
        status = main(["accuracy", str(model), "--vectors", str(vectors), *words])
        found = capsys.readouterr()
        return status, found.out, found.err.replace(f"{tmp_path}/", "")

    return ask_
