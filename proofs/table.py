"""The tables of docs/explanation/proofs.md, from what is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from proofs.model_record import lines as model_lines
from proofs.record import Record, known, records
from tinyml_rules.ir.program import Form, Kernel

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "proofs.md"


def write(kernels: Mapping[str, Kernel]) -> None:
    """Put the tables into the page; `kernels` are all portable ones."""
    _put("proved", _lines(records(), kernels))


def write_models() -> None:
    """The table of models."""
    _put("models", model_lines())


def _put(name: str, lines: Iterable[str]) -> None:
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, rest = PAGE.read_text().split(begin)
    after = rest.split(end)[1]
    text = "\n".join(lines)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def _lines(proved: Sequence[Record], kernels: Mapping[str, Kernel]) -> Iterator[str]:
    goals = sum(each.goals for each in proved)
    done = sum(each.proved for each in proved)
    seconds = sum(each.seconds for each in proved)
    several = sum(each.form != "lemma" for each in proved)
    yield f"{done} of {goals} goals of {several} kernels and pieces, {seconds:.0f} s of CPU."
    yield ""
    yield "| kernel | form | goals | proved | CPU s | the rest in that of | open |"
    yield "| --- | --- | --: | --: | --: | --- | --- |"
    for each in proved:
        cells = (f"`{each.name}`", each.form, each.goals, each.proved, f"{each.seconds:.1f}")
        same = ", ".join(f"`{name}`" for name in each.same_as)
        yield f"| {' | '.join(map(str, cells))} | {same} | {_open(each)} |"
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


def _open(proved: Record) -> str:
    if proved.goals == proved.proved:
        return ""
    return ", ".join(f"`{goal}`: {why}" for goal, why in known().get(proved.name, {}).items())
