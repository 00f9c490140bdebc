"""The options of `run` about a battery."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping

from tinyml_rules.errors import UsageError
from tinyml_rules.reporting.battery import Use, require_currents
from tinyml_rules.target.target import Target

_SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86_400}
_MAH = {"mAh": 1, "Ah": 1000}


def add_battery(parser: argparse.ArgumentParser) -> None:
    """Both."""
    parser.add_argument(
        "--every",
        metavar="TIME",
        help="with --battery: how often there is an inference, such as 500ms, 1s, 10min or 1h",
    )
    parser.add_argument(
        "--battery",
        metavar="CHARGE",
        help="with --every: show how long a battery lasts, such as 225mAh or 2Ah",
    )


def chosen_use(options: argparse.Namespace, target: Target) -> Use | None:
    """What is asked for, if anything; raises UsageError for one option without the other, and for
    a target whose currents are not known."""
    if options.every is None and options.battery is None:
        return None
    if options.every is None or options.battery is None:
        raise UsageError.at("run", "--battery and --every need each other")
    every = _quantity(options.every, _SECONDS, "every", "a time such as 1s")
    battery = _quantity(options.battery, _MAH, "battery", "a charge such as 225mAh")
    require_currents(target)
    return Use(every, battery)


def _quantity(word: str, units: Mapping[str, float], where: str, expected: str) -> float:
    found = re.fullmatch(rf"([0-9]{{1,12}}(?:\.[0-9]{{1,12}})?) ?({'|'.join(units)})", word.strip())
    value = float(found[1]) * units[found[2]] if found else 0.0
    if not value:
        raise UsageError.at(where, f"found '{word}', expected {expected}")
    return value
