"""The instructions and the data of a linked program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from tinyml_rules.errors import UsageError
from tinyml_rules.firmware.disassembly import Code, read_disassembly
from tinyml_rules.firmware.loaded import Loaded
from tinyml_rules.firmware.switches import with_switches
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target


def read_code(target: Target, elf: Path, *, where: str) -> tuple[Code, Loaded]:
    """The disassembled program, its switches found, and its data.  Raises ToolError."""
    command = [target.toolchain.program("objdump"), "-f", "-d", "-w", "--no-show-raw-insn"]
    text = run_tool([*command, str(elf)], where=where)
    with elf.open("rb") as file:
        loaded = Loaded.of(ELFFile(file))
    code = read_disassembly(
        text,
        architecture=target.architecture,
        word_at=loaded.word_at,
        is_table=loaded.is_in_table,
    )
    return with_switches(code, loaded, architecture=target.architecture), loaded


@contextmanager
def a_users(elf: Path) -> Iterator[None]:
    """Raises UsageError where a file of the user's, read inside, is missing or is no ELF file."""
    try:
        yield
    except OSError as error:
        raise UsageError.at(str(elf), f"cannot be read ({error.strerror})") from error
    except ELFError as error:
        raise UsageError.at(str(elf), f"cannot be read as an ELF file ({error})") from error
