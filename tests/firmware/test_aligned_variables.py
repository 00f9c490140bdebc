"""Variables that ask for more than the stack does, as buffers of a cache line do, wherever there
are some: the image is linked, and they lie so."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.support.combined import target_or_skip
from tests.support.hand_written import build_snippet

PARTS = ("nrf52840", "riscv32imc", "esp32c3", "esp8266", "xtensa_lx6")
"""One of each linker script with variables at the end of RAM whose compiler is a package."""
CACHE_LINE = 32


@pytest.mark.parametrize("part", PARTS)
def test_links(part: str, tmp_path: Path) -> None:
    """In both sections, in one of them, with an odd size."""
    for number, (cleared, copied) in enumerate(product((4, CACHE_LINE), repeat=2)):
        before = (
            f"char cleared[33] __attribute__((aligned({cleared})));"
            f"char copied[35] __attribute__((aligned({copied}))) = {{1}};"
        )
        folder = tmp_path / str(number)
        folder.mkdir()
        use = "for (int i = 0; i < 33; i++) { cleared[i] = copied[i]; }"
        image = build_snippet(target_or_skip(part), folder, before=before, invoke=use)
        with image.elf.open("rb") as file:
            table = ELFFile(file).get_section_by_name(".symtab")
            assert isinstance(table, SymbolTableSection)
            for name, alignment in (("cleared", cleared), ("copied", copied)):
                (symbol,) = table.get_symbol_by_name(name) or []
                assert symbol.entry["st_value"] % alignment == 0
