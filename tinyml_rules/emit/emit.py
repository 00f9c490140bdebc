"""Schedule and plan -> the text of `<name>.c` and `<name>.h`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import jinja2

from tinyml_rules.cores import qualifiers_of
from tinyml_rules.emit import poison
from tinyml_rules.emit.c_functions import FLASH, c_functions
from tinyml_rules.emit.c_text import (
    comment,
    float_literal,
    names_identifier,
    struct_declaration,
    sum_words,
)
from tinyml_rules.emit.calls import Stream, layer_call, resets, stream_of
from tinyml_rules.emit.constants import constants
from tinyml_rules.emit.decisions import decision_names
from tinyml_rules.emit.emitted import Emitted
from tinyml_rules.emit.exchange import exchanged
from tinyml_rules.emit.kernels import KernelUse, kernel_uses, rounding_words, row_words
from tinyml_rules.emit.names import Names, names_of
from tinyml_rules.emit.needs import needs_of
from tinyml_rules.emit.parts import Part, calls_of, graph_function, marked_entries, parts_of
from tinyml_rules.emit.raw_inputs import RawWords, raw_words
from tinyml_rules.emit.rice import rice_use
from tinyml_rules.emit.runtime import files_for
from tinyml_rules.emit.self_test import self_test_of
from tinyml_rules.emit.templates_of import PACKAGE, render
from tinyml_rules.emit.watches import watches_of
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.ir.program import Step
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.planned import Planned
from tinyml_rules.plan.state import most_sums
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.surroundings.surroundings import NOTHING, Surroundings
from tinyml_rules.target.target import Target

_TEMPLATES = ("templates/model.c.j2", "templates/model.h.j2")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([PACKAGE / "ops", PACKAGE / "emit", PACKAGE]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the output is C; `comment` makes a model's names safe
    )
    environment.filters["comment"] = comment
    environment.filters["float_literal"] = float_literal
    environment.tests["naming"] = names_identifier
    return environment


def emit(
    schedule: Schedule,
    plan: MemoryPlan,
    interface: Interface,
    called: Mapping[int, Planned],
    *,
    target: Target,
    is_small: bool = False,
    is_checked: bool = False,
    around: Surroundings = NOTHING,
) -> Emitted:
    """The same for the same schedule.  `called` are the graphs that nodes run, callees first;
    `is_small`: compilers are told to make small code; `is_checked`: dead bytes are overwritten;
    `around`: what goes with the inference."""
    names = replace(names_of(schedule, plan, interface, around), is_checked=is_checked)
    parts = parts_of(names, called)
    words = _words(names, interface, parts, around)
    runtime = _runtime_files(names, parts)
    needs = needs_of(_steps(parts), runtime, target)
    words |= {"target": target.name, "is_host": target.architecture == "host", "needs": needs}
    words["is_small"] = is_small
    words |= _source_words(names, interface, parts, words, runtime)
    words["functions"] = list(_functions(parts, called, words))
    words["raw_inputs"] = list(_raw_inputs(names, around))
    source, header = map(_environment().get_template, _TEMPLATES)

    def text(**own: object) -> str:
        return source.render({**words, **own})

    spaces = {"flash": str(words["flash"]), "table": str(words["table"])}
    own: Mapping[str, object] = {"constants": list(constants(parts, **spaces))}
    image = b""
    if around.image_version is not None:
        own, image = exchanged(parts, interface, text, version=around.image_version, target=target)
    files = {
        f"{interface.name}.c": f"{text(**own)}\n",
        f"{interface.name}.h": header.render(words, **own) + "\n",
    }
    return Emitted(files, image, needs, watches_of(names, called) if around.is_watched else ())


def _steps(parts: Sequence[Part]) -> list[Step]:
    return [step for part in parts for step in part.steps]


def _source_words(
    names: Names,
    interface: Interface,
    parts: Sequence[Part],
    words: dict[str, object],
    runtime: Sequence[Path],
) -> dict[str, object]:
    """What the template of the C file alone uses."""
    uses = list(kernel_uses((part.names.schedule, part.names.plan) for part in parts))
    return {
        "runtime": [render(_environment(), file, words) for file in runtime],
        "kernels": list(_kernels(uses, words)),
        **_window_words(_steps(parts), uses, words),
        **_memory_words(names),
        "ports": list(_offsets(names, interface)),
    }


def _runtime_files(names: Names, parts: Sequence[Part]) -> list[Path]:
    """The templates of what the kernels call."""
    wanted = (piece for step in _steps(parts) for piece in step.kernel.runtime)
    return files_for([*wanted, *poison.pieces(names)], names.schedule.program.features)


def _memory_words(names: Names) -> dict[str, object]:
    """What is said of tasks and memory."""
    program = names.schedule.program
    programs = (program, *program.called)
    dtypes = {
        each.graph.tensors[index].dtype
        for each in programs
        for step in each.steps
        for index in step.tensors
    }
    return {
        "has_real_numbers": any(dtype.is_real for dtype in dtypes),
        "has_bools": DType.BOOL in dtypes,
        "sums": most_sums(names.schedule),
        "apart_bytes": names.apart_bytes,
        "tasks": list(_tasks(names)),
        "pushed": _pushed(names),
        "counters": names.state("rows"),
        "resets": list(resets(names)),
        "alignment": program.alignment,
        "is_marked": names.first_account is not None,
        "hooks": names.hooks if names.has_hooks else (),
        "in_order": names.in_order,
        "is_watched": names.is_watched,
        "prepare": [*names.beginning, *poison.after_task(names, -1)],
    }


def _words(
    names: Names, interface: Interface, parts: Sequence[Part], around: Surroundings
) -> dict[str, object]:
    """What every template may use."""
    steps, program = _steps(parts), names.schedule.program
    qualifiers = qualifiers_of(program.features)
    return {
        "interface": interface,
        "macro": interface.name.upper(),
        "p": names.prefix,
        "plan": names.plan,
        "nodes": names.hooked_nodes,
        # the first parameter and argument of every function where the arena is the caller's
        "memory": "void *arena" if interface.argument else "",
        "arena": names.main_arena,
        "sha256": program.graph.sha256,
        "flash": qualifiers.flash,
        # where the structs of constants lie
        "held": qualifiers.flash if around.image_version is None else "",
        "image": None,
        "c_functions": c_functions(program),
        "flash_macro": FLASH,
        "table": qualifiers.table,
        "outlined": qualifiers.outlined,
        **sum_words(wraps=any(step.overflow for step in steps)),
        **rounding_words(steps, program.features),
        "rice": rice_use(part.names.schedule for part in parts),
        **row_words(in_pieces=names.is_checked),
        **around.words,
        "self_test": self_test_of(parts, program, around.expected_crc),
        "heads": decision_names(interface, around.decisions),
    }


def _tasks(names: Names) -> Iterator[tuple[Stream | None, list[str]]]:
    """(stream, nothing) or (None, the statements of a layer), in order."""
    for number, task in enumerate(names.schedule.tasks):
        if task.is_streamed:
            yield stream_of(names, number), []
        else:
            yield None, list(layer_call(names, number))


def _pushed(names: Names) -> str:
    """Where the caller's row number pushed[0] goes; empty where the input is filled whole."""
    ring = names.schedule.pushed_ring
    if ring is None:
        return ""
    return names.elements(ring.tensor, names.row(ring, "pushed[0]"))


def _kernels(
    uses: Sequence[KernelUse], words: dict[str, object]
) -> Iterator[tuple[KernelUse, str, str]]:
    """(use, C name, C text) of each kernel that the file has."""
    for use in uses:
        if use.kernel.template is not None:
            yield use, *_kernel_text(use, use.kernel.template, words)


def _kernel_text(use: KernelUse, template: Path, words: dict[str, object]) -> tuple[str, str]:
    """(C name, C text) of a kernel."""
    kernel = use.kernel
    name = f"{words['p']}{kernel.name}"
    far = "__memx " if kernel.is_far else str(words["flash"])
    struct = struct_declaration(
        f"{name}_params",
        use.params,
        prefix=str(words["p"]),
        pointer=str(words["flash"]),
        far=far,
    )
    reach = {"far": "_far" if kernel.is_far else "", "weights_flash": far, "struct": struct}
    values = {**words, **reach, **kernel.values, "kernel": name, "use": use}
    return name, render(_environment(), template, values)


def _window_words(
    steps: Sequence[Step], uses: Sequence[KernelUse], words: dict[str, object]
) -> dict[str, object]:
    """What is said of rows behind output rows."""
    return {
        "windowed": any(use.window_height for use in uses),
        "divided": any(step.window.divisor is not None for step in steps if step.window),
        "window_struct": _window_struct(steps, words),
    }


def _window_struct(steps: Sequence[Step], words: dict[str, object]) -> str:
    """The struct of the rows behind an output row, if any kernel has it."""
    windows = [step.window for step in steps if step.window is not None]
    prefix, flash = str(words["p"]), str(words["flash"])
    if not windows:
        return ""
    window = max(windows, key=lambda each: each.divisor is not None)
    return struct_declaration(f"{prefix}window", window, prefix=prefix, pointer=flash, far=flash)


def _functions(
    parts: Sequence[Part], called: Mapping[int, Planned], words: dict[str, object]
) -> Iterator[str]:
    """The graphs that nodes run, and the nodes that run them, each before who calls it."""
    for part in parts:
        yield from marked_entries(part, str(words["p"]))
        for step, call in calls_of(part, called, str(words["p"])):
            assert step.kernel.template is not None
            yield render(_environment(), step.kernel.template, {**words, "call": call})
        if part.number:
            yield graph_function(part)


def _raw_inputs(names: Names, around: Surroundings) -> Iterator[RawWords]:
    """What is said of each function that takes raw values, which go into the tensor or its row."""
    program = names.schedule.program
    qualifiers = qualifiers_of(program.features)
    flash, table = qualifiers.flash, qualifiers.table
    for put in around.raw_inputs:
        address = names.pointer(program.graph.inputs[put.number])
        yield raw_words(put, address, flash=flash, table=table, features=program.features)


def _offsets(names: Names, interface: Interface) -> Iterator[tuple[Port, str, str]]:
    """The ports that have an accessor, with the type and the address that it returns."""
    graph = names.schedule.program.graph
    inputs = () if interface.pushed_rows else zip(interface.inputs, graph.inputs, strict=True)
    for port, tensor in inputs:
        yield port, f"{port.c_type} *", names.pointer(tensor)
    for port, tensor in zip(interface.outputs, graph.outputs, strict=True):
        yield port, f"const {port.c_type} *", names.pointer(tensor, const="const ")
