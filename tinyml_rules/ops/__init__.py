"""The operators, one folder each.  Folders are found, not listed; users may have further ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from pkgutil import iter_modules

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.program import Kernel
from tinyml_rules.ops._shared.operator import Op, Operators


def folder_of(name: str) -> str:
    """The folder of an operator; a Python keyword gets an underscore at its end."""
    return f"{name}_" if iskeyword(name) else name


@cache
def builtin_operators() -> Operators:
    """Every operator of this package, in alphabetical order; `_shared` is none."""
    found = (module.name for module in iter_modules(__path__) if module.ispkg)
    names = sorted(name for name in found if not name.startswith("_"))
    return Operators.of(import_module(f"{__name__}.{name}").OP for name in names)


def load_operators(folders: Sequence[Path]) -> Operators:
    """The operators of this package, and those of folders outside of it.

    Each folder is one operator folder, or a folder of such.  Raises UsageError for one that cannot
    be imported, and for an operator or a kernel that is there already.
    """
    if not folders:
        return builtin_operators()
    from tinyml_rules.ops._shared.outside import operators_of  # noqa: PLC0415 - seldom needed

    ops = list(builtin_operators().values())
    kernels = {kernel.name for op in ops for kernel in _every_kernel(op.kernels)}
    for folder in {folder.resolve(): folder for folder in folders}.values():
        for place, op in operators_of(folder):
            _check_new(op, ops, str(place))
            added = {kernel.name for kernel in _every_kernel(op.kernels)}
            if kernels & added:
                what = f"there is a kernel '{min(kernels & added)}' already, expected another name"
                raise UsageError.at(str(place), what)
            kernels |= added
            ops.append(op)
    return Operators.of(ops)


def _check_new(op: Op, ops: Iterable[Op], where: str) -> None:
    """Raise UsageError where another operator has the name, or what a file calls it."""
    for other in ops:
        if other.name == op.name:
            what = f"there is an operator '{op.name}' already, expected another name"
            raise UsageError.at(where, what)
        code = (op.builtin_code, op.custom_name)
        if (other.builtin_code, other.custom_name) == code:
            called = f"custom operator '{op.custom_name}'" if op.custom_name else f"code {code[0]}"
            raise UsageError.at(where, f"the {called} is the operator '{other.name}' already")


def _every_kernel(kernels: Iterable[Kernel]) -> Iterator[Kernel]:
    for kernel in kernels:
        yield kernel
        if kernel.in_rows is not None:
            yield kernel.in_rows
