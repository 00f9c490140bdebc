"""`package`: a model into a library for another ecosystem."""

from __future__ import annotations

import argparse

from tinyml_rules.commands.compiled import compiled_model
from tinyml_rules.commands.console import Console
from tinyml_rules.package.command import add_package_options, package_order, write_package
from tinyml_rules.package.kinds import kind_of
from tinyml_rules.request.command_line import add_compilation, chosen_name, chosen_target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Its own options, and those of a compilation."""
    add_package_options(parser)
    add_compilation(parser)


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the package, and print what it is."""
    target = chosen_target(options)
    order = package_order(options, chosen_name(options), target)
    prepare = kind_of(order.kind).prepare
    compiled = compiled_model(options, target, console, prepare=prepare)
    console.result(write_package(order, compiled))
