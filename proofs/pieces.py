"""The pieces of arithmetic whose contracts are boxes, by EVA: for every value in every box."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from proofs.frama_c import Proof, analyse, prove_results
from proofs.slices import NAME, Slice, program, without_weights
from tinyml_rules.emit.piece_contracts import Box, Piece, Range
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.system.annotated import without_annotations

IN_SMALL_BOXES = ("reciprocal_of_one_plus",)
"""Pieces whose steps of Newton and Raphson converge for an interval if it is small."""
BOUNDED = tuple(f"requantize{each.value}" for each in Rounding if each.is_of_bounded_sums)
"""Pieces of shifts whose results WP proves where nothing goes wrong in them, and EVA that it does
not."""
_CORNER = 0x7FFF0000
"""From here on the upper half of a value is the largest."""
_SMALL = 2**15 + 1
_VALUE_CUTS = (0, _CORNER, 2**31 - 1)
_MULTIPLIER_CUTS = (2**31 - 2**15, 2**31 - 2, 2**31 - 1)
"""Where ranges are cut: intervals alone do not tell that the largest halves of words do not come
together."""


def prove_piece(piece: Piece, files: Mapping[str, str], folder: Path) -> Proof:
    """Alarms are what stays open; the goals are the boxes, and that there is no alarm."""
    for name, text in files.items():
        (folder / name).write_text(without_weights(without_annotations(text)))
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


def prove_facts(slices: Sequence[Slice], folder: Path, *, by_both: bool = False) -> Proof:
    """What results from functions, by WP, where nothing goes wrong in them; `by_both`: and that it
    does not, whatever their contracts allow, by EVA."""
    text, functions = program(slices)
    file = folder / f"{NAME}.c"
    file.write_text(text)
    found = list(prove_results(file, functions).items())
    for function in functions if by_both else ():
        alarms = analyse(file, main=function, more=("-lib-entry",))
        found.append((function, replace(alarms, goals=("alarms", *alarms.opened))))
    return Proof(
        tuple(f"{function}_{goal}" for function, proof in found for goal in proof.goals),
        tuple(f"{function}_{goal}" for function, proof in found for goal in proof.opened),
        sum(proof.seconds for _, proof in found),
    )


def _calls(piece: Piece, box: Box) -> Iterator[str]:
    """A call for every value of the parameters with few."""
    cuts: dict[str, Sequence[int]] = dict.fromkeys(("a", "value"), _VALUE_CUTS)
    if piece.name in IN_SMALL_BOXES:
        cuts["value"] = range(0, 2**31, 2**25)
    cuts |= dict.fromkeys(("b", "multiplier"), _multiplier_cuts(box))
    sides = [
        [_interval(*part) for part in _parts(name, low, high, cuts.get(name, ()))]
        for name, (low, high) in box.parameters.items()
    ]
    least, most = box.result
    for arguments in product(*sides):
        yield f"    result = {NAME}_{piece.name}({', '.join(arguments)});"
        yield f"    /*@ assert {least} <= result <= {most}; */"


def _multiplier_cuts(box: Box) -> Sequence[int]:
    """Where values reach the corner, or are small next to half a word."""
    most = max(high for name, (_, high) in box.parameters.items() if name in ("a", "value"))
    if most >= _CORNER:
        return _MULTIPLIER_CUTS
    return range(2**25, 2**31, 2**25) if 255 < most < _SMALL else ()


def _parts(name: str, low: int, high: int, cuts: Sequence[int]) -> Iterator[Range]:
    """A range between its cuts; of shifts to the left, each alone."""
    at = range(high + 1) if name == "shift" else cuts
    inside = [cut for cut in at if low < cut <= high]
    yield from zip([low, *inside], [*(cut - 1 for cut in inside), high], strict=True)


def _interval(low: int, high: int) -> str:
    return f"Frama_C_interval({_literal(low)}, {high})" if low < high else _literal(low)


def _literal(value: int) -> str:
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)
