"""The files that all kinds of packages share: the model's C, its check, an example, a README."""

from __future__ import annotations

from tinyml_rules.compiler import Compiled
from tinyml_rules.package.kind import Files
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render


def sources(order: Order) -> list[str]:
    """The C files to compile, in this order: the check is to be the first that fails."""
    return [f"src/{order.name}_target.c", f"src/{order.name}.c"]


def model_files(
    order: Order,
    compiled: Compiled,
    *,
    readme: str,
    header_folder: str = "include",
    **words: object,
) -> Files:
    """The model as it was compiled, byte for byte, and the README of template `readme`, which has
    `words`."""
    name = order.name
    check, source = sources(order)
    return {
        check: render("target.c.j2", order, compiled),
        source: compiled.files[f"{name}.c"],
        f"{header_folder}/{name}.h": compiled.files[f"{name}.h"],
        "README.md": render(readme, order, compiled, **words),
        **compiled.binaries,
    }


def example(order: Order, compiled: Compiled, *, main: str = "int main(void)") -> str:
    """A program that runs the model on a few inputs and prints what comes out."""
    return render("main.c.j2", order, compiled, main=main)
