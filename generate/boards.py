"""The table of boards by the part that they carry, from what PlatformIO's platforms say of them.

`python -m generate.parts` writes it with the table of parts.  What PlatformIO does not have is in
`boards_by_hand.toml`.
"""

from __future__ import annotations

import json
import textwrap
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from tinyml_rules.target.part_table import part_without_order_code, plain_name

_WIDTH = 100
BY_HAND = Path(__file__).with_name("boards_by_hand.toml")
_WITHOUT_TARGET = {
    "esp32s2": "Xtensa LX7",
    "esp32s3": "Xtensa LX7",
    "attiny": "8-bit AVR without a multiplier",
    "stm32wl": "Cortex-M4 without an FPU",
    "mk20": "Cortex-M4 without an FPU",
    "mkw24": "Cortex-M4 without an FPU",
    "fu540": "RV64",
}
"""By the beginning of a processor's name, the core that nothing here is compiled for."""


def boards_text(folders: Iterable[Path], parts: Collection[str], sources: Iterable[str]) -> str:
    """The file: {part: boards}, and {core: parts and boards without a target}."""
    by_hand = tomllib.loads(BY_HAND.read_text(encoding="utf-8"))
    boards = {board: part for part, names in by_hand["boards"].items() for board in names}
    without = {each: core for core, names in by_hand["without_target"].items() for each in names}
    missing = sorted(set(boards.values()) - set(parts))
    assert not missing, f"boards of parts that the table lacks: {missing}"
    for board, mcu in _boards(folders):
        core = next((core for word, core in _WITHOUT_TARGET.items() if mcu.startswith(word)), "")
        if core:
            without |= {mcu: core, board: core}
        elif mcu in parts:
            boards.setdefault(board, mcu)
        elif mcu in boards:
            boards.setdefault(board, boards[mcu])
    boards = {name: part for name, part in boards.items() if name not in parts}
    lines = [
        "# Boards by the part that they carry; written by generate/parts.py, not by hand.",
        "#",
        *(f"# {each}" for each in sources),
        "# Makers' pages, named in generate/boards_by_hand.toml",
    ]
    lines += ["", "[boards]", *_rows(boards), "", "[without_target]", *_rows(without)]
    return "\n".join(lines) + "\n"


def _boards(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """(board, processor)."""
    for path in (each for folder in folders for each in sorted((folder / "boards").glob("*.json"))):
        build = json.loads(path.read_text(encoding="utf-8"))["build"]
        mcu = plain_name(build.get("mcu", "")).removeprefix("lp")
        if mcu:
            yield plain_name(path.stem), part_without_order_code(mcu)


def _rows(table: Mapping[str, str]) -> Iterator[str]:
    """A key with its list, a few names a line."""
    for key in sorted(set(table.values())):
        names = sorted(name for name, of in table.items() if of == key)
        yield f"{json.dumps(key)} = ["
        yield textwrap.fill(
            ", ".join(map(json.dumps, names)) + ",",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
        )
        yield "]"
