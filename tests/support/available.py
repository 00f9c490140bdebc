"""The targets that tests can run on: no test may skip, and no package brings a vendor's tools."""

from __future__ import annotations

from functools import cache

from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.parts import own_targets
from tinyml_rules.target.target import load_target, target_names


def twins() -> tuple[str, ...]:
    """The targets that are like another one, with the same C for the same core; what differs has
    its tests in tests/targets/test_twins.py."""
    return tuple(name for name in target_names() if load_target(name).like)


@cache
def available_targets() -> tuple[str, ...]:
    """Every target of its own but those that lack a tool which only a vendor has."""
    return tuple(
        name
        for name in own_targets()
        if not any(tool.vendor for tool in missing_tools(load_target(name)))
    )
