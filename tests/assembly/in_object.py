"""What inline assembly became in an object: the instructions of each statement as they were
assembled, with the registers that the compiler chose, as a statement that can be judged as text is.

A label before and one behind it, which C of the tests gets, say where it is; the first has a
comment with the registers of its operands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.assembly.statements import (
    ASM,
    COMMENT,
    Operand,
    Statement,
    end_of,
    outside,
    statement_of,
)
from tinyml_rules.system.process import run_tool

_FORM = re.compile(r"%([A-Za-z]?)(?:\[(\w+)\]|(\d+))")
_OF_PAIRS = re.compile(r"\b(?:movw|adiw|sbiw)\b[^\n;]*")
"""Instructions of AVR on two registers, of which the text names one."""
_COMMENT_MARKS = {"arm": "@", "avr": ";", "riscv": "#", "xtensa": "#"}
_BEGIN = re.compile(r"tinyml_begin_(\d+)_(\d+):\s*[@;#] ?(.*)")
_LINE = re.compile(r"^ *([0-9a-f]+):\s+(?:[0-9a-f]{2,8} ?)+\s*\t(.*)$")
_SECTION = re.compile(r"^Disassembly of section (.*):$")
_NOT_READ = re.compile(r"\s*(?:[;@]|//| # | <).*$")
_SAME = re.compile(r"(?:eor|xor)\s+(r\d+), \1$")
_SUFFIXES = (
    (re.compile(r"^(\w+)\.[nw]\b"), r"\1"),
    (re.compile(r"^(ldm|stm)ia\b"), r"\1"),
    (_SAME, r"clr \1"),
    (re.compile(r"^negs (\w+), (\w+)$"), r"rsbs \1, \2, #0"),
)
"""How a disassembler writes what assembly has in another way."""


@dataclass(frozen=True)
class Marked:
    """C with labels around its statements, and these by number."""

    text: str
    statements: Mapping[int, Statement]


def marked(c_text: str, architecture: str) -> Marked:
    """Each statement that has operands."""
    c_text = COMMENT.sub(lambda each: re.sub(r"[^\n]", " ", each[0]), c_text)
    parts: list[str] = []
    found: dict[int, Statement] = {}
    last = 0
    for match in ASM.finditer(c_text):
        first, end = match.end(), end_of(c_text, match.end())
        statement = statement_of(c_text[first:end], {})
        colon = next((at for at, each in _top_level(c_text, first) if each == ":"), end)
        if statement is None or colon >= end:
            continue
        number = len(found)
        forms = " ".join(f"{form}=%{form}" for form in _forms(statement))
        begin = f"tinyml_begin_{number}_%=: {_COMMENT_MARKS[architecture]} {forms}"
        parts += [
            c_text[last:first],
            f'"{begin}\\n\\t" ',
            c_text[first:colon],
            f' "\\n\\ttinyml_end_{number}_%=:\\n" ',
        ]
        found[number], last = statement, colon
    return Marked("".join([*parts, c_text[last:]]), found)


def _top_level(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The characters outside of literals and brackets, with their places."""
    depth = 0
    for place, each in outside(text, start):
        depth += (each in "([") - (each in ")]")
        if depth == 0:
            yield place, each


def _forms(statement: Statement) -> list[str]:
    """Those of the text, and the plain one of each operand that is in a register of its own."""
    found = {each[0][1:] for each in _FORM.finditer(statement.text)}
    named = {_named(each) for each in found}
    for pair in _OF_PAIRS.findall(statement.text):
        found |= {f"B{each[0][1:]}" for each in _FORM.finditer(pair) if not each[1]}
    for each in statement.operands:
        if each.name not in named:
            found.add(each.name if each.name.isdigit() else f"[{each.name}]")
    return sorted(found)


@dataclass(frozen=True)
class Tools:
    """The commands of a compiler and a disassembler; `to_text`: what makes assembly with the text
    of statements as it was written; `takes_text`: whether the compiler makes objects of that."""

    compiler: Sequence[str]
    disassembler: Sequence[str]
    to_text: Sequence[str] = ("-S",)
    takes_text: bool = True


def assembled(tools: Tools, made: Marked, folder: Path) -> Iterator[Statement]:
    """Every copy of each statement in the object of marked C."""
    source, listing, file = folder / "marked.c", folder / "marked.s", folder / "object.o"
    source.write_text(made.text, encoding="utf-8")
    compiler = [*tools.compiler]
    run_tool([*compiler, *tools.to_text, str(source), "-o", str(listing)], where=source.name)
    of = listing if tools.takes_text else source
    run_tool([*compiler, "-c", str(of), "-o", str(file)], where=of.name)
    disassembly = run_tool([*tools.disassembler, "-d", str(file)], where=file.name)
    lines = sorted(_lines(disassembly))
    at = [each for each, _ in lines]
    places = _places(file)
    for match in _BEGIN.finditer(listing.read_text(encoding="utf-8")):
        first, end = (places[f"tinyml_{each}_{match[1]}_{match[2]}"] for each in ("begin", "end"))
        its = [text for _, text in lines[bisect_left(at, first) : bisect_left(at, end)]]
        registers = dict(each.partition("=")[::2] for each in match[3].split() if "=" in each)
        yield _as_assembled(made.statements[int(match[1])], registers, its)


def _as_assembled(
    statement: Statement, registers: Mapping[str, str], lines: Sequence[str]
) -> Statement:
    """With an operand for each register that one of the statement's has in its text."""

    def found(operands: Sequence[Operand]) -> Iterator[Operand]:
        for each in operands:
            for form, register in registers.items():
                if _named(form) == each.name:
                    yield replace(each, name=form, register=register)

    outputs, inputs = (tuple(found(each)) for each in (statement.outputs, statement.inputs))
    return Statement("\n".join(lines), outputs, inputs, statement.clobbers)


def _named(form: str) -> str:
    """The operand of a form."""
    match = _FORM.fullmatch(f"%{form}")
    assert match
    return match[2] or match[3]


def without_an_output_of(statement: Statement) -> Iterator[Statement]:
    """The statement with an output made an input, with all its registers, each in turn."""
    for name in {_named(each.name) for each in statement.outputs if not each.is_memory}:
        kept = tuple(each for each in statement.outputs if _named(each.name) != name)
        gone = tuple(
            replace(each, constraint=each.constraint.strip("=+&"))
            for each in statement.outputs
            if each not in kept
        )
        yield replace(statement, outputs=kept, inputs=(*statement.inputs, *gone))


def _places(file: Path) -> dict[str, tuple[str, int]]:
    """Section and offset of each label."""
    with file.open("rb") as opened:
        elf = ELFFile(opened)
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {
            each.name: (elf.get_section(each["st_shndx"]).name, each["st_value"])
            for each in table.iter_symbols()
            if each.name.startswith(("tinyml_begin_", "tinyml_end_"))
        }


def _lines(text: str) -> Iterator[tuple[tuple[str, int], str]]:
    """The instructions of a disassembly, by section and address."""
    section = ""
    for line in text.splitlines():
        if head := _SECTION.match(line):
            section = head[1]
        elif match := _LINE.match(line):
            words = _NOT_READ.sub("", match[2]).replace("\t", " ").strip()
            for pattern, to in _SUFFIXES:
                words = pattern.sub(to, words)
            yield (section, int(match[1], 16)), words
