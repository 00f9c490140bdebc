"""Schedule and plan -> the text of `<name>.c` and `<name>.h`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tinyml_rules.cores import qualifiers_of
from tinyml_rules.emit import poison
from tinyml_rules.emit.c_functions import FLASH, c_functions
from tinyml_rules.emit.c_text import struct_declaration
from tinyml_rules.emit.calls import Stream, layer_call, resets, stream_of
from tinyml_rules.emit.constants import constants
from tinyml_rules.emit.decisions import decision_names
from tinyml_rules.emit.emitted import Emitted
from tinyml_rules.emit.exchange import exchanged
from tinyml_rules.emit.kernel_texts import function_texts, kernel_texts, piece_texts
from tinyml_rules.emit.kernels import KernelUse, kernel_uses
from tinyml_rules.emit.microphone import microphone_pieces, microphone_words
from tinyml_rules.emit.model_words import (
    HeaderWords,
    ModelWords,
    RunWords,
    SourceWords,
    WindowWords,
)
from tinyml_rules.emit.names import Names, names_of
from tinyml_rules.emit.needs import needs_of
from tinyml_rules.emit.parts import Part, parts_of, steps_of
from tinyml_rules.emit.raw_inputs import RawWords, raw_words
from tinyml_rules.emit.runtime import files_for
from tinyml_rules.emit.self_test import self_test_of
from tinyml_rules.emit.slide import slide_words
from tinyml_rules.emit.strips import has_strips, saves_pixels
from tinyml_rules.emit.templates_of import PACKAGE, render
from tinyml_rules.emit.watches import watches_of
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.ir.program import Step
from tinyml_rules.ir.signing import Signing
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.planned import Planned
from tinyml_rules.plan.state import most_sums, row_counters, slice_words
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.surroundings.surroundings import NOTHING, Surroundings
from tinyml_rules.target.target import Target

_SOURCE, _HEADER = (PACKAGE / "emit" / "templates" / f"model.{end}.j2" for end in "ch")


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
    `is_small`: compilers optimize for size; `is_checked`: dead bytes are overwritten;
    `around`: what goes with the inference."""
    names = replace(names_of(schedule, plan, interface, around), is_checked=is_checked)
    parts = parts_of(names, called)
    model = _model_words(names, interface, parts, around)
    source = _source_words(
        names, model, parts, called, target=target, is_small=is_small, around=around
    )
    image = b""
    if around.image_version is not None:
        source, image = _exchanged(
            source, parts, target=target, version=around.image_version, signature=around.signature
        )
    header = HeaderWords(
        model=source.model,
        c_functions=c_functions(schedule.program),
        flash_macro=FLASH,
        has_partition=around.has_partition,
    )
    files = {
        f"{interface.name}.c": f"{render(_SOURCE, source, is_annotated=names.is_annotated)}\n",
        f"{interface.name}.h": f"{render(_HEADER, header)}\n",
    }
    watches = watches_of(names, called) if around.is_watched else ()
    return Emitted(files, image, tuple(source.needs), watches)


def _exchanged(
    source: SourceWords,
    parts: Sequence[Part],
    *,
    target: Target,
    version: int,
    signature: Signing,
) -> tuple[SourceWords, bytes]:
    """The words with constants that can be exchanged, and the image that has them."""

    def text(constants: Sequence[str]) -> str:
        return render(_SOURCE, replace(source, constants=constants, sha256=""))

    interface = source.model.interface
    texts, words, image = exchanged(
        parts, interface, text, version=version, signature=signature, target=target
    )
    model = replace(source.model, image=words)
    return replace(source, model=model, constants=texts), image


def _model_words(
    names: Names, interface: Interface, parts: Sequence[Part], around: Surroundings
) -> ModelWords:
    """What both files say, without an image."""
    program = names.schedule.program
    return ModelWords(
        interface=interface,
        macro=interface.name.upper(),
        # the first parameter of every function where the arena is the caller's
        memory="void *arena" if interface.argument else "",
        flash=qualifiers_of(program.features).flash,
        plan=names.plan,
        nodes=names.hooked_nodes,
        heads=decision_names(interface, around.decisions, names.state),
        self_test=self_test_of(parts, program, around.expected_crc),
        image=None,
        has_dump=around.has_dump,
        microphone=microphone_words(names, around.microphone),
    )


def _source_words(
    names: Names,
    model: ModelWords,
    parts: Sequence[Part],
    called: Mapping[int, Planned],
    *,
    target: Target,
    is_small: bool,
    around: Surroundings,
) -> SourceWords:
    """What the C file says, with constants in flash."""
    steps, program = steps_of(parts), names.schedule.program
    graphs = ((part.names.schedule, part.names.plan) for part in parts)
    uses = list(kernel_uses(graphs, is_checked=names.is_checked))
    runtime = _runtime_files(names, steps, around)
    held = model.flash if around.image_version is None else ""
    table = qualifiers_of(program.features).table
    return SourceWords(
        model=model,
        run=_run_words(names),
        windows=_window_words(names, steps, uses),
        p=names.prefix,
        target=target.name,
        is_host=target.architecture == "host",
        needs=needs_of(steps, runtime, target),
        sha256=program.graph.sha256,
        is_small=is_small,
        held=held,
        table=table,
        runtime=list(piece_texts(names, parts, runtime, macro=model.macro)),
        kernels=list(kernel_texts(names, parts, uses, held=held)),
        constants=list(constants(parts, flash=model.flash, table=table)),
        functions=list(function_texts(names, parts, called, held=held)),
        ports=list(_ports(names, model.interface)),
        raw_inputs=list(_raw_inputs(names, around)),
    )


def _runtime_files(names: Names, steps: Sequence[Step], around: Surroundings) -> list[Path]:
    """The templates of what the kernels call, and what is around them."""
    wanted = [piece for step in steps for piece in step.kernel.runtime]
    wanted += (*poison.pieces(names), *microphone_pieces(around.microphone))
    wanted += ("copy",) if has_strips(names.schedule) else ()
    return files_for(wanted, names.schedule.program.features)


def _run_words(names: Names) -> RunWords:
    program = names.schedule.program
    programs = (program, *program.called)
    dtypes = {
        each.graph.tensors[index].dtype
        for each in programs
        for step in each.steps
        for index in step.tensors
    }
    return RunWords(
        tasks=list(_tasks(names)),
        slide=slide_words(names),
        prepare=[*names.beginning, *poison.after_task(names, -1)],
        resets=list(resets(names)),
        pushed=_pushed(names),
        counters=names.state("rows" if names.schedule.slide is None else "slide"),
        row_counters=row_counters(names.schedule),
        next_piece=names.state("next_piece"),
        gave_outputs=names.state("gave_outputs") if slice_words(names.schedule) > 1 else "",
        sums=most_sums(names.schedule),
        alignment=program.alignment,
        apart_bytes=names.apart_bytes,
        has_real_numbers=any(dtype.is_real for dtype in dtypes),
        hooks=names.hooks if names.has_hooks else (),
        has_loop_limits=names.has_loop_limits,
        is_checked=names.is_checked,
        is_marked=names.first_account is not None,
        is_watched=names.is_watched,
        in_order=names.in_order,
    )


def _tasks(names: Names) -> Iterator[tuple[Stream | None, list[str]]]:
    """(stream, nothing) or (None, the statements of a layer), in order; not the rows of windows
    that slide."""
    for number, task in enumerate(names.schedule.tasks):
        if number == 0 and names.schedule.slide is not None:
            continue
        if task.is_streamed:
            yield stream_of(names, number), []
        else:
            yield None, list(layer_call(names, number))


def _pushed(names: Names) -> str:
    """Where the caller's row number pushed[0] goes; empty where the input is filled whole."""
    ring, moving = names.schedule.pushed_ring, slide_words(names)
    if ring is None:
        return ""
    if moving is not None:
        return names.elements(ring.tensor, moving.row)
    return names.elements(ring.tensor, names.row(ring, "pushed[0]"))


def _window_words(names: Names, steps: Sequence[Step], uses: Sequence[KernelUse]) -> WindowWords:
    windows = [step.window for step in steps if step.window is not None]
    struct = ""
    if windows:
        window = max(windows, key=lambda each: each.divisor is not None)
        flash = qualifiers_of(names.schedule.program.features).flash
        struct = struct_declaration(
            f"{names.prefix}window", window, prefix=names.prefix, pointer=flash, far=flash
        )
    return WindowWords(
        windowed=any(use.window_height for use in uses),
        divided=any(window.divisor is not None for window in windows),
        window_struct=struct,
        has_phase=names.has_phase,
        has_pieces=any(task.is_in_pieces for task in names.schedule.tasks),
        has_strips=has_strips(names.schedule),
        saves_pixels=saves_pixels(names.schedule),
    )


def _raw_inputs(names: Names, around: Surroundings) -> Iterator[RawWords]:
    """What is said of each function that takes raw values, which go into the tensor or its row."""
    program = names.schedule.program
    qualifiers = qualifiers_of(program.features)
    flash, table = qualifiers.flash, qualifiers.table
    for put in around.raw_inputs:
        address = names.pointer(program.graph.inputs[put.number])
        yield raw_words(put, address, flash=flash, table=table, features=program.features)


def _ports(names: Names, interface: Interface) -> Iterator[tuple[Port, str, str]]:
    """The ports that have an accessor, with the type and the address that it returns."""
    graph = names.schedule.program.graph
    inputs = () if interface.pushed_rows else zip(interface.inputs, graph.inputs, strict=True)
    for port, tensor in inputs:
        yield port, f"{port.c_type} *", names.pointer(tensor)
    for port, tensor in zip(interface.outputs, graph.outputs, strict=True):
        yield port, f"const {port.c_type} *", names.pointer(tensor, const="const ")
