"""How each front end writes a setting, so that a message names what its reader can type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Spelling:
    """Patterns of {name}, {upper}, {dashed} and {value}: for a switch that is on, and for a choice;
    `joint` stands between several."""

    switch: str
    choice: str
    joint: str = " "

    def of(self, name: str, value: str = "") -> str:
        """The setting `name`, such as `push_rows`: switched on, or with a value."""
        pattern = self.choice if value else self.switch
        return pattern.format(
            name=name, upper=name.upper(), dashed=name.replace("_", "-"), value=value
        )

    def together(self, settings: Iterable[str]) -> str:
        """Settings that `of` has written, as one phrase."""
        return self.joint.join(settings)


COMMAND_LINE = "command-line"
SPELLINGS = {
    COMMAND_LINE: Spelling("--{dashed}", "--{dashed}={value}"),
    "scons": Spelling("TINYML_{upper}=True", "TINYML_{upper}='{value}'", ", "),
    "scons-arguments": Spelling("{name}=yes", "{name}={value}"),
    "platformio": Spelling("custom_tinyml_{name} = yes", "custom_tinyml_{name} = {value}", " and "),
    "cmake": Spelling("{upper}", "{upper} {value}"),
    "bazel": Spelling("{name} = True", '{name} = "{value}"', ", "),
}
"""By front end.  Make and Meson pass the words of the command line on."""
