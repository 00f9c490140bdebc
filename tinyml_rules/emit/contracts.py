"""Contracts in front of the C functions of kernels and pieces, as Frama-C reads them (ACSL)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tinyml_rules.cores.finish import OF_32_BITS
from tinyml_rules.emit.kernels import KernelUse
from tinyml_rules.emit.piece_contracts import PIECES, Piece
from tinyml_rules.emit.words import TextWords
from tinyml_rules.ir.c_struct import Member, members
from tinyml_rules.ir.contract import (
    BIAS_MOST,
    CLAMPED,
    PRODUCT_MOST,
    Between,
    Contract,
    Declared,
    Pointer,
    declarations,
)
from tinyml_rules.ir.program import Form

_ORDER = ("requires", "assigns", "exits", "ensures")
"""Of clauses, by their first words."""
NO_EXIT = "exits \\false;"
"""The function comes back, so that nothing has to be shown of a call that ends the program."""
_BOUNDED = 2 ** (OF_32_BITS.bits - 1)
"""Of a bounded sum, half is for the bias and half for the products."""


def bias_most(use: KernelUse) -> int:
    """The greatest size of a bias with which a kernel's sums are proved to stay inside what it
    takes."""
    is_bounded = use.kernel.contract is not None and use.kernel.contract.is_bounded
    return _BOUNDED if is_bounded else BIAS_MOST


def of_bounded_sum(*, is_clamped: bool) -> str:
    """What a piece relies on that requantizes a bounded sum, and what it keeps to."""
    first, *_, last = OF_32_BITS.shifts
    most = 2**OF_32_BITS.bits - 1
    return f"""requires -{most} <= acc <= {most} && 0 <= multiplier && {first} <= shift <= {last};
    requires {_clamps(is_clamped=is_clamped)};
    assigns \\nothing;
    {NO_EXIT}
    ensures clamp_min <= \\result <= clamp_max;"""


def _clamps(path: str = "", *, is_clamped: bool) -> str:
    """What holds of the clamps; those that nobody looks at are those of int8."""
    least, most = (f"{path}{each}" for each in CLAMPED)
    return f"{least} <= {most}" if is_clamped else f"{least} == -128 && {most} == 127"


def with_piece_contract(text: str, file: Path, words: TextWords) -> str:
    """The C text of a piece with the contract of its function, where that is declared."""
    piece = PIECES.get(file.name.partition(".")[0])
    return (
        text if piece is None else with_contract(text, f"{words.p}{piece.name}", _of_piece(piece))
    )


def of_params(use: KernelUse) -> str:
    """What a function that is given the params of a kernel relies on."""
    contract = use.kernel.contract
    return "" if contract is None else "\n    ".join(OfKernel(contract, use).of_params())


def of_rows(use: KernelUse) -> str:
    """What a function that is given the rows of a kernel relies on."""
    contract = use.kernel.contract
    if contract is None:
        return ""
    kernel = OfKernel(contract, use)
    return "\n    ".join(each for operand in contract.reads for each in kernel.read(operand))


def with_contract(text: str, function: str, clauses: Iterator[str]) -> str:
    """C text with a contract in front of one of its functions."""
    found = re.search(rf"^static [^;{{}}]*?\b{function}(?:_row)?\(", text, re.MULTILINE)
    assert found is not None, f"no function {function}"
    body = "\n    ".join(
        sorted((*clauses, NO_EXIT), key=lambda each: _ORDER.index(each.split()[0]))
    )
    return f"{text[: found.start()]}/*@ {body}\n*/\n{text[found.start() :]}"


def _of_piece(piece: Piece) -> Iterator[str]:
    """One of the boxes holds, and each leads to its result."""
    boxes = [piece.condition(box) for box in piece.boxes]
    yield f"requires {' || '.join(f'({each})' for each in boxes)};"
    yield "assigns \\nothing;"
    for box, condition in zip(piece.boxes, boxes, strict=True):
        least, most = box.result
        yield f"ensures {condition} ==> {least} <= \\result <= {most};"


@dataclass(frozen=True)
class OfKernel:
    """A kernel's contract, about the struct that this model gives it."""

    contract: Contract
    use: KernelUse
    is_clamped: bool = True
    """Whether the piece that requantizes its sums, if these are bounded, looks at the clamps."""

    @cached_property
    def members(self) -> Sequence[Member]:
        return list(members(self.use.params))

    def clauses(self) -> Iterator[str]:
        contract = self.contract
        yield from self._walk()
        yield from self.of_params()
        for each in contract.reads:
            yield from self.read(each)
        yield from self.of_output()

    def of_output(self, *others: str) -> Iterator[str]:
        """What it writes, apart from all that it reads values of."""
        contract = self.contract
        written = self._cells(contract.writes)
        yield f"requires \\valid({written});"
        if self.members or others:
            yield f"requires {self.is_apart(written, *others)};"
        pointer, last = _pointer(contract.writes), f"{self.count(contract.writes)} - 1"
        yield f"assigns {pointer}[0 .. {last}];"
        if contract.result is not None:
            least, most = map(self.in_params, contract.result)
            where = f"\\forall integer k; 0 <= k <= {last}"
            yield f"ensures {where} ==> {least} <= {pointer}[k] <= {most};"

    def is_apart(self, written: str, *others: str) -> str:
        """That what is written is neither the struct, nor one of its tables, nor another one."""
        tables = [self._table(each) for each in self.members if each.is_table]
        struct = ["params", *tables] if self.members else []
        return f"\\separated({', '.join((written, *struct, *others))})"

    def of_params(self) -> Iterator[str]:
        """What holds of the struct."""
        fields = self.fields
        # of one member at a time no prover is needed for a read of it
        numbers = [f"\\valid_read(&{cell})" for cell, _, _ in fields]
        numbers += [
            f"{told.values.least} <= {cell} <= {told.values.most}"
            for cell, member, told in fields
            if told.values is not None and not member.is_table
        ]
        if numbers:
            yield f"requires {' && '.join(numbers)};"
        yield from (f"requires {each};" for each in self._tables())
        yield from (f"requires {self.in_params(each)};" for each in self.contract.requires)
        if self.contract.is_bounded:
            products = self.in_params(self.contract.products)
            yield f"requires {products} <= {_BOUNDED // PRODUCT_MOST - 1};"
            yield f"requires {_clamps('params->', is_clamped=self.is_clamped)};"

    def _walk(self) -> Iterator[str]:
        """What holds of the numbers of units or of pixels that it is given."""
        if self.use.kernel.form is Form.POINTWISE:
            yield "requires 0 <= count;"
        elif self.use.in_pieces:
            yield "requires 0 <= first_pixel && 0 <= pixels;"
            yield "requires first_pixel + pixels <= params->output_width;"

    def read(self, operand: Pointer) -> Iterator[str]:
        """An operand; rows are there or null."""
        if self.use.kernel.form is not Form.WINDOW:
            yield f"requires \\valid_read({self._cells(operand)});"
            return
        height = "params->window.height"
        yield f"requires \\valid_read(rows + (0 .. {height} - 1));"
        row = f"(({operand.c_type} *)rows[y])" if operand.c_type else "rows[y]"
        size = self.in_params(f"input_width * {operand.elements}")
        where = f"\\forall integer y; 0 <= y < {height} && rows[y] != \\null"
        yield f"requires {where} ==> \\valid_read({row} + (0 .. {size} - 1));"

    def _tables(self) -> Iterator[str]:
        """What the fields of the struct declare of tables."""
        for cell, member, told in self.fields:
            if not member.is_table:
                continue
            yield f"\\valid_read({self._table(member)})"
            if told.values is not None:
                where = f"\\forall integer k; 0 <= k < {self.in_params(told.elements)}"
                yield f"{where} ==> {told.values.least} <= {cell}[k] <= {told.values.most}"

    @cached_property
    def fields(self) -> Sequence[tuple[str, Member, Declared]]:
        """Those of the struct and of the structs in it, with what is declared of each here."""
        return [
            (cell, member, replace(told, values=self._bounded.get(member.name, told.values)))
            for cell, member, told in _fields(self.use.params, "params->")
        ]

    @property
    def _bounded(self) -> Mapping[str, Between]:
        """What other values the members have where sums are bounded."""
        if not self.contract.is_bounded:
            return {}
        first, *_, last = OF_32_BITS.shifts
        most = bias_most(self.use)
        return {"bias": Between(-most, most), "shift": Between(first, last)}

    def _table(self, member: Member) -> str:
        count = declarations(self.use.params)[member.name].elements
        assert count, f"{self.use.kernel.name}: {member.name} does not declare its elements"
        return f"params->{member.name} + (0 .. {self.in_params(count)} - 1)"

    @property
    def _units(self) -> str:
        """How many there are; a pixel is one of a kernel of rows."""
        if self.use.kernel.form is Form.WINDOW:
            return "pixels" if self.use.in_pieces else "params->output_width"
        return "count" if self.use.kernel.form is Form.POINTWISE else ""

    def count(self, operand: Pointer) -> str:
        elements = self.in_params(operand.elements)
        units = "" if operand.is_whole else self._units
        return " * ".join(each for each in (units, elements) if each not in ("", "1")) or "1"

    def _cells(self, operand: Pointer) -> str:
        return f"{_pointer(operand)} + (0 .. {self.count(operand)} - 1)"

    def in_params(self, expression: str) -> str:
        """C over members as C over params."""
        names = "|".join(each.name for each in self.members)
        return (
            re.sub(rf"(?<![.>\w])({names})\b", r"params->\1", expression) if names else expression
        )


def _fields(struct: object, path: str) -> Iterator[tuple[str, Member, Declared]]:
    """(C expression, member, what is declared of it) of the numbers and tables in a struct."""
    declared = declarations(struct)
    for member in members(struct):
        if member.is_struct:
            yield from _fields(member.value, f"{path}{member.name}.")
        else:
            yield f"{path}{member.name}", member, declared[member.name]


def _pointer(operand: Pointer) -> str:
    if not operand.c_type:
        return operand.name
    return f"(({operand.c_type} *){operand.name})"
