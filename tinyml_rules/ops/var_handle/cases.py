"""Cases of VAR_HANDLE: a variable that is read, added to and assigned."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.ops._shared.cases.case import Rejected
from tinyml_rules.ops._shared.cases.variables import CASES, MODELS

REJECTED: Mapping[str, Rejected] = {}

__all__ = ["CASES", "MODELS", "REJECTED"]
