"""The budgets of a firmware: less than the part has, so that growth is noticed before it is full.

They are options of a compilation like the others, and decide no byte of what is made.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.request.option import Kind, Option

_OF_A_BUILD = (
    ("flash", "bytes", "flash: constants before the link, all that is linked behind it"),
    (
        "ram",
        "bytes",
        "RAM: what the model brings before the link, all variables and the worst-case "
        "stack behind it",
    ),
    ("arena", "bytes", "the model's arena"),
    ("stack", "bytes", "the worst-case stack of a firmware"),
)
_OF_A_RUN = (
    (
        "cycles",
        "cycles",
        "one inference, in cycles: counted, or estimated where the emulator counts instructions",
    ),
    ("instructions", "instructions", "one inference, in instructions"),
)


def _budget(word: str, unit: str, what: str) -> Option:
    return Option(
        f"max_{word}",
        Kind.NUMBER,
        f"an error where more is taken than this budget for {what}",
        metavar=unit.upper(),
        unit=unit,
    )


BUDGETS: Mapping[str, Option] = {
    option.name: option for option in (_budget(*row) for row in (*_OF_A_BUILD, *_OF_A_RUN))
}
"""By name; a request has a field of each."""
