"""One kind of fuzzing by atheris, until it finds a fault or ends: `python -m tests.fuzz.worker KIND
[OPTION OF LIBFUZZER ...] [FOLDER]`.

The modules that are to be covered are imported here, so that atheris counts their branches.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence

import atheris

from tests.fuzz import odd_values

COUNTED = [
    f"tinyml_rules.{room}"
    for room in (
        *("model_file", "ir", "passes", "ops", "request", "sensor", "surroundings", "target"),
        *("compare", "tune", "overview", "reporting", "system", "firmware.manifest"),
    )
]
"""What reads and judges; counting branches of the rest would double the time to start."""


def with_wrong_words(data: bytes, most: int, seed: int) -> bytes:
    """As libFuzzer changes an input, or a word of it as broken models have them."""
    from tests.support.mutations import changed_anywhere  # noqa: PLC0415 - imports what is counted

    if seed % 2:
        return bytes(atheris.Mutate(data, most))
    return changed_anywhere(data, seed)[:most]


def with_odd_values(data: bytes, most: int, seed: int) -> bytes:
    """The same for a value of a description."""
    if seed % 2:
        return bytes(atheris.Mutate(data, most))
    return odd_values.with_odd_values(data, seed)[:most]


_changed = {"reader": with_wrong_words, "descriptions": with_odd_values}


def main(arguments: Sequence[str]) -> None:
    """Does not return: libFuzzer ends the process."""
    kind, *others = arguments
    with atheris.instrument_imports(include=COUNTED):
        module = importlib.import_module(f"tests.fuzz.{kind}")
    warnings.simplefilter("error")  # an overflow in numpy is a number that nobody checked
    changing = {} if kind == "round_trip" else {"custom_mutator": _changed[kind]}
    atheris.Setup([sys.argv[0], *others], module.one_input, **changing)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
