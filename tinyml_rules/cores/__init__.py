"""The cores that kernels are written for, one a folder, found by themselves.

A part is every core whose needs it has.  `cores_of` gives them in the order of preference: the
first is the part's core, and each of the others says what those before it leave open.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from itertools import combinations
from pkgutil import iter_modules

from tinyml_rules.cores.core import Core, Qualifiers
from tinyml_rules.cores.finish import Finish
from tinyml_rules.errors import TargetError
from tinyml_rules.ir.features import Feature


@cache
def all_cores() -> Mapping[str, Core]:
    """Every core by its name."""
    names = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    return {name: import_module(f"{__name__}.{name}").CORE for name in names}


def best_first() -> tuple[Core, ...]:
    """Every core before those that it is preferred to."""
    return tuple(sorted(all_cores().values(), key=lambda core: len(core.beats), reverse=True))


@cache
def cores_of(features: frozenset[Feature]) -> tuple[Core, ...]:
    """All that a part with these features is, best first.

    Raises TargetError for features that no processor has together.
    """
    found = [core for core in all_cores().values() if core.needs <= features]
    for one, other in combinations(found, 2):
        if one.name not in other.beats and other.name not in one.beats:
            words = " and ".join(f"'{core.name}'" for core in (one, other))
            raise TargetError.at("features", f"those of the cores {words}, expected those of one")
    names = {core.name for core in found}
    return tuple(sorted(found, key=lambda core: len(core.beats & names), reverse=True))


def core_of(features: frozenset[Feature]) -> Core:
    """The core of a part with these features."""
    return cores_of(features)[0]


def finish_of(features: frozenset[Feature]) -> Finish | None:
    """How its sums are requantized if they are bounded; None where that is done as for all sums."""
    return next((core.finish for core in cores_of(features) if core.finish is not None), None)


def qualifiers_of(features: frozenset[Feature]) -> Qualifiers:
    """What its declarations begin with."""
    return next(core.qualifiers for core in cores_of(features) if core.qualifiers is not None)


def group_of(features: frozenset[Feature]) -> int:
    """How many channels its kernels take at a time; weights outside flash are read channel by
    channel."""
    if Feature.EXTERNAL_WEIGHTS in features:
        return 1
    return next(core.group for core in cores_of(features) if core.group is not None)
