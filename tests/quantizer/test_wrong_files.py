"""Files that have no arrays of numbers: refused by name, and nothing in them runs."""

from __future__ import annotations

import pickle
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.quantizer.float_models import MODELS
from tests.quantizer.runs import drawn
from tinyml_rules.cli import main
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.quantizer.samples import load_arrays

DENSE = MODELS["FULLY_CONNECTED"]


def test_not_an_array_file(tmp_path: Any) -> None:
    """Other files, and what is cut or damaged."""
    file = tmp_path / "cal.npy"
    file.write_bytes(b"no array")
    with pytest.raises(UsageError, match=r"not a readable \.npy or \.npz file"):
        load_arrays(file)
    np.savez_compressed(file.with_suffix(".npz"), x=np.ones((30, 12)))
    data = bytearray(file.with_suffix(".npz").read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    file.write_bytes(data)
    with pytest.raises(UsageError, match=r"not a readable \.npy or \.npz file"):
        load_arrays(file)


@dataclass
class Runs:
    """An object whose pickle creates a file where it is read."""

    made: str

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (self.made, "w")


def test_objects_are_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pickles and arrays of objects, also next to the one that is needed: refused, by name, before
    anything in them runs; at the command line."""
    model, out, made = (tmp_path / name for name in ("m.tflite", "out.tflite", "made"))
    model.write_bytes(build_model(DENSE))
    objects = np.array([Runs(str(made))], object)
    given, samples = tmp_path / "cal.npz", drawn(DENSE)["x"]

    def is_refused(found: str) -> bool:
        arguments = ["quantize", str(model), "--calibration", str(given), "--out", str(out)]
        assert main(arguments) == 2
        assert not out.exists() and not made.exists()
        return capsys.readouterr().err.startswith(f"{given}: error: {found}")

    np.savez(given, x=samples, more=objects)
    assert is_refused("array 'more' has Python objects, expected arrays of numbers")
    given.write_bytes(pickle.dumps(objects[0]))
    assert is_refused("Python objects, expected arrays of numbers")
    with zipfile.ZipFile(given, "w") as packed:
        packed.writestr("x.npy", pickle.dumps(objects[0]))
    assert is_refused("not a readable .npy or .npz file (its member 'x' is no array)")
    np.save(tmp_path / "objects.npy", objects, allow_pickle=True)
    given.write_bytes((tmp_path / "objects.npy").read_bytes())
    assert is_refused("Python objects, expected arrays of numbers")
    np.savez(given)
    assert is_refused("no arrays, expected one for input 'x'")
