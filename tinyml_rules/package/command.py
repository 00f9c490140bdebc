"""The command `package`: its options, and the way from them to a folder on the disk."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import UsageError
from tinyml_rules.package.kinds import KINDS, kind_of
from tinyml_rules.package.model_files import sources
from tinyml_rules.package.order import DEFAULT_AUTHOR, DEFAULT_VERSION, Label, Order
from tinyml_rules.system.files import STAGING, write_files
from tinyml_rules.system.ours import check_ours
from tinyml_rules.target.target import Target

_OTHER_FOLDER = "name another folder with --out"


def add_package_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that no other command has."""
    parser.add_argument("kind", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for the package (default: the model's name)"
    )
    parser.add_argument(
        "--version",
        default=DEFAULT_VERSION,
        help=f"version of the package (default: {DEFAULT_VERSION})",
    )
    parser.add_argument(
        "--author",
        default=DEFAULT_AUTHOR,
        help=f"author, maintainer or vendor of the package (default: {DEFAULT_AUTHOR})",
    )
    parser.add_argument("--license", default="", help="license of the model, as an SPDX identifier")
    parser.add_argument("--url", default="", help="address of the package")


def package_order(options: argparse.Namespace, name: str, target: Target) -> Order:
    """The order of the options; raises UsageError for values that the ecosystem does not allow."""
    kind = kind_of(options.kind)
    label = Label(options.version, options.author, options.license, options.url)
    order = Order(options.kind, name, target, label, options.out or Path(name))
    kind.check(order)
    return order


def write_package(order: Order, compiled: Compiled) -> str:
    """Write the package, all of it or nothing; returns what to tell of it."""
    kind = kind_of(order.kind)
    files = kind.files(order, compiled)
    _check_folder(order.folder, sources(order)[0])
    model = [file for file in files if Path(file).name in compiled.outputs]
    check_ours(model, order.folder, hint=_OTHER_FOLDER)
    write_files(files, order.folder)
    return f"{order.folder}: {order.name} for {order.target.name}, a {kind.title}"


def _check_folder(folder: Path, mark: str) -> None:
    """Raise UsageError for a folder with something else in it: only our own files are replaced.

    `mark`: the file by which an earlier version is known, which no other tool writes."""
    holds_files = any(files for path, _, files in os.walk(folder) if STAGING not in path)
    if holds_files and not (folder / mark).is_file():
        what = "holds other files, expected an empty folder or an earlier version of this package"
        raise UsageError.at(str(folder), what, hint=_OTHER_FOLDER)
