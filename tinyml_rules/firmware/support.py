"""What an image needs in addition to the model and main(): C files, weights, a memory layout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tinyml_rules.errors import TargetError
from tinyml_rules.firmware.image import Kind
from tinyml_rules.request.outputs import suffix_of
from tinyml_rules.target.target import Target
from tinyml_rules.target.toolchain import Memory

if TYPE_CHECKING:
    from tinyml_rules.ir.interface import Interface

FIRMWARE_FOLDER = Path(__file__).parent
STACK_GUARD = FIRMWARE_FOLDER / "tinyml_stack_guard.h"
"""What startup code includes to set a limit of the stack, and a program of a user's may."""


def support_sources(target: Target, *, kind: Kind, is_watched: bool = False) -> tuple[Path, ...]:
    """The C files that a firmware of `target` needs in addition to the model and main().

    A program with a main() of its own needs those of kind `minimal`.  `boot.c` is for the part's
    own boot ROM, which the machine that runs test images does not have.  `is_watched`: a runner
    reads tensors, for which the code of a host calls a function.
    """
    startup = target.file("startup.c")
    found = [] if startup is None else [startup, FIRMWARE_FOLDER / "memory.c"]
    boot = target.file("boot.c")
    if boot is not None and kind == "minimal":
        found.append(boot)
    lacking = (target.file(name) for name in ("arithmetic.c", "real_numbers.c"))
    found += [each for each in lacking if each is not None]  # in the compiler's own library
    if kind == "test":
        port = target.file("port.c")
        assert port is not None, f"target '{target.name}' has a runner but no port.c"
        found.insert(0, port)  # of functions that a program may replace the first one is linked
    reader = target.file("watches.c")
    if is_watched and reader is not None:
        found.append(reader)
    return tuple(found)


def weights_source(target: Target, *, kind: Kind) -> Path:
    """The C file with `tinyml_read` for a model whose weights are not in flash.

    `weights.c` is a driver of the part's own.  Without one, test images read a file with
    `weights_port.c`, and the minimal image, whose size is reported, has a function that reads
    nothing.
    """
    driver = target.file("weights.c")
    if driver is not None:
        return driver
    if kind == "minimal":
        return FIRMWARE_FOLDER / "weights_stub.c"
    port = target.file("weights_port.c")
    if port is None:
        what = "has neither weights.c nor weights_port.c, with which to read external weights"
        raise TargetError.at(target.name, what)
    return port


def read_ahead(target: Target) -> tuple[list[str], list[Path]]:
    """(flags, folders with headers) for the C of a model whose weights are not in flash, where the
    target's driver hands over bytes while the next is on its way."""
    header = target.file("tinyml_read_ahead.h")
    return ([], []) if header is None else (["-DTINYML_READ_AHEAD"], [header.parent])


def weights_file(folder: Path, interface: Interface) -> Path | None:
    """The path of the weights of the model that was compiled into `folder`."""
    file = folder / f"{interface.name}{suffix_of('weights')}"
    return file if interface.has_external_weights else None


def link_memory(target: Target, kind: Kind) -> Memory | None:
    """The memory for which an image of this kind is linked."""
    return target.memory if kind == "minimal" else target.test_memory
