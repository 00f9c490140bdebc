"""A folder of C with a Makefile and a CMakeLists.txt that work by themselves."""

from __future__ import annotations

from tinyml_rules.compiler import Compiled
from tinyml_rules.package.kind import Files, Kind, refuse_name
from tinyml_rules.package.model_files import example, model_files, sources
from tinyml_rules.package.on_host import FOLDER, files_for_host
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render_files

_TARGETS_OF_CMAKE = frozenset(
    (
        *("all", "clean", "depend", "edit_cache", "help", "install", "package", "package_source"),
        *("preinstall", "rebuild_cache", "test"),
    )
)


def _check(order: Order) -> None:
    if order.name in _TARGETS_OF_CMAKE:
        refuse_name(order.name, "one that is no target of CMake's own", ecosystem="a library")


def _files(order: Order, compiled: Compiled) -> Files:
    here = files_for_host(order, compiled)
    folder = FOLDER if here else ""
    files = model_files(order, compiled, readme="c/readme.md.j2", example_folder=folder)
    files.update(here)
    toolchain = order.target.toolchain
    prefix = "" if "/" in toolchain.prefix else toolchain.prefix  # else of one computer alone
    templates = {path: f"{path}.j2" for path in ("Makefile", "CMakeLists.txt")}
    words = {"prefix": prefix, "flags": toolchain.machine_flags, "sources": sources(order)}
    files.update(render_files("c", templates, order, compiled, example_folder=folder, **words))
    files["examples/main.c"] = example(order, compiled)
    return files


KIND = Kind("folder of plain C", _check, _files)
