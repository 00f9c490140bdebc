"""A linked firmware, and the files from which its size is computed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["minimal", "test"]
"""`minimal`: only the model, to be measured.  `test`: reads samples, to be run."""


@dataclass(frozen=True)
class Image:
    """The firmware `elf` around model `name`.

    `model_objects` are those of `objects` that came from the model; GCC put a stack usage file
    `.su` next to each object.
    """

    name: str
    invoke_symbol: str
    """The C function that runs the model: once an inference, or once a pushed row."""
    kind: Kind
    elf: Path
    map_file: Path
    objects: tuple[Path, ...]
    model_objects: tuple[Path, ...]
    weights: Path | None = None
    """The file from which the model reads its weights, if they are not in flash."""

    @property
    def stack_usage_files(self) -> tuple[Path, ...]:
        """GCC's `.su` file of each object that was compiled from C."""
        files = (file.with_suffix(".su") for file in self.objects)
        return tuple(file for file in files if file.is_file())
