"""Weights of four outputs side by side, so that the sums of all four stay in registers."""

from __future__ import annotations

from tinyml_rules.cores.in_groups import groups_of

FOURS = groups_of(4)
