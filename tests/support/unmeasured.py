"""Kernels in tests of shapes for which others are faster."""

from __future__ import annotations

from typing import Any

import pytest

from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.program import Kernel


def take_wherever_they_can(
    monkeypatch: pytest.MonkeyPatch, *parts: str, pays: tuple[Condition, ...] = ()
) -> None:
    """Kernels with one of the parts in their names take all nodes that they can do, or those of
    them for which these conditions hold, whether or not that pays."""
    takes = Kernel.takes

    def unmeasured(kernel: Kernel, facts: Any) -> bool:
        if any(part in kernel.name for part in parts):
            return all(each.holds(facts) for each in (*kernel.can, *pays))
        return takes(kernel, facts)

    monkeypatch.setattr(Kernel, "takes", unmeasured)
