"""`measure`: what a firmware takes that somebody else's build has linked."""

from __future__ import annotations

import argparse
from pathlib import Path

from elftools.common.exceptions import ELFError

from tinyml_rules.errors import UsageError
from tinyml_rules.firmware.measure import loaded_bytes, static_ram_bytes
from tinyml_rules.report.sizes import image_figures
from tinyml_rules.request.command_line import add_targets_folder, chosen_target


def add_measure(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("elf", type=Path, metavar="FIRMWARE.elf", help="the linked firmware")
    parser.add_argument("--target", required=True, help="the part that it is for")
    add_targets_folder(parser)


def measured_line(options: argparse.Namespace) -> str:
    """One line: flash and variables in the memory of the part.

    The stack is not counted: its bound follows from startup code of ours and from how each file was
    compiled.  Raises UsageError for what is no ELF file, and for a target without memory.
    """
    target, elf = chosen_target(options), options.elf
    memory = target.memory
    if memory is None:
        raise UsageError.at(
            str(elf), f"'{target.name}' has no memory, expected the target of a part"
        )
    try:
        figures = {
            "flash_bytes": loaded_bytes(elf, memory),
            "ram_bytes": static_ram_bytes(elf, memory),
            "stack_bytes": None,
        }
    except (OSError, ELFError) as error:
        raise UsageError.at(str(elf), f"cannot be read as an ELF file ({error})") from error
    return f"SIZE    {elf.name}: {image_figures(figures)} without the stack"
