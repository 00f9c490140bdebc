"""The tables of docs/explanation/proofs.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from proofs.kernels import Proved
from proofs.record import known
from tinyml_rules.ir.program import Form, Kernel

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
    yield "| form | portable kernels | with a contract | in the table above |"
    yield "| --- | --: | --: | --: |"
    names = {each.name for each in proved}
    for form in Form:
        of_form = [each for each in kernels.values() if each.form is form]
        with_contract = sum(each.contract is not None for each in of_form)
        shown = sum(each.name in names for each in of_form)
        if of_form:
            yield f"| {form.value} | {len(of_form)} | {with_contract} | {shown} |"


def _open(proved: Proved) -> Iterable[str]:
    reasons = known().get(proved.name, {})
    return [f"`{goal}`: {reasons.get(goal, 'not recorded')}" for goal in proved.proof.opened]
