"""Program and plan -> the text of `<name>.c` and `<name>.h`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2

from tinyml_rules.emit.c_text import (
    array,
    comment,
    float_literal,
    struct_arrays,
    struct_initialiser,
)
from tinyml_rules.emit.runtime import pieces_for, template_of
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.plan.memory_plan import MemoryPlan

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class KernelText:
    """One C function; `window_height` is the most rows that it reads at once, 0 without rows.

    `walks`: the suffixes of the drivers over whole tensors that are called."""

    name: str
    text: str
    window_height: int
    is_batched: bool
    walks: tuple[str, ...]


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([_PACKAGE / "ops", _PACKAGE / "emit", _PACKAGE]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the output is C; `comment` makes a model's names safe
    )
    environment.filters["comment"] = comment
    environment.filters["float_literal"] = float_literal
    return environment


def emit(
    program: Program, plan: MemoryPlan, interface: Interface, *, target: str
) -> dict[str, str]:
    """{file name: text}.  The same program gives the same bytes, whenever and wherever."""
    words = {
        "interface": interface,
        "macro": interface.name.upper(),
        "p": f"{interface.name}_",
        "sha256": program.graph.sha256,
        "flash": flash_qualifier(program.features),
        # 32 registers of 8 bits do not hold two kernels' worth of values at once
        "outlined": "__attribute__((noinline)) " if "avr" in program.features else "",
    }
    kernels = tuple(_kernel_texts(program, plan, words))
    source = _environment().get_template("templates/model.c.j2")
    header = _environment().get_template("templates/model.h.j2")
    return {
        f"{interface.name}.c": source.render(
            words,
            target=target,
            runtime=[
                _render(template_of(piece, program.features), words) for piece in _pieces(program)
            ],
            windowed=any(kernel.window_height for kernel in kernels),
            kernels=kernels,
            constants=[text for step in program.steps for text in _constants(step, words)],
            ports=list(_offsets(program, plan, interface)),
            calls=[
                line
                for number in range(len(program.steps))
                for line in _calls(number, program, plan, str(words["p"]))
            ],
        )
        + "\n",
        f"{interface.name}.h": header.render(words, arena_bytes=plan.arena_bytes) + "\n",
    }


def flash_qualifier(features: frozenset[str]) -> str:
    """What a pointer to a constant is qualified with, a blank after it included."""
    return "__flash " if "flash_address_space" in features else ""


def _render(template: Path, words: dict[str, object]) -> str:
    name = template.relative_to(_PACKAGE).as_posix()
    return _environment().get_template(name).render(words).strip()


def _pieces(program: Program) -> tuple[str, ...]:
    return pieces_for(piece for step in program.steps for piece in step.kernel.runtime)


def _kernel_texts(
    program: Program, plan: MemoryPlan, words: dict[str, object]
) -> Iterator[KernelText]:
    """Each kernel once, in the order of first use."""
    used: dict[str, list[Step]] = {}
    walks: dict[str, set[str]] = {}
    for number, step in enumerate(program.steps):
        used.setdefault(step.kernel.name, []).append(step)
        walk = "_descending" if number in plan.descending else ""
        walks.setdefault(step.kernel.name, set()).add(walk)
    for name, steps in used.items():
        kernel = steps[0].kernel
        windows = [step.window for step in steps if step.window is not None]
        function = f"{words['p']}{name}"
        yield KernelText(
            name=function,
            text=_render(kernel.template, {**words, **kernel.values, "kernel": function}),
            window_height=max((window.height for window in windows), default=0),
            is_batched=any(window.batches > 1 for window in windows),
            walks=tuple(sorted(walks[name])),
        )


def _node_name(step: Step, prefix: object) -> str:
    return f"{prefix}node_{step.node.index}"


def _constants(step: Step, words: dict[str, object]) -> Iterator[str]:
    """The tables of a step, then the struct that points to them."""
    name = _node_name(step, words["p"])
    for table, values in struct_arrays(name, step.params).items():
        yield array(table, values, space=str(words["flash"]))
    struct = f"struct {words['p']}{step.kernel.name}_params"
    initialiser = struct_initialiser(name, step.params)
    yield f"static const {struct} {words['flash']}{name} = {initialiser};"


def _calls(number: int, program: Program, plan: MemoryPlan, prefix: str) -> Iterator[str]:
    """The lines of `<name>_invoke` for one step."""
    step = program.steps[number]
    is_descending = number in plan.descending

    def address(tensor: int, *, chunk: str = "") -> str:
        return f"{prefix}arena + {plan.offsets[program.storage(tensor)]}{chunk}"

    node = f"&{_node_name(step, prefix)}"
    function = f"{prefix}{step.kernel.name}"
    if step.kernel.form is not Form.POINTWISE:
        suffix = "_descending" if is_descending else ""
        operands = [node, *map(address, step.inputs), address(step.output)]
        yield f"{function}{suffix}({', '.join(operands)});"
        return
    if not is_descending:
        operands = [node, *map(address, step.inputs), address(step.output), str(step.units)]
        yield f"{function}({', '.join(operands)});"
        return
    chunks = step.units // step.chunk

    def walked(tensor: int) -> str:
        return address(tensor, chunk=f" + i * {program.graph.tensors[tensor].count // chunks}")

    operands = [node, *map(walked, step.inputs), walked(step.output), str(step.chunk)]
    yield f"for (int i = {chunks - 1}; i >= 0; i--) {{"
    yield f"    {function}({', '.join(operands)});"
    yield "}"


def _offsets(
    program: Program, plan: MemoryPlan, interface: Interface
) -> Iterator[tuple[Port, int]]:
    graph = program.graph
    ports = (*interface.inputs, *interface.outputs)
    for port, tensor in zip(ports, (*graph.inputs, *graph.outputs), strict=True):
        yield port, plan.offsets[program.storage(tensor)]
