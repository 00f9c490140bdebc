"""Which targets have a bound.  Imports little: a build with nothing to do comes here."""

from __future__ import annotations

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.target.target import Target

_ARMV6_M = ("cortex_m0", "cortex_m0plus")
_CORES = (*_ARMV6_M, "cortex_m3", "cortex_m4", "ibex")
"""Those of which a processor knows the instructions and all that they take."""


def is_bounded(target: Target) -> bool:
    """Whether there is an abstract processor of its architecture, and cycles of its core."""
    if target.architecture == "avr":
        return target.runner.kind == "simavr"
    return target.cycles is not None and target.cycles.core in _CORES


def is_armv6_m(target: Target) -> bool:
    """Whether a core of Arm jumps no farther than 2 kB, and loads no word at an odd address."""
    return target.cycles is None or target.cycles.core in _ARMV6_M


def check_bounded(target: Target) -> None:
    """Raise UnsupportedError for a target without one."""
    if not is_bounded(target):
        what = "there is no bound for the time on this target"
        hint = "there is one for AVR, for Cortex-M0, M0+, M3 and M4, and for RV32IMC"
        raise UnsupportedError.at(target.name, what, hint=hint)
