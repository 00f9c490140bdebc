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

KINDS = ("reader", "descriptions", "round_trip")


def main(arguments: Sequence[str]) -> None:
    """Does not return: libFuzzer ends the process."""
    kind, *others = arguments
    with atheris.instrument_imports(include=["tinyml_rules"]):
        module = importlib.import_module(f"tests.fuzz.{kind}")
    warnings.simplefilter("error")  # an overflow in numpy is a number that nobody checked
    atheris.Setup([sys.argv[0], *others], module.one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
