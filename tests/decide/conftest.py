"""Trained models with data that no package brings: the folder `quant` beside the mirror."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def trained(models_mirror: Path | None) -> Path:
    """That folder; skips the test where there is none."""
    if models_mirror is None or not (models_mirror.parent / "quant").is_dir():
        pytest.skip("needs --models=DIR with a folder quant beside DIR")
    return models_mirror.parent / "quant"
