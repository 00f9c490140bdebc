"""A crate of Rust without std around the C: https://doc.rust-lang.org/cargo/reference/manifest.html.

A value of the crate owns the memory of its model, so the C is compiled for an arena of the caller.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ops import builtin_operators
from tinyml_rules.package.kind import Files, Kind, of_target, refuse_name
from tinyml_rules.package.model_files import model_files, sources
from tinyml_rules.package.on_host import compiled_for_host, model_for_host
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render_files
from tinyml_rules.package.rust_words import KEYWORDS, functions_of, heads_of
from tinyml_rules.request.options_file import OPTIONS_SUFFIX, options_text
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.sensor.description import described_files
from tinyml_rules.target.target import Target

PARTS = {
    "cortex_m": ("arm", 'all(target_arch = "arm", target_os = "none")'),
    "esp32": ("xtensa", 'target_arch = "xtensa"'),
    "host": ("", ""),
    "riscv": ("riscv32", 'target_arch = "riscv32"'),
    "xtensa_lx6": ("xtensa", 'target_arch = "xtensa"'),
}
"""By target or family: the architecture of Rust, and the condition under which code is for it."""

TRIPLES = {
    "cortex-m0": "thumbv6m-none-eabi",
    "cortex-m0plus": "thumbv6m-none-eabi",
    "cortex-m3": "thumbv7m-none-eabi",
    "cortex-m4": "thumbv7em-none-eabihf",
    "cortex-m7": "thumbv7em-none-eabihf",
    "cortex-m33": "thumbv8m.main-none-eabihf",
    "cortex-m55": "thumbv8m.main-none-eabihf",
    "rv32imc": "riscv32imc-unknown-none-elf",
}
"""By processor, as GCC has it: what Rust calls its target."""

_NOT_CRATES = KEYWORDS | {"alloc", "build", "cc", "core", "proc_macro", "std", "test"}
MODEL = "model"
"""The folder of the file of the model, in the crate."""


def _check(order: Order) -> None:
    of_target(order.target, PARTS, ecosystem="Rust")
    if order.name in _NOT_CRATES:
        expected = "one that is no word or crate of Rust's own"
        refuse_name(order.name, expected, ecosystem="a crate")


def _prepare(request: Request) -> Request:
    """The same with the arena of a value; refuses what shares memory between values."""
    if request.arena is ArenaMode.SHARED:
        _refuse("arena", "'shared' gives all models one arena")
    if request.weights is Weights.EXTERNAL:
        _refuse("weights", "'external' has one page for all values")
    if request.weights is Weights.PARTITION:
        _refuse("weights", "'partition' exchanges the numbers of all values")
    if request.places:
        _refuse("place", "tensors in another region are there once for all values")
    if request.hooks:
        _refuse("hooks", "calls macros of C")
    if request.dump:
        _refuse("dump", "calls a function of C")
    if request.partition:
        _refuse("partition", "has functions that are in the C header alone")
    return replace(request, arena=ArenaMode.CALLER)


def _refuse(option: str, found: str) -> NoReturn:
    what = f"{found}, expected a model that each value of a Rust type owns"
    raise UsageError.at(option, what, hint="`package c` takes the option")


def _files(order: Order, compiled: Compiled) -> Files:
    if compiled.interface.functions:
        named = ", ".join(compiled.interface.functions)
        what = f"the model calls {named}, C that is not in the crate, expected none"
        raise UsageError.at("operators", what, hint="use `package c`, and the functions with it")
    host = compiled_for_host(order, compiled)
    here = {} if host is None else model_for_host(order, host)
    heads = heads_of(compiled)
    model = _model_in_crate(order, compiled.request)
    words: dict[str, Any] = {
        "heads": heads,
        "functions": functions_of(compiled, heads),
        "sources": sources(order),
        "memories": _memories(order.target, compiled, host),
        "architecture": of_target(order.target, PARTS, ecosystem="Rust")[0],
        "processor_flags": _processor_flags(order.target),
        "triple": _triple(order.target),
        "selftest": compiled.request is not None and compiled.request.selftest,
        "has_host": host is not None,
        "can_regenerate": bool(model),
        "model_folder": MODEL,
    }
    files = model_files(order, compiled, readme="rust/readme.md.j2", **words)
    templates = {
        "Cargo.toml": "Cargo.toml.j2",
        "build.rs": "build.rs.j2",
        "src/lib.rs": "lib.rs.j2",
        "src/model.rs": "model.rs.j2",
        "examples/run.rs": "run.rs.j2",
    }
    files.update(render_files("rust", templates, order, compiled, **words))
    return {**files, **here, **model}


def _memories(
    target: Target, compiled: Compiled, host: Compiled | None
) -> list[tuple[str, int, int]]:
    """(condition of Rust, bytes of the arena, alignment) of the C for the part, and for others; one
    without a condition where they are the same."""
    size = _memory(compiled)
    if host is None:
        return [("", *size)]
    alike = replace(host.interface, alignment=size[1], event_bytes=compiled.interface.event_bytes)
    assert alike == compiled.interface  # all else is of the model
    if _memory(host) == size:
        return [("", *size)]
    _, condition = of_target(target, PARTS, ecosystem="Rust")
    return [(condition, *size), (f"not({condition})", *_memory(host))]


def _memory(compiled: Compiled) -> tuple[int, int]:
    return compiled.report.arena_bytes, compiled.interface.alignment


def _processor_flags(target: Target) -> list[str]:
    """GCC's words for the processor; the caller of floats is decided by Rust's target."""
    flags = target.toolchain.machine_flags
    return [flag for flag in flags if flag.startswith(("-mcpu=", "-mthumb", "-mfpu="))]


def _triple(target: Target) -> str:
    words = [flag.partition("=")[2] for flag in target.toolchain.machine_flags]
    found = (TRIPLES[word.partition("+")[0]] for word in words if word.partition("+")[0] in TRIPLES)
    return next(found, "")


def _model_in_crate(order: Order, request: Request | None) -> Files:
    """The model's file and its options, from which a build can make the package anew; nothing where
    they are not all that decides it."""
    if request is None or set(request.operators) != set(builtin_operators()):
        return {}
    described = () if request.sensor is None else described_files(Path(request.sensor.where))
    folder = described[0].parent if described else Path()
    if not all(file.is_relative_to(folder) for file in described):
        return {}
    options = {**request.chosen, **({"sensor": described[0].name} if described else {})}
    files: Files = {
        f"{MODEL}/{order.name}.tflite": request.model,
        f"{MODEL}/{order.name}{OPTIONS_SUFFIX}": options_text(options),
    }
    for file in described:
        files[f"{MODEL}/{file.relative_to(folder).as_posix()}"] = file.read_bytes()
    return files


KIND = Kind("crate of Rust", _check, _files, _prepare)
