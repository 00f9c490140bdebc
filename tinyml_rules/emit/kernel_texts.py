"""The C text of kernels, of the pieces that they call, and of the nodes that run graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tinyml_rules.cores import qualifiers_of
from tinyml_rules.emit.c_text import struct_declaration
from tinyml_rules.emit.contracts import OfKernel, with_contract, with_piece_contract
from tinyml_rules.emit.groups import group_text
from tinyml_rules.emit.kernels import KernelUse
from tinyml_rules.emit.names import Names
from tinyml_rules.emit.parts import Part, calls_of, graph_function, marked_entries, steps_of
from tinyml_rules.emit.requantizing import rounding_words
from tinyml_rules.emit.rice import rice_use
from tinyml_rules.emit.sum_contracts import OfSums
from tinyml_rules.emit.templates_of import render
from tinyml_rules.emit.words import (
    CallWords,
    KernelWords,
    PieceWords,
    RoundingWords,
    TextWords,
    loop_limit,
    row_words,
    sum_words,
)
from tinyml_rules.plan.planned import Planned


def text_words(names: Names, parts: Sequence[Part]) -> TextWords:
    """Of all kernels and pieces of a model."""
    qualifiers = qualifiers_of(names.schedule.program.features)
    return TextWords(
        p=names.prefix,
        flash=qualifiers.flash,
        table=qualifiers.table,
        outlined=qualifiers.outlined,
        sums=sum_words(wraps=any(step.overflow for step in steps_of(parts))),
        in_constant_time=names.in_constant_time,
        at_most=loop_limit if names.has_loop_limits else lambda _: "",
    )


def piece_texts(
    names: Names, parts: Sequence[Part], files: Iterable[Path], *, macro: str
) -> Iterator[str]:
    """Of each file of emit/runtime; the model's macros begin with `macro`."""
    words = PieceWords(
        text=text_words(names, parts),
        requantizing=_requantizing(names, parts),
        macro=macro,
        rice=rice_use(part.names.schedule for part in parts),
    )
    for file in files:
        text = render(file, words, is_annotated=names.is_annotated)
        yield with_piece_contract(text, file, words.text) if names.is_annotated else text


def kernel_texts(
    names: Names, parts: Sequence[Part], uses: Iterable[KernelUse], *, held: str
) -> Iterator[tuple[KernelUse, str, str]]:
    """(use, C name, C text) of each kernel that the file has; `held` qualifies a pointer to
    params."""
    text, requantizing = text_words(names, parts), _requantizing(names, parts)
    for use in uses:
        kernel = use.kernel
        if kernel.template is None:
            continue
        name = f"{text.p}{kernel.name}"
        far = "__memx " if kernel.is_far else text.flash
        words = KernelWords(
            kernel=name,
            struct=struct_declaration(
                f"{name}_params", use.params, prefix=text.p, pointer=text.flash, far=far
            ),
            held=held,
            weights_flash=far,
            far="_far" if kernel.is_far else "",
            rounding=kernel.rounding.value,
            multiplier=kernel.rounding.multiplier,
            multiplier_type=kernel.rounding.multiplier_type,
            are_clamped=requantizing.are_clamped,
            use=use,
            text=text,
            row=row_words(in_pieces=use.in_pieces),
            variant=kernel.variant,
        )
        made = render(kernel.template, words, is_annotated=names.is_annotated)
        is_clamped = kernel.rounding.value in requantizing.are_clamped
        is_annotated = names.is_annotated
        yield use, name, _with_contracts(made, name, use, is_clamped) if is_annotated else made


def _with_contracts(text: str, name: str, use: KernelUse, is_clamped: bool) -> str:
    """With the contract of each function of the kernel that has one."""
    contract = use.kernel.contract
    if contract is None:
        return text
    of_kernel = OfKernel(contract, use, is_clamped)
    if contract.sums is None:
        return with_contract(text, name, of_kernel.clauses())
    for end, clauses in OfSums(of_kernel, contract.sums).functions():
        text = with_contract(text, f"{name}{end}", clauses)
    return text


def function_texts(
    names: Names, parts: Sequence[Part], called: Mapping[int, Planned], *, held: str
) -> Iterator[str]:
    """Of groups, of the graphs that nodes run, and of the nodes that run them, each before who
    calls it."""
    text = text_words(names, parts)
    for part in parts:
        for step in part.steps:
            if step.inner:
                yield group_text(part.names, step, text, held=held)
        yield from marked_entries(part, text.p)
        for step, call in calls_of(part, called, text.p):
            assert step.kernel.template is not None
            yield render(step.kernel.template, CallWords(call=call, text=text))
        if part.number:
            yield graph_function(part)


def _requantizing(names: Names, parts: Sequence[Part]) -> RoundingWords:
    return rounding_words(steps_of(parts), names.schedule.program.features)
