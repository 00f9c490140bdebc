"""Writes target_table.bzl, what Bazel has to know of each target before it builds anything.

Starlark reads no TOML.  A test compares the file with the targets: run
`python -m tinyml_rules.frontends.bazel.target_table` after a change of them.
"""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.target.target import Target, load_target, target_names

FILE = Path(__file__).with_suffix(".bzl")

_HEAD = '''\
"""The targets, as tinyml_rules/frontends/bazel/target_table.py writes them: do not edit."""

TARGETS = {
'''


def target_table() -> str:
    """The text of the file."""
    return _HEAD + "".join(_row(load_target(name)) for name in target_names()) + "}\n"


def _row(target: Target) -> str:
    prefix = target.toolchain.prefix
    flags = ", ".join(f'"{flag}"' for flag in target.toolchain.machine_flags)
    return (
        f'    "{target.name}": struct(\n'
        f'        architecture = "{target.architecture}",\n'
        f"        machine_flags = [{flags}],\n"
        f'        prefix = "{Path(prefix).name if "/" in prefix else prefix}",\n'
        f"    ),\n"
    )


if __name__ == "__main__":
    FILE.write_text(target_table(), encoding="utf-8")
