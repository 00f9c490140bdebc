"""Files in and out: a readable error for one that is not there, no half-written output."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tinyml_rules.errors import UsageError


def read_file(path: Path) -> bytes:
    """The bytes of a file; UsageError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError.at(str(path), f"cannot be read ({error.strerror})") from error


def write_files(files: Mapping[str, str | bytes], folder: Path) -> None:
    """All files or none: each is written under another name before the first one is renamed.

    A name may be a path within `folder`; the folders on the way are made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".tinyml-") as staging:
            for name, content in files.items():
                data = content if isinstance(content, bytes) else content.encode()
                staged = Path(staging) / name
                staged.parent.mkdir(parents=True, exist_ok=True)
                staged.write_bytes(data)
            for name in files:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(Path(staging) / name, folder / name)  # noqa: PTH105 - says "atomic"
    except OSError as error:
        raise UsageError.at(str(folder), f"cannot be written ({error.strerror})") from error
