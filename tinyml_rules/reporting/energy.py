"""The energy of an inference, as a person reads it."""

from __future__ import annotations

from tinyml_rules.reporting.firmware import Run
from tinyml_rules.reporting.sizes import three_digits


def microjoules_text(value: float) -> str:
    """Three digits and the unit, never an exponent."""
    return f"{three_digits(value)} µJ"


def energy_words(run: Run) -> str:
    """What follows the time of a run; empty where the target has no [power]."""
    value = run.estimated_microjoules
    return "" if value is None else f", ~{microjoules_text(value)}"


def run_figures(run: Run | None) -> tuple[float | None, float | None]:
    """Time and energy of a run, estimated or not."""
    if run is None:
        return None, None
    time = run.estimated_milliseconds if run.milliseconds is None else run.milliseconds
    return time, run.estimated_microjoules


def run_cells(
    milliseconds: float | None, microjoules: float | None, *, is_exact: bool
) -> dict[str, str]:
    """Both as columns of a table; empty where they are not known.  `is_exact`: the time is of
    counted cycles."""
    about = "" if is_exact else "~"
    return {
        "time (ms)": "" if milliseconds is None else f"{about}{three_digits(milliseconds)}",
        "energy (µJ)": "" if microjoules is None else f"~{three_digits(microjoules)}",
    }
