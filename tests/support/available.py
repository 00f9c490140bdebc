"""The targets that tests can run on: no test may skip, and no package brings a vendor's tools."""

from __future__ import annotations

from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.target import load_target, target_names


def available_targets() -> tuple[str, ...]:
    """Every target but those that lack a tool which only a vendor has."""
    return tuple(
        name
        for name in target_names()
        if not any(tool.vendor for tool in missing_tools(load_target(name)))
    )
