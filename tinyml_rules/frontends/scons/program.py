"""After the link of a program for a part: the stack below the variables, and its bound.

A program with code of the user's own may call through pointers or recurse, so that its stack has no
bound: that is reported, and not an error.  One whose bound does not fit into RAM is not built.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml_rules.errors import DoesNotFitError, Problem, Shortage, ToolError, UsageError
from tinyml_rules.frontends.scons.action import FiguresAction
from tinyml_rules.frontends.scons.current import current_target
from tinyml_rules.frontends.scons.limits import LIMITS, program_budgets
from tinyml_rules.frontends.scons.model import FIGURES, is_model, request_of
from tinyml_rules.reporting.sizes import image_figures
from tinyml_rules.target.target import Target

if TYPE_CHECKING:
    from tinyml_rules.request.request import Request


def finish_program(target: list[Any], source: list[Any], env: Any) -> str:
    """Link once more where the linker script asks for it, then compare stack and RAM.  Returns the
    figures."""
    part = current_target(env)
    elf = Path(target[0].abspath)
    try:
        if part.toolchain.links_twice:
            _link_again(part, elf, env.subst_list("$TINYML_LINKCOM", 0, target, source)[0])
        with _explained(target[0].children()):
            return _check_memory(env, part, elf, _stack_usage_files(target[0].children()))
    except Exception:
        elf.unlink(missing_ok=True)  # nobody may take it for a firmware
        raise


def _link_again(part: Target, elf: Path, command: list[Any]) -> None:
    from tinyml_rules.firmware.ram import static_ram_bytes  # noqa: PLC0415 - needs a package
    from tinyml_rules.system.process import run_tool  # noqa: PLC0415
    from tinyml_rules.target.toolchain import variables_flags  # noqa: PLC0415

    assert part.memory, "only parts with a memory of their own have a linker script"
    program, *words = map(str, command)
    flags = variables_flags(static_ram_bytes(elf, part.memory))
    run_tool([program, *flags, *words], where=elf.name)


def _stack_usage_files(nodes: Iterable[Any]) -> list[Path]:
    """GCC's file of every object that is linked, those in libraries of the same build too."""
    files = []
    for node in nodes:
        file = Path(node.abspath).with_suffix(".su")
        if node.sources and file.is_file():
            files.append(file)
        elif node.sources:
            files += _stack_usage_files(node.sources)
    return files


@contextmanager
def _explained(nodes: Iterable[Any]) -> Iterator[None]:
    """Tells with a DoesNotFitError what would fit: for one model by planning it in other ways, for
    several by one arena for all."""
    try:
        yield
    except DoesNotFitError as error:
        from tinyml_rules.fitting.ways import with_shared_arena, with_ways  # noqa: PLC0415 - seldom
        from tinyml_rules.reporting.read import read_report  # noqa: PLC0415

        models = list(_model_files(nodes))
        if not models:
            raise
        requests = [_request(node) for node in models]
        if len(requests) == 1:
            raise with_ways(error, requests[0]) from error
        files = [Path(node.abspath).with_suffix(FIGURES) for node in models]
        reports = [read_report(file) for file in files]
        raise with_shared_arena(error, reports) from error


def _request(node: Any) -> Request:
    """The request from which a model's C file was compiled."""
    return request_of(node.sources[0], node.get_build_env(), name=Path(node.name).stem)


def _model_files(nodes: Iterable[Any]) -> Iterator[Any]:
    """The C file of every model that is linked, those in libraries of the same build too."""
    for node in nodes:
        if is_model(node):
            yield node
        else:
            yield from _model_files(node.sources)


def _check_memory(env: Any, part: Target, elf: Path, stack_usage_files: list[Path]) -> str:
    from tinyml_rules.firmware.measure import consumers_of, loaded_bytes  # noqa: PLC0415
    from tinyml_rules.firmware.ram import static_ram_bytes  # noqa: PLC0415
    from tinyml_rules.firmware.stack import worst_stack  # noqa: PLC0415
    from tinyml_rules.reporting.budgets import check_linked  # noqa: PLC0415
    from tinyml_rules.runners.figures import program_size  # noqa: PLC0415

    assert part.memory
    variables = static_ram_bytes(elf, part.memory)
    nesting = parse_nesting(env["TINYML_NESTING"])
    bound = None
    try:
        bound = worst_stack(part, elf, stack_usage_files, where=elf.name, nesting=nesting)
    except ToolError as error:
        print(f"STACK   {error}".replace("error: ", "not checked: "))
    room = part.memory.ram.bytes - variables
    stack = 0 if bound is None else bound.bytes
    if bound is not None and stack > room:
        what = (
            f"the stack takes up to {stack:,} bytes ({bound.parts}), {room:,} are left of the "
            f"RAM of '{part.name}'"
        )
        shortage = Shortage("RAM", variables + stack, part.memory.ram.bytes)
        raise DoesNotFitError([Problem(elf.name, what, shortage=shortage)])
    if bound is not None and (bound.interrupts or bound.notes):
        words = [f"at most {stack} B", bound.parts, *bound.notes]
        print(f"STACK   {elf.name}: {'; '.join(words)}")
    flash_bytes = loaded_bytes(elf, part.memory)
    known = program_size(flash_bytes, variables, bound, consumers_of(elf))
    check_linked(known, program_budgets(env), where=elf.name)
    figures = image_figures(known)
    return figures if bound is not None else f"{figures} without the stack"


def parse_nesting(words: Any) -> dict[str, int]:
    """{handler: times} of TINYML_NESTING; UsageError for anything else."""
    is_mapping = isinstance(words, dict) and all(isinstance(name, str) for name in words)
    if not is_mapping or not all(type(each) is int and each > 0 for each in words.values()):
        what = f"found {words!r}, expected {{handler: how deep it can nest}}"
        raise UsageError.at("TINYML_NESTING", what)
    return dict(words)


FINISH_PROGRAM = FiguresAction(
    finish_program,
    "$TINYML_SIZECOMSTR",
    variables=("TINYML_TARGET", "TINYML_NESTING", *LIMITS),
)
