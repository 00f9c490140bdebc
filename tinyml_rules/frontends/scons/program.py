"""What follows the link of a program for a part: the stack below the variables, and its bound.

A program with code of the user's own may call through pointers or recurse, so that its stack has no
bound: that is told and no error.  One whose bound does not fit into RAM is not built.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tinyml_rules.errors import DoesNotFitError, ToolError
from tinyml_rules.frontends.scons.action import FiguresAction
from tinyml_rules.frontends.scons.current import current_target
from tinyml_rules.frontends.scons.limits import LIMITS, check_limits
from tinyml_rules.sizes import image_figures
from tinyml_rules.target import Target


def finish_program(target: list[Any], source: list[Any], env: Any) -> str:
    """Link once more where the linker script asks for it, then compare stack and RAM.  Returns the
    figures."""
    part = current_target(env)
    elf = Path(target[0].abspath)
    try:
        if part.toolchain.links_twice:
            _link_again(part, elf, env.subst_list("$TINYML_LINKCOM", 0, target, source)[0])
        return _check_memory(env, part, elf, _stack_usage_files(target[0].children()))
    except Exception:
        elf.unlink(missing_ok=True)  # nobody may take it for a firmware
        raise


def _link_again(part: Target, elf: Path, command: list[Any]) -> None:
    from tinyml_rules.firmware.measure import static_ram_bytes  # noqa: PLC0415 - needs a package
    from tinyml_rules.process import run_tool  # noqa: PLC0415
    from tinyml_rules.toolchain import variables_flags  # noqa: PLC0415

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


def _check_memory(env: Any, part: Target, elf: Path, stack_usage_files: list[Path]) -> str:
    from tinyml_rules.firmware.measure import loaded_bytes, static_ram_bytes  # noqa: PLC0415
    from tinyml_rules.firmware.stack import worst_stack  # noqa: PLC0415

    assert part.memory
    variables = static_ram_bytes(elf, part.memory)
    stack = None
    try:
        stack = worst_stack(part, elf, stack_usage_files, where=elf.name)
    except ToolError as error:
        print(f"STACK   {error}".replace("error: ", "not checked: "))
    room = part.memory.ram.bytes - variables
    if stack is not None and stack > room:
        what = f"the stack takes up to {stack} bytes, {room} are left of the RAM of '{part.name}'"
        raise DoesNotFitError.at(elf.name, what)
    flash, ram = loaded_bytes(elf, part.memory), variables + (stack or 0)
    check_limits(env, flash, ram, where=elf.name)
    figures = image_figures({"flash_bytes": flash, "ram_bytes": ram, "stack_bytes": stack})
    return figures if stack is not None else f"{figures} without the stack"


FINISH_PROGRAM = FiguresAction(
    finish_program, "$TINYML_SIZECOMSTR", variables=("TINYML_TARGET", *LIMITS)
)
