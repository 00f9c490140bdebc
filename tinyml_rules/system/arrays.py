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


def read_arrays_file(path: Path) -> Arrays:
    """The array of a .npy, or those of a .npz by name; raises UsageError for a file that cannot be
    read, or has what is no array."""
    try:
        loaded = np.load(io.BytesIO(read_file(path)), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            return {name: _array(loaded[name]) for name in loaded}
    except UsageError:
        raise
    except Exception as error:  # numpy, zip, zlib and the tokenizer each have their own
        reason = str(error).partition(". If you trust")[0].removesuffix(".")
        what = f"not a readable .npy or .npz file ({reason})"
        raise UsageError.at(str(path), what) from error


def _array(member: Any) -> npt.NDArray[Any]:
    """A member of a .npz, which may also be the bytes of another file."""
    if not isinstance(member, np.ndarray):
        raise ValueError("a member is no array")
    return member
