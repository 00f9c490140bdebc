"""The tables of docs/explanation/proofs.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from proofs.kernels import Proved
from proofs.record import known
from tinyml_rules.ir.program import Kernel

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "proofs.md"
BEGIN, END = "<!-- proved -->", "<!-- /proved -->"


def write(proved: Sequence[Proved], kernels: Mapping[str, Kernel]) -> None:
    """Put the table into the page; `kernels` are all portable ones."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{chr(10).join(_lines(proved, kernels))}\n{END}{after}")


def _lines(proved: Sequence[Proved], kernels: Mapping[str, Kernel]) -> Iterator[str]:
    goals = sum(len(each.proof.goals) for each in proved)
    done = sum(each.proof.proved for each in proved)
    seconds = sum(each.proof.seconds for each in proved)
    yield f"{done} of {goals} goals of {len(proved)} kernels and pieces, {seconds:.0f} s of CPU."
    yield ""
    yield "| kernel | form | goals | proved | CPU s | open |"
    yield "| --- | --- | --: | --: | --: | --- |"
    for each in sorted(proved, key=lambda one: (one.form, one.name)):
        proof = each.proof
        cells = (
            f"`{each.name}`",
            each.form,
            len(proof.goals),
            proof.proved,
            f"{proof.seconds:.1f}",
        )
        yield f"| {' | '.join(map(str, cells))} | {', '.join(_open(each))} |"
    yield ""
    names = {each.name for each in proved}
    left = {name: each for name, each in kernels.items() if name not in names}
    with_contract = [name for name, each in left.items() if each.contract is not None]
    without = [name for name in left if name not in with_contract]
    yield f"With a contract, but not in this table: {_listed(with_contract)}"
    yield ""
    yield f"Without a contract yet: {_listed(without)}"


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in sorted(names))
    return f"{len(names)} portable kernels. {listed}." if names else "none."


def _open(proved: Proved) -> Iterable[str]:
    reasons = known().get(proved.name, {})
    return [f"`{goal}`: {reasons.get(goal, 'not recorded')}" for goal in proved.proof.opened]
