"""A user's arrays: .npy and .npz files, which are as untrusted as a model."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.errors import UsageError
from tinyml_rules.system.files import read_file

Arrays = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]
_PICKLE = b"\x80"
"""The first byte of a pickle."""
_EXPECTED = "expected arrays of numbers: reading objects would run what the file says, so none is"


def read_arrays_file(path: Path) -> Arrays:
    """The array of a .npy, or those of a .npz by name; raises UsageError for a file that cannot be
    read, or has what is no array."""
    data = read_file(path)
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            return {name: _array(loaded, name, path) for name in loaded}
    except UsageError:
        raise
    except Exception as error:  # numpy, zip, zlib and the tokenizer each have their own
        if data.startswith(_PICKLE) or _is_of_objects(error):
            raise UsageError.at(str(path), f"Python objects, {_EXPECTED}") from error
        reason = str(error).partition(". If you trust")[0].removesuffix(".")
        what = f"not a readable .npy or .npz file ({reason})"
        raise UsageError.at(str(path), what) from error


def _is_of_objects(error: Exception) -> bool:
    """Whether numpy refused an array of objects."""
    return str(error).startswith("Object arrays")


def _array(loaded: Any, name: str, path: Path) -> npt.NDArray[Any]:
    """A member of a .npz, which may also be the bytes of another file, or Python objects."""
    try:
        member = loaded[name]
    except ValueError as error:
        if _is_of_objects(error):
            what = f"array {name!r} has Python objects, {_EXPECTED}"
            raise UsageError.at(str(path), what) from error
        raise
    if not isinstance(member, np.ndarray):
        raise ValueError(f"its member {name!r} is no array")
    return member
