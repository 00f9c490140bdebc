"""Models that TensorFlow's quantizer made, from a folder beside that of the zoo's models."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def quant_folder(models_mirror: Path | None) -> Path:
    """`quant` beside the folder given by --models; skips the test where it is not there."""
    if models_mirror is None or not (models_mirror.parent / "quant").is_dir():
        pytest.skip("no folder 'quant' beside --models")
    return models_mirror.parent / "quant"
