"""All kernels with a contract, proved side by side."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from proofs.frama_c import Proof, has_instructions, prove, prove_lemma
from proofs.pieces import prove_piece
from proofs.units import NAME, Unit, write
from tinyml_rules.emit.piece_contracts import PIECES

_LEMMA = re.compile(r"\blemma (\w+):")


@dataclass(frozen=True)
class Proved:
    """A kernel or a piece, and what became of its goals."""

    name: str
    form: str
    proof: Proof
    tool: str


def prove_all(units: Iterable[Unit], *, jobs: int | None = None) -> Iterator[Proved]:
    """One after the other as they are done, and the lemmas that they use."""
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        waiting = [pool.submit(_proved, unit) for unit in _with_lemmas(units)]
        yield from (each.result() for each in as_completed(waiting))


def _with_lemmas(units: Iterable[Unit]) -> Iterator[Unit]:
    """Each followed by the lemmas of its file that no file before it has."""
    seen: set[str] = set()
    for unit in units:
        yield unit
        lemmas = dict.fromkeys(_LEMMA.findall(unit.files[f"{NAME}.c"]))
        for lemma in (each for each in lemmas if each not in seen):
            yield Unit(lemma.removeprefix(f"{NAME}_"), "lemma", (lemma,), unit.files)
        seen |= set(lemmas)


def _proved(unit: Unit) -> Proved:
    text = unit.files[f"{NAME}.c"]
    assert not has_instructions(text), f"{unit.name}: assembly, which Frama-C does not read"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if unit.name in PIECES:
            proof = prove_piece(PIECES[unit.name], unit.files, folder)
            return Proved(unit.name, unit.form, proof, "EVA")
        file = write(unit, folder)
        if unit.form == "lemma":
            return Proved(unit.name, unit.form, prove_lemma(file, *unit.functions), "WP")
        return Proved(unit.name, unit.form, prove(file, unit.functions, prefix=f"{NAME}_"), "WP")
