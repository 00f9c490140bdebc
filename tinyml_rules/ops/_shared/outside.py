"""Operator folders outside the package: found, imported under a name of their own, and judged.

Their modules are `tinyml_rules_operators.<digest>.<folder>`, in the way of no other module, and
relative imports work.  No bytecode is kept: an edit counts at once, and a folder may be read-only.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from tinyml_rules.errors import UsageError
from tinyml_rules.ops._shared.guarded import Guard, cause_of
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.system.sources import operator_files

_ROOT = "tinyml_rules_operators"
_INIT = "__init__.py"


def operators_of(folder: Path) -> Iterator[tuple[Path, Op]]:
    """The records of one operator folder, or of a folder of such, each with where it is from.
    Raises UsageError."""
    place = folder.resolve()
    found = _operator_folders(place, shown=str(folder))
    is_one = found == [place]
    digest = _digest(place)
    _FINDER.parents[digest] = place.parent if is_one else place
    for each in found:
        shown = folder if is_one else folder / each.name
        yield shown, _record(each, f"{_ROOT}.{digest}.{each.name}", shown=str(shown))


def _operator_folders(folder: Path, *, shown: str) -> Sequence[Path]:
    """The folder itself where it has an `__init__.py`; else those in it that have one, but for
    names that begin with an underscore, which hold what several share."""
    if not folder.is_dir():
        raise UsageError.at(shown, "no such folder, expected one with operators")
    if (folder / _INIT).is_file():
        return [folder]
    found = sorted(each.parent for each in folder.glob(f"*/{_INIT}"))
    found = [each for each in found if each.name[0] not in "._"]
    if not found:
        raise UsageError.at(shown, f"no operator, expected an {_INIT} here, or in folders of it")
    return found


def _digest(folder: Path) -> str:
    """Of all that the modules are made of: other contents are other modules."""
    digest = hashlib.sha256()
    for file in operator_files([folder]):
        digest.update(f"{file} ".encode())
        digest.update(Path(file).read_bytes())
    return f"d{digest.hexdigest()}"


def _record(folder: Path, module: str, *, shown: str) -> Op:
    if not folder.name.isidentifier():
        raise UsageError.at(shown, "the folder's name is not a valid name of a Python module")
    try:
        op = getattr(import_module(module), "OP", None)
    except (Exception, SystemExit) as error:
        raise UsageError.at(shown, f"cannot be imported: {cause_of(error, folder)}") from error
    if op is None:
        raise UsageError.at(shown, f"{_INIT} has no OP, expected the operator's record")
    if not isinstance(op, Op):
        raise UsageError.at(shown, f"OP is {type(op).__name__}, expected the record Op")
    return Guard(folder, shown).op(op)


class _Loader(SourceFileLoader):
    """Compiles a source each time, and writes nothing."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


class _Finder(MetaPathFinder):
    """Finds the modules below `_ROOT`, and no others."""

    def __init__(self) -> None:
        self.parents: dict[str, Path] = {}
        """By digest, the folder with operator folders."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - as Python calls it
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        root, _, rest = fullname.partition(".")
        if root != _ROOT:
            return None
        digest, _, name = rest.partition(".")
        if digest and digest not in self.parents:
            return None
        if not name:
            return ModuleSpec(fullname, None, is_package=True)
        place = self.parents[digest].joinpath(*name.split("."))
        if (place / _INIT).is_file():
            file = place / _INIT
            return spec_from_file_location(
                fullname,
                file,
                loader=_Loader(fullname, str(file)),
                submodule_search_locations=[str(place)],
            )
        file = place.with_name(f"{place.name}.py")
        if file.is_file():
            return spec_from_file_location(fullname, file, loader=_Loader(fullname, str(file)))
        return ModuleSpec(fullname, None, is_package=True) if place.is_dir() else None


_FINDER = _Finder()
sys.meta_path.insert(0, _FINDER)  # Python's own keeps bytecode of what it finds in a package
