"""A folder with every file that the tests of this folder name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.errors.models import MODELS

NOWHERE = """
description = "a part that nobody has"
architecture = "host"
[toolchain]
prefix = "nowhere-"
[packages]
nowhere-gcc = "gcc-nowhere"
[runner]
kind = "host"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with every model and input file that the commands name."""
    for name, data in MODELS.items():
        (tmp_path / f"{name}.tflite").write_bytes(data)
    int8 = np.int8
    np.save(tmp_path / "sound.npy", np.zeros((1, 4), int8))
    np.save(tmp_path / "int64.npy", np.zeros((1, 4), np.int64))
    np.save(tmp_path / "nan.npy", np.array([[0, 1, np.nan, 2]], np.float32))
    np.save(tmp_path / "long.npy", np.zeros((1, 5), int8))
    np.save(tmp_path / "no_samples.npy", np.zeros((0, 1, 4), int8))
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    np.savez(tmp_path / "first.npz", first=np.zeros((1, 2), int8))
    np.savez(
        tmp_path / "uneven.npz", first=np.zeros((3, 1, 2), int8), second=np.zeros((2, 1, 2), int8)
    )
    (tmp_path / "nothing.npy").write_bytes(b"")
    (tmp_path / "zip.npz").write_bytes(b"PK\x03\x04 and then nothing")
    target = tmp_path / "more" / "nowhere" / "target.toml"
    target.parent.mkdir(parents=True)
    target.write_text(NOWHERE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path
