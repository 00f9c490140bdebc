"""The figures of the last release, which those of today are set beside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.layer_figures import LayerRow, layers_json, layers_of
from benchmarks.matrix import Row
from benchmarks.results import json_text, row_of

RELEASE = Path(__file__).with_name("release.json")


@dataclass(frozen=True)
class Release:
    """All pairs of the zoo, and the benchmark set, of one version."""

    version: str
    matrix: Sequence[Row]
    layers: Sequence[LayerRow]

    @property
    def pairs(self) -> Mapping[tuple[str, str, str], Row]:
        """{(target, model, settings): row}."""
        return {(row.target, row.model, row.settings): row for row in self.matrix}


def release_json(release: Release) -> str:
    """A text for release.json, a line for each row."""
    parts = {
        "version": json.dumps(release.version),
        "matrix": json_text(release.matrix),
        "layers": layers_json(release.layers),
    }
    lines = ",\n".join(f'"{name}": {text.strip()}' for name, text in parts.items())
    return f"{{\n{lines}\n}}\n"


def release_of(text: str) -> Release:
    """The release in a text of `release_json`."""
    data = json.loads(text)
    return Release(
        version=data["version"],
        matrix=[row_of(each) for each in data["matrix"]],
        layers=layers_of(json.dumps(data["layers"])),
    )
