"""What EVA takes of a model without a look at it, because it is proved in the same run: functions
by their contracts, and assertions.

Of a kernel that is recorded as proved, the text that the model has of it is proved again: it may
requantize in a form of its own.  All that such a function calls is proved too, and EVA looks at
whether each call keeps to the contract.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from proofs.pieces import IN_SMALL_BOXES
from proofs.record import proved_whole
from proofs.slices import NAME
from proofs.units import Unit, of_files, portable_kernels, rounded_kernels
from tinyml_rules.emit.piece_contracts import PIECES
from tinyml_rules.ir.rounding import plain_kernel

_PRODUCTS = "dot_product"
"""The piece whose loop is most of the work, whatever calls it."""
_CALL = re.compile(rf"\b({NAME}_\w+)\(")
_HEIGHT = re.compile(r"\.height = (\d+),")
_RESULT = re.compile(r"\n *ensures [^;]*;")
_EACH_ROW = re.compile(
    r"requires \\forall integer y; 0 <= y < (?P<height>[\w>.-]+) && (?P<condition>[^;]*?)"
    r" ==> (?P<then>[^;]*);"
)


def relied_on(files: Mapping[str, str]) -> Sequence[Unit]:
    """The kernels and pieces of a model that are to be proved."""
    known = portable_kernels() | rounded_kernels()
    every = list(of_files(files, known))
    recorded = proved_whole()
    found = [each for each in every if each.has_facts or plain_kernel(each.name) in recorded]
    found = [each for each in found if each.name in known or each.name == _PRODUCTS]
    return list(_with_callees(found, every))


def each_once(units: Sequence[Unit]) -> Sequence[Unit]:
    """Units of several models without those that an earlier one has in the same words."""
    found: dict[tuple[object, ...], Unit] = {}
    for unit in units:
        words = () if unit.name in PIECES else unit.slices
        found.setdefault((unit.name, *words), unit)
    return list(found.values())


def taken(units: Collection[Unit]) -> Sequence[str]:
    """Their functions whose bodies are not looked at: all but those of few steps, about whose
    results EVA knows more than contracts say, and those of which only assertions are taken."""
    return [
        function
        for unit in units
        if not unit.has_facts and (unit.name not in PIECES or unit.name in IN_SMALL_BOXES)
        for function in unit.functions
    ]


def row_by_row(text: str) -> str:
    """C text with contracts that say the same of each row of a window, one after the other, as far
    as the highest window of the model goes: EVA knows nothing of any row, but all of each."""
    most = max(map(int, _HEIGHT.findall(text)), default=0)

    def of_rows(found: re.Match[str]) -> str:
        height = found["height"]
        rows = [f"requires {height} <= {most};"]
        for y in range(most):
            condition, then = (
                re.sub(r"\by\b", str(y), found[each]) for each in ("condition", "then")
            )
            rows.append(f"requires {y} < {height} && {condition} ==> {then};")
        return "\n    ".join(rows)

    return _EACH_ROW.sub(of_rows, text)


def without_results(text: str, units: Collection[Unit]) -> str:
    """C text in which contracts of functions that EVA does look at say nothing of their results."""
    looked_at = {each for unit in units for each in unit.functions} - {*taken(units)}
    names = "|".join(looked_at) or "(?!)"
    contract = re.compile(
        rf"/\*@(?:[^*]|\*(?!/))*\*/(?=\nstatic [^;{{}}=]*?\b(?:{names})\()", re.MULTILINE
    )
    return contract.sub(lambda found: _RESULT.sub("", found[0]), text)


def _with_callees(units: Sequence[Unit], every: Sequence[Unit]) -> Iterator[Unit]:
    todo = list(units)
    seen = {each.name for each in todo}
    while todo:
        unit = todo.pop(0)
        yield unit
        called = {name for text in _bodies(unit) for name in _CALL.findall(text)}
        for each in every:
            if each.name not in seen and called.intersection(each.functions):
                seen.add(each.name)
                todo.append(each)


def _bodies(unit: Unit) -> Iterator[str]:
    """The C text of its functions."""
    text = unit.files[f"{NAME}.c"]
    for function in unit.functions:
        found = re.search(rf"^static [^;{{}}]*?\b{function}\((?:.|\n)*?^}}$", text, re.MULTILINE)
        assert found is not None
        yield found[0]
