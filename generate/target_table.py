"""What Bazel has to know of each target before it builds anything.  Starlark reads no TOML."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.target.target import Target, load_target, target_names

_HEAD = '''\
"""The targets, as generate/target_table.py writes them: do not edit."""

TARGETS = {
'''


def target_tables() -> dict[str, str]:
    """{path from the project's folder: what the file has to hold}."""
    rows = "".join(_row(load_target(name)) for name in target_names())
    return {"tinyml_rules/frontends/bazel/target_table.bzl": f"{_HEAD}{rows}}}\n"}


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
