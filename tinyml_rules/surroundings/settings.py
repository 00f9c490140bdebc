"""Which settings of the surroundings a model cannot have, or not together."""

from __future__ import annotations

from collections.abc import Iterable

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.signing import Signing
from tinyml_rules.request.request import Request
from tinyml_rules.surroundings.decide.decisions import Decision
from tinyml_rules.surroundings.integer_core import check_integer_core


def check_settings(request: Request, program: Program) -> None:
    """Raise UsageError or UnsupportedError for the first of them."""
    _check_slide(request)
    _check_partition(request, program)
    _check_slices(request)
    _check_exchange(request)


def _check_slide(request: Request) -> None:
    """Rows of windows that slide live on, and no window is ever whole."""
    hop = request.slide
    if hop is None:
        return
    if not request.push_rows:
        raise UsageError.at(request.name, f"slide={hop} without push_rows, expected both")
    if request.arena is ArenaMode.SHARED:
        shared = f"slide={hop} with arena=shared, which other models overwrite between two rows"
        raise UsageError.at(request.name, shared, hint="leave out one of them")
    if request.dump:
        dump = f"slide={hop} with dump, which prints single inferences"
        raise UsageError.at(request.name, dump, hint="leave out one of them")
    if request.watched:
        watched = f"slide={hop}, but tensors are compared for single inferences"
        raise UsageError.at(request.name, watched, hint="leave out slide")


def _check_partition(request: Request, program: Program) -> None:
    """Its functions take whole tensors, and there is nothing but integers between them."""
    if not request.partition:
        return
    if request.push_rows:
        what = (
            "partition, which takes whole tensors, and push_rows exclude each other, expected one "
            "of them"
        )
        hint = "with push_rows, convert each row by the header's function for one value"
        raise UsageError.at(request.name, what, hint=hint)
    check_integer_core(each.graph for each in (program, *program.called))


def check_kept(request: Request, decided: Iterable[Decision]) -> None:
    """Decisions over time keep what other models would overwrite."""
    for each in decided:
        if each.event is not None and request.arena is ArenaMode.SHARED:
            what = (
                f"the events of output '{each.name}' have to be kept, but other models overwrite a "
                "shared arena"
            )
            hint = "compile this model with an arena of its own, static or caller"
            raise UsageError.at(request.name, what, hint=hint)


def _check_slices(request: Request) -> None:
    """Each pushed row is a slice of its own."""
    if request.slices and request.push_rows:
        what = (
            "slices, which need the whole input, and push_rows exclude each other, expected one of "
            "them"
        )
        hint = "with push_rows, each row is a part of the inference already"
        raise UsageError.at(request.name, what, hint=hint)


def _check_exchange(request: Request) -> None:
    """What is expected of a model and what is decided from its outputs are those of one alone."""
    for asked_for, option in ((request.selftest, "selftest"), (request.sensor, "sensor")):
        if request.is_exchangeable and asked_for:
            text = f"{option} with weights=partition, which another model may take the place of"
            raise UsageError.at(request.name, text, hint="leave out one of them")
    if request.signature is not Signing.NONE and not request.is_exchangeable:
        what = f"signature={request.signature} without an image, expected weights=partition with it"
        raise UsageError.at(request.name, what)
