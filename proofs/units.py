"""Every portable kernel as annotated C, from the samples of the operators."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from proofs.frama_c import TAKEN
from proofs.slices import NAME, Parts, Slice
from tests.emit.every_kernel import sums_of_rows
from tests.support.operator_cases import OPERATORS, cases_of, file_of, samples_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.emit.runtime import all_pieces
from tinyml_rules.errors import TinymlError
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Kernel
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops import builtin_operators
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import Target, load_target

_CONTRACT = re.compile(
    r"^/\*@ (?:requires|assigns)(?:[^*]|\*(?!/))*\*/\n"
    rf"(static [^;{{}}]*?\b{NAME}_(\w+)\((?:.|\n)*?^}}$)",
    re.MULTILINE,
)
_NEAREST = {"rounding": RoundingReference.LITERT}


@dataclass(frozen=True)
class Unit:
    """Functions with contracts in a model's files; `name` is that of the kernel or of the piece."""

    name: str
    form: str
    functions: tuple[str, ...]
    files: Mapping[str, str]

    has_facts: bool = False
    """Whether WP proves what EVA takes of it, and no more."""

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """One of each function."""
        parts = Parts(self.files[f"{NAME}.c"])
        return tuple(parts.of(each, self.name) for each in self.functions)


def plain_target() -> Target:
    """The host as a processor with nothing of its own, for which kernels are the portable ones."""
    return replace(load_target("host"), features=frozenset())


def _multiplying_target() -> Target:
    """The same with products of 64 bits, for the kernels to which others are preferred without."""
    return replace(plain_target(), features=frozenset((Feature.MULTIPLY_64,)))


def portable_kernels() -> dict[str, Kernel]:
    """By name, all that no feature of a processor is asked for."""
    kernels = (kernel for op in builtin_operators().values() for kernel in op.kernels)
    each = (rows for kernel in kernels for rows in (kernel, kernel.in_rows) if rows is not None)
    return {kernel.name: kernel for kernel in each if not kernel.requires and kernel.template}


def rounded_kernels() -> dict[str, Kernel]:
    """Those of them that requantize bounded sums, in each form for these."""
    forms = [each for each in Rounding if each.is_of_bounded_sums]
    kernels = [each for each in portable_kernels().values() if each.contract is not None]
    each = (kernel.rounded(form) for kernel in kernels for form in forms if kernel.can_round(form))
    return {kernel.name: kernel for kernel in each}


def units(operators: Sequence[str] = ()) -> Iterator[Unit]:
    """Each kernel and each piece with a contract once, as the first sample that has it does."""
    known = portable_kernels()
    seen: set[str] = set()
    for model, settings in _samples(operators):
        for unit in of_files(annotated(model, **settings), known):
            if unit.name not in seen:
                seen.add(unit.name)
                yield unit


def _samples(operators: Sequence[str]) -> Iterator[tuple[bytes, Mapping[str, Any]]]:
    """(model, fields of the request) of these operators, or of all."""
    for operator in operators or OPERATORS:
        models = [file_of(cases_of(operator)[case]) for case in samples_of(operator)]
        yield from ((model, {}) for model in models)
        kernels = builtin_operators()[operator].kernels
        if any(Feature.MULTIPLY_64 in each.excludes and not each.requires for each in kernels):
            yield from ((model, {"target": _multiplying_target()}) for model in models)
        if any(each.rounding is Rounding.NEAREST for each in kernels):
            yield from ((model, _NEAREST) for model in models)
    for name, model, settings in sums_of_rows():
        if not operators or name.startswith(tuple(operators)):
            yield model, settings
            yield model, {**settings, **_NEAREST}


def annotated(model: bytes, **settings: Any) -> Mapping[str, str]:
    """The files of a model with contracts; none where it cannot be compiled without features."""
    try:
        asked = {"target": plain_target(), **settings}
        request = Request(model, NAME, annotated=True, **asked)
        return compile_model(request).files
    except TinymlError:
        return {}


def of_files(files: Mapping[str, str], known: Mapping[str, Kernel]) -> Iterator[Unit]:
    """What has contracts in a model's files, the kernels being among those `known`."""
    found: dict[str, list[str]] = {}
    facts: set[str] = set()
    for text, name in _CONTRACT.findall(files.get(f"{NAME}.c", "")):
        owner = _owner(name, known)
        found.setdefault(owner, []).append(name)
        facts |= {owner} if f"assert {TAKEN}:" in text else set()
    for owner, names in found.items():
        if owner in known and known[owner].contract is None:
            continue  # only its function of values has one
        form = known[owner].form.value if owner in known else "piece"
        functions = tuple(f"{NAME}_{each}" for each in names)
        yield Unit(owner, form, functions, files, has_facts=owner in facts)


def _owner(function: str, known: Mapping[str, Kernel]) -> str:
    """The kernel or the piece that has a function."""
    names = (each for each in (*known, *all_pieces()) if _begins(function, each))
    return max(names, key=len, default=function)


def _begins(function: str, name: str) -> bool:
    return function == name or function.startswith(f"{name}_")
