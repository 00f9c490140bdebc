"""Where the float models and the data of the quantizer's measurements come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

QuantFile = Callable[[str], Path]


@pytest.fixture(scope="session")
def quant_file(models_mirror: Path | None) -> QuantFile:
    """A function from a file's name to its path, in the folder `quant` beside that of --models;
    skips the test where there is none."""

    def path_of(name: str) -> Path:
        if models_mirror is None:
            pytest.skip("no --models, beside which the folder quant would lie")
        path = models_mirror.resolve().parent / "quant" / name
        if not path.exists():
            pytest.skip(f"no {path}")
        return path

    return path_of
