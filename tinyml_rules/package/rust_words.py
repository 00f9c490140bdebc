"""What the templates of a Rust crate say: C functions as Rust declares them, names, literals.

All of it is made from the record of the C interface; no header is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.compiler import Compiled
from tinyml_rules.emit.c_text import comment, float_literal
from tinyml_rules.emit.decisions import DecisionNames, decision_names
from tinyml_rules.ir.interface import Interface, Port

ARENA, CONST_ARENA = "arena: *mut c_void", "arena: *const c_void"

_TYPES = {"float": "f32", "bool": "bool"} | {
    f"{sign}int{bits}_t": f"{letter}{bits}"
    for sign, letter in (("", "i"), ("u", "u"))
    for bits in (8, 16, 32, 64)
}

KEYWORDS = frozenset(
    (
        *("abstract", "as", "async", "await", "become", "box", "crate", "dyn", "final", "fn"),
        *("impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv"),
        *("pub", "ref", "self", "super", "trait", "try", "type", "unsafe", "unsized", "use"),
        *("virtual", "where", "yield", "gen", "true", "false"),
    )
)
"""Reserved in Rust and not in C."""


@dataclass(frozen=True)
class Function:
    """A C function as Rust declares it; `result` is empty where it returns nothing."""

    name: str
    parameters: tuple[str, ...]
    result: str = ""

    @property
    def declaration(self) -> str:
        """A line of an `extern "C"` block."""
        result = f" -> {self.result}" if self.result else ""
        return f"fn {self.name}({', '.join(self.parameters)}){result};"


@dataclass(frozen=True)
class Variant:
    """A class of an output: its label as a Rust literal, and its variant of the enum."""

    label: str
    name: str


@dataclass(frozen=True)
class Head:
    """The decisions of an output: the names of its C, the prefix of its methods, its enum."""

    names: DecisionNames
    prefix: str
    enum: str
    variants: tuple[Variant, ...]

    @property
    def value(self) -> str:
        """The type of a class in Rust."""
        return self.enum if self.variants else "usize"


def rust_type(port: Port) -> str:
    """The type of a port's values."""
    return _TYPES[port.c_type]


def rust_float(value: float) -> str:
    """A finite float32 that reads back as the same number."""
    return f"{float_literal(value).removesuffix('f')}_f32"


def rust_string(text: str) -> str:
    """A literal of any text; what does not show as it is, or not in its place, by its number."""
    return '"' + re.sub(r"[^ !#-\[\]-~]", lambda found: f"\\u{{{ord(found[0]):x}}}", text) + '"'


def documented(text: str) -> str:
    """A tensor's name within code quotes of a comment."""
    return comment(text).replace("`", "'")


def short(interface: Interface, function: str) -> str:
    """The name of a method for a C function: without the model's."""
    return function.removeprefix(f"{interface.name}_")


def camel(name: str, taken: Sequence[str] = (), *, otherwise: str = "Class") -> str:
    """A name of an enum or of a variant that is none of those taken."""
    word = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    word = word if re.match(r"[A-Za-z]", word) else otherwise + word
    word = "Self_" if word == "Self" else word
    while word in taken:
        word += "_"
    return word


def heads_of(compiled: Compiled) -> tuple[Head, ...]:
    """The decisions, in the order of the outputs."""
    interface = compiled.interface
    found = []
    for names in decision_names(interface, compiled.decisions, str):
        prefix = short(interface, names.p)
        variants: list[Variant] = []
        for label, name in names.decision.classes:
            variant = camel(name, [each.name for each in variants])
            variants.append(Variant(rust_string(label), variant))
        enum = f"{camel(prefix, otherwise='')}Class"
        found.append(Head(names, prefix, enum, tuple(variants)))
    return tuple(found)


def functions_of(compiled: Compiled, heads: Sequence[Head]) -> tuple[Function, ...]:
    """The C functions that the crate calls, in the header's order."""
    interface = compiled.interface
    request = compiled.request
    has_self_test = request is not None and request.selftest
    return (
        *_ports(interface),
        *_runs(interface),
        *((_plain(interface, "selftest", "c_int"),) if has_self_test else ()),
        *(each for head in heads for each in _decisions(head)),
    )


def _plain(interface: Interface, name: str, result: str = "") -> Function:
    return Function(f"{interface.name}_{name}", (ARENA,), result)


def _ports(interface: Interface) -> Iterator[Function]:
    if not interface.pushed_rows and not interface.samples:
        for port in interface.inputs:
            yield Function(port.accessor, (ARENA,), f"*mut {rust_type(port)}")
    for port in interface.outputs:
        yield Function(port.accessor, (CONST_ARENA,), f"*const {rust_type(port)}")


def _runs(interface: Interface) -> Iterator[Function]:
    if interface.has_reset:
        yield _plain(interface, "reset")
    if interface.has_begin:
        yield _plain(interface, "begin")
    result = "bool" if interface.ends_early else ""
    if interface.samples:
        samples = (ARENA, "samples: *const i16", "count: c_int")
        yield Function(interface.outermost, samples, "bool")
        return
    for raw in interface.raw_inputs:
        words = (ARENA, "raw: *const c_void")
        yield Function(raw.function, words, result if interface.slide else "")
    if interface.pushed_rows:
        row = f"row: *const {rust_type(interface.inputs[0])}"
        yield Function(interface.entry, (ARENA, row), result)
        return
    yield Function(interface.entry, (ARENA,), result)
    if interface.has_slices:
        yield Function(f"{interface.name}_invoke_slice", (ARENA, "n: c_int"), "bool")
        if interface.ends_early:
            yield _plain(interface, "has_outputs", "bool")


def _decisions(head: Head) -> Iterator[Function]:
    names, decision = head.names, head.names.decision
    of_value = (CONST_ARENA,) if names.is_one_value else (CONST_ARENA, "index: c_int")
    if decision.has("argmax"):
        yield Function(f"{names.p}decide", (CONST_ARENA,), "c_int")
    if decision.has("top-k"):
        yield Function(f"{names.p}top_k", (CONST_ARENA, "classes: *mut i16"))
    if decision.event:
        yield Function(f"{names.p}event", (ARENA,), "c_int")
    if decision.has("fixed-point"):
        yield Function(f"{names.p}fixed_point", of_value, "i32")
    if names.score:
        yield Function(f"{names.p}score", (CONST_ARENA,), "i32")
    if decision.thresholds:
        yield Function(f"{names.p}reaches_threshold", of_value, "bool")
