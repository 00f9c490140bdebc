"""Which of the collected tests run: the quick ones, or a shard of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from requirements.checks import QUICK_TARGETS
from tests.support.combined import SANITIZED
from tinyml_rules.target.target import target_names

FULL = "full"
"""The marker of tests for `./tinyml check full` alone: they take long, or need tools besides."""
_MODULES_PER_SHARD = 4
"""Fewer than so many, as in the long run of random models, and single tests are dealt out."""
_OTHER_TARGETS = frozenset(target_names()) - {*QUICK_TARGETS, SANITIZED}


def is_quick(test: pytest.Item) -> bool:
    """Whether a test is not marked, and none of its parameters is a target that the quick tests
    have no tools for."""
    if test.get_closest_marker(FULL) is not None:
        return False
    call = getattr(test, "callspec", None)
    return call is None or not any(
        isinstance(value, str) and value in _OTHER_TARGETS for value in call.params.values()
    )


def share_of(tests: Sequence[str], number: int, count: int) -> set[str]:
    """Shard `number` of `count` of tests by their ids: whole modules, so that what one prepares is
    prepared once, or every `count`-th test where there are few modules."""
    modules: dict[str, list[str]] = {}
    for test in tests:
        modules.setdefault(test.partition("::")[0], []).append(test)
    if len(modules) < _MODULES_PER_SHARD * count:
        return set(tests[number - 1 :: count])
    shards: list[list[str]] = [[] for _ in range(count)]
    for _, found in sorted(modules.items(), key=lambda each: (-len(each[1]), each[0])):
        min(shards, key=len).extend(found)
    return set(shards[number - 1])
