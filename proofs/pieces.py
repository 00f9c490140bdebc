"""The pieces of arithmetic whose contracts are boxes, by EVA: for every value in every box."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from proofs.frama_c import Proof, analyse
from proofs.units import NAME
from tinyml_rules.emit.piece_contracts import PIECES, Box, Piece
from tinyml_rules.system.annotated import without_annotations

_ONE_BY_ONE = 64
"""Ranges with at most so many values are taken value by value: shifts."""
_CUTS = {
    **dict.fromkeys(("a", "value"), (0, 0x7FFF0000, 2**31 - 1)),
    **dict.fromkeys(("b", "multiplier"), (2**31 - 2**15, 2**31 - 2, 2**31 - 1)),
}
"""Where ranges are cut, by parameter: intervals alone do not tell that the largest halves of words
do not come together."""


def prove_piece(piece: Piece, files: Mapping[str, str], folder: Path) -> Proof:
    """Alarms are what stays open; the goals are the boxes, and that there is no alarm."""
    for name, text in files.items():
        (folder / name).write_text(without_annotations(text))
    calls = [call for box in piece.boxes for call in _calls(piece, box)]
    program = (
        f'#include "{NAME}.c"\n#include "__fc_builtin.h"\nint main(void)\n{{\n    int result;\n'
        + "\n".join(calls)
        + "\n    return result;\n}\n"
    )
    file = folder / f"{piece.name}.c"
    file.write_text(program)
    found = analyse(file)
    boxes = tuple(f"box_{number}" for number in range(1, len(piece.boxes) + 1))
    return Proof((*boxes, "alarms", *found.opened), found.opened, found.seconds)


def _calls(piece: Piece, box: Box) -> Iterator[str]:
    """A call for every value of the parameters with few."""
    sides = []
    for name, (low, high) in box.parameters.items():
        if high - low < _ONE_BY_ONE:
            sides.append([str(value) for value in range(low, high + 1)])
        else:
            sides.append([_interval(*part) for part in _parts(name, low, high)])
    least, most = box.result
    for arguments in product(*sides):
        yield f"    result = {NAME}_{piece.name}({', '.join(arguments)});"
        yield f"    /*@ assert {least} <= result <= {most}; */"


def _parts(name: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """A range between its cuts."""
    cuts = [cut for cut in _CUTS.get(name, ()) if low < cut <= high]
    yield from zip([low, *cuts], [*(cut - 1 for cut in cuts), high], strict=True)


def _interval(low: int, high: int) -> str:
    return f"Frama_C_interval({_literal(low)}, {high})"


def _literal(value: int) -> str:
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)


ALL = PIECES
"""By name."""
