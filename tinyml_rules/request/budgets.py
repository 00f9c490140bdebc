"""The budgets of a firmware: less than the part has, so that growth is noticed before it is full.

They are options of a compilation like the others, and decide no byte of what is made.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.request.option import Kind, Option

_GROUP = "budgets"
_ROWS = (
    (
        "flash",
        "bytes",
        "fail if flash exceeds this many bytes: before linking those of the constants, after "
        "linking those of the whole image",
    ),
    (
        "ram",
        "bytes",
        "fail if RAM exceeds this many bytes: before linking those of the model, after linking "
        "those of all variables and the worst-case stack",
    ),
    ("arena", "bytes", "fail if the model's arena exceeds this many bytes"),
    ("stack", "bytes", "fail if the firmware's worst-case stack exceeds this many bytes"),
    (
        "cycles",
        "cycles",
        "fail if one inference takes more cycles, which are estimated where the emulator counts "
        "instructions, or may take more by the bound of `wcet`, where there is one",
    ),
    ("instructions", "instructions", "fail if one inference takes more instructions"),
)
_ENERGY = Option(
    "max_energy",
    Kind.ENERGY,
    "fail if one inference takes more energy, which is estimated from the typical current in the "
    "target's [power]; such as 10 uJ or 2.5 mJ, without a unit in microjoules",
    metavar="ENERGY",
    unit="microjoules",
    group=_GROUP,
)


def _budget(word: str, unit: str, what: str) -> Option:
    return Option(f"max_{word}", Kind.NUMBER, what, metavar=unit.upper(), unit=unit, group=_GROUP)


BUDGETS: Mapping[str, Option] = {
    option.name: option for option in (*(_budget(*row) for row in _ROWS), _ENERGY)
}
"""By name; a request has a field of each."""
OF_LINK = ("max_flash", "max_ram", "max_stack")
"""Those of which a link has the figures, of any firmware."""
