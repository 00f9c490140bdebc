"""`measure`: what a firmware takes that somebody else's build has linked."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from tinyml_rules.commands.console import Console
from tinyml_rules.errors import OverBudgetError, UsageError
from tinyml_rules.firmware.linked_code import a_users
from tinyml_rules.firmware.measure import consumers_of, loaded_bytes
from tinyml_rules.firmware.ram import ram_use
from tinyml_rules.reporting.budgets import LINKED, over_budget
from tinyml_rules.reporting.known import of_firmware
from tinyml_rules.reporting.sizes import amount, image_figures
from tinyml_rules.request.budgets import BUDGETS
from tinyml_rules.request.command_line import (
    add_options,
    add_targets_folder,
    chosen_target,
    values_of,
)
from tinyml_rules.runners.figures import program_size

_BUDGETS = {name: BUDGETS[name] for name in ("max_flash", "max_ram")}
"""The budgets of measured figures."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("elf", type=Path, metavar="FIRMWARE.elf", help="the linked firmware")
    parser.add_argument("--target", required=True, help="the target, part or board that it is for")
    add_targets_folder(parser)
    add_options(parser, _BUDGETS)


def run(options: argparse.Namespace, console: Console) -> None:
    """Print one line: flash and variables in the memory of the part.

    The stack is not counted: its bound needs our startup code and the way each file was compiled.
    Memory that a linker script reserves for heap and stack, and memory other than the part's RAM,
    is named, but not part of a budget.  Raises UsageError for a file that is not ELF and for a
    target without memory, OverBudgetError for an exceeded budget.
    """
    target, elf = chosen_target(options), options.elf
    memory = target.memory
    if memory is None:
        raise UsageError.at(
            str(elf), f"'{target.name}' has no memory, expected the target of a part"
        )
    with a_users(elf):
        ram = ram_use(elf, memory)
        flash_bytes = loaded_bytes(elf, memory)
        found = program_size(flash_bytes, ram.variables_bytes, None, consumers_of(elf))
    budgets = values_of(options, _BUDGETS)
    problems = over_budget(LINKED, of_firmware(found), budgets, where=elf.name)
    if problems:
        raise OverBudgetError(problems)
    line = f"SIZE    {elf.name}: {image_figures(found)} without the stack"
    console.result(
        line + _rest("reserved for heap and stack", ram.reserved) + _rest("in", ram.elsewhere)
    )


def _rest(what: str, sections: Mapping[str, int]) -> str:
    """Bytes that are in no figure, with the names of their sections."""
    if not sections:
        return ""
    names = ", ".join(sections)
    listed = f"{what} {names}" if what == "in" else f"{what} ({names})"
    return f"; {amount(sum(sections.values()))} {listed}"
