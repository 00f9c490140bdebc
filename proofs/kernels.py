"""All kernels with a contract, several functions in a run of Frama-C, and runs side by side."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from proofs.frama_c import Proof, has_instructions, prove, prove_lemmas
from proofs.pieces import BOUNDED, prove_facts, prove_piece
from proofs.slices import NAME, OWN, Slice, lemmas, program
from proofs.units import Unit
from tinyml_rules.emit.piece_contracts import PIECES

TOGETHER = 12
"""How many functions a run of Frama-C has at most."""


@dataclass(frozen=True)
class Proved:
    """A kernel, a piece or a lemma, and what became of its goals.  `same_as`: the kernels before it
    that have one of its functions in the same words, in whose time it is."""

    name: str
    form: str
    proof: Proof
    tool: str
    same_as: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Task:
    """A unit, and its functions as WP gets them."""

    unit: Unit
    slices: tuple[Slice, ...]


def prove_all(units: Iterable[Unit], *, jobs: int | None = None) -> Iterator[Proved]:
    """As they are done, and the lemmas that they use.  A function that several have in the same
    words is proved once."""
    every = list(units)
    for unit in every:
        text = unit.files[f"{NAME}.c"]
        assert not has_instructions(text), f"{unit.name}: assembly, which Frama-C does not read"
    by_eva = [unit for unit in every if unit.name in PIECES]
    in_part = [unit for unit in every if unit.name in BOUNDED or unit.has_facts]
    tasks = [_Task(each, each.slices) for each in every if each not in (*by_eva, *in_part)]
    owners: dict[Slice, str] = {}
    for task in tasks:
        owners |= {each: task.unit.name for each in task.slices if each not in owners}
    facts = {each: unit.name for unit in in_part for each in unit.slices}
    done: dict[Slice, Proof] = {}
    jobs = jobs or os.cpu_count() or 1
    with ThreadPoolExecutor(jobs) as pool:
        others = [pool.submit(_piece, unit) for unit in by_eva]
        others += [pool.submit(_facts, unit) for unit in in_part]
        runs = [pool.submit(prove_slices, batch) for batch in _batches(owners, jobs)]
        known = pool.submit(_lemmas, owners | facts)
        for run in as_completed(runs):
            done |= run.result()
            ready = [each for each in tasks if done.keys() >= {*each.slices}]
            tasks = [each for each in tasks if each not in ready]
            yield from (_proved(each, done, owners) for each in ready)
        yield from (each.result() for each in others)
        yield from known.result()


def prove_slices(slices: Sequence[Slice], *, only: str = "") -> Mapping[Slice, Proof]:
    """In one run of Frama-C; `only` names a kind of goals."""
    text, functions = program(slices)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / f"{NAME}.c"
        file.write_text(text)
        found = prove(file, functions, only=only)
    return {each: found[function] for each, function in zip(slices, functions, strict=True)}


def _batches(slices: Iterable[Slice], jobs: int) -> Iterator[Sequence[Slice]]:
    """For so many runs side by side at least."""
    every = list(slices)
    together = max(min(TOGETHER, len(every) // jobs), 1)
    return (every[at : at + together] for at in range(0, len(every), together))


def _proved(task: _Task, done: Mapping[Slice, Proof], owners: Mapping[Slice, str]) -> Proved:
    name = task.unit.name
    proofs = [(each.name.replace(OWN, name), done[each]) for each in task.slices]
    proof = Proof(
        tuple(f"{function}_{goal}" for function, each in proofs for goal in each.goals),
        tuple(f"{function}_{goal}" for function, each in proofs for goal in each.opened),
        sum(done[each].seconds for each in task.slices if owners[each] == name),
    )
    same = (owners[each] for each in task.slices if owners[each] != name)
    return Proved(name, task.unit.form, proof, "WP", tuple(dict.fromkeys(same)))


def _piece(unit: Unit) -> Proved:
    with tempfile.TemporaryDirectory() as name:
        proof = prove_piece(PIECES[unit.name], unit.files, Path(name))
    return Proved(unit.name, unit.form, proof, "EVA")


def _facts(unit: Unit) -> Proved:
    by_both = unit.name in BOUNDED
    with tempfile.TemporaryDirectory() as name:
        proof = prove_facts(unit.slices, Path(name), by_both=by_both)
    return Proved(
        unit.name,
        unit.form if by_both else "facts",
        proof,
        "WP and EVA" if by_both else "WP",
    )


def _lemmas(owners: Mapping[Slice, str]) -> Sequence[Proved]:
    """All that functions rely on, each once, under the name of the first kernel that has it."""
    texts: dict[str, str] = {}
    for each, owner in owners.items():
        texts |= {text: owner for text in each.logic if text not in texts}
    named = {text: text.replace(OWN, owner) for text, owner in texts.items()}
    names = lemmas(named.values())
    if not names:
        return []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{NAME}.c"
        file.write_text("\n".join(named.values()))
        found = prove_lemmas(file, names)
    return [Proved(name, "lemma", found[f"lemma_{name}"], "WP") for name in names]
