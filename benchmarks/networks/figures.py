"""What is known of the networks: benchmarks/networks.json, and the table of the page."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tinyml_rules.reporting.rows import Rows

FIGURES = Path("benchmarks/networks.json")


@dataclass(frozen=True)
class NetworkRow:
    """Centred SQNRs in dB on so many `unseen` samples: of plain min/max, of what `quantize` chose,
    by the steps, and of TensorFlow's quantizer, which was given the float model of this SHA-256."""

    network: str
    title: str
    data: str
    seed: int
    sha256: str
    unseen: int
    plain: float
    chosen: float
    steps: tuple[str, ...]
    tensorflow: float | None = None

    @property
    def gain(self) -> float:
        """Above the better one of the others."""
        others = [self.plain, *([] if self.tensorflow is None else [self.tensorflow])]
        return self.chosen - max(others)


def rows_of_networks(text: str) -> list[NetworkRow]:
    """The rows in the text of the file."""
    rows = json.loads(text)
    return [NetworkRow(**{**row, "steps": tuple(row["steps"])}) for row in rows]


def text_of(rows: Sequence[NetworkRow]) -> str:
    """The text of the file."""
    lines = ",\n".join(f"  {json.dumps(asdict(row))}" for row in rows)
    return f"[\n{lines}\n]\n"


def with_tensorflow(rows: Sequence[NetworkRow], known: Sequence[NetworkRow]) -> list[NetworkRow]:
    """The rows, with what is recorded of TensorFlow for the float models of those without it."""
    of_model = {row.sha256: row.tensorflow for row in known}
    return [
        replace(row, tensorflow=of_model.get(row.sha256)) if row.tensorflow is None else row
        for row in rows
    ]


def network_rows(rows: Sequence[NetworkRow]) -> Rows:
    """The table: a row a network, with a figure for each seed."""
    found: Rows = []
    for name in dict.fromkeys(row.network for row in rows):
        of_name = [row for row in rows if row.network == name]
        found.append(
            {
                "network": of_name[0].title,
                "data": of_name[0].data,
                "unseen": of_name[0].unseen,
                "plain min/max": _all([row.plain for row in of_name]),
                "TensorFlow": _all([row.tensorflow for row in of_name]),
                "`quantize`": _all([row.chosen for row in of_name]),
            }
        )
    return found


def summary_of(rows: Sequence[NetworkRow]) -> str:
    """The mean gain over plain min/max, and the network that loses most against any other."""
    mean = math.fsum(row.chosen - row.plain for row in rows) / len(rows)
    worst = min(rows, key=lambda row: row.gain)
    where = f"{worst.network}, seed {worst.seed}"
    return f"mean gain over plain min/max {mean:+.2f} dB; least gain {worst.gain:+.2f} dB ({where})"


def _all(values: Sequence[float | None]) -> str:
    found = [f"{value:.1f}" for value in values if value is not None]
    return f"{', '.join(found)} dB" if found else ""
