"""`python -m tests.fuzz.smallest`: of what `./tinyml fuzz` found, the smallest input for each thing
that it makes a reader say, into corpus/, as far as there is room."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz import descriptions
from tests.fuzz.__main__ import FOLDER
from tests.fuzz.seeds import CORPUS
from tests.model_file.malformed_worker import try_copy
from tinyml_rules.errors import TinymlError

MOST_BYTES = {"reader": 8_000, "descriptions": 4_000}
LONGEST = 700
"""Of one input, in bytes."""
_OWN = re.compile(r"'[^']*'|[\d.,]+|\([^)]*\)|\S*/\S*")
"""What a message has of the input."""


def main() -> None:
    """Both kinds that answer in words; named files, of faults, stay as they are."""
    for kind, most in MOST_BYTES.items():
        left = most
        for data in smallest(sorted_files(FOLDER / kind), kind):
            if len(data) <= min(LONGEST, left):
                left -= len(data)
                name = f"{hashlib.sha256(data).hexdigest()[:12]}.bin"
                (CORPUS / kind / name).write_bytes(data)


def sorted_files(folder: Path) -> list[bytes]:
    """Those of a folder, the smallest first."""
    return sorted(
        (each.read_bytes() for each in folder.iterdir()), key=lambda data: (len(data), data)
    )


def smallest(inputs: list[bytes], kind: str) -> Iterator[bytes]:
    """The first input for each answer."""
    seen = set()
    for data in inputs:
        if (answer := answer_to(data, kind)) not in seen:
            seen.add(answer)
            yield data


def answer_to(data: bytes, kind: str) -> str:
    """The message without what is the input's own; "" where nothing is refused."""
    said: list[str] = []
    try:
        if kind == "reader":
            try_copy(data)
        else:
            descriptions.read_input(data)
    except TinymlError as error:
        said = [each.what for each in error.problems]
    return "; ".join(_OWN.sub("", each) for each in said[:1])


if __name__ == "__main__":
    main()
