"""What goes with the inference of a model, as one value that its C is written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.interface import Interface
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.signing import Signing
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.put_raw import PutRaw, put_raw_functions
from tinyml_rules.surroundings.decide.decisions import Decision, decisions
from tinyml_rules.surroundings.decide.requests import Asked
from tinyml_rules.surroundings.microphone import Microphone, microphone_of
from tinyml_rules.surroundings.self_test import outputs_crc
from tinyml_rules.surroundings.settings import check_kept, check_settings


@dataclass(frozen=True)
class Surroundings:
    """As a request asks for it."""

    decisions: tuple[Decision, ...] = ()
    """What functions decide from outputs."""
    raw_inputs: tuple[PutRaw, ...] = ()
    """The functions that take raw values of a sensor."""
    microphone: Microphone | None = None
    """What makes features of samples."""
    has_partition: bool = False
    """Functions from real numbers to real numbers, over whole tensors."""
    image_version: int | None = None
    """Of a model whose constants can be exchanged; None where they cannot."""
    signature: Signing = Signing.NONE
    """By what an image of such constants is signed."""
    expected_crc: int | None = None
    """What a self test expects of its inference: the CRC-32 of all outputs; None without one."""
    has_dump: bool = False
    """Functions that print inputs and outputs."""
    has_hooks: bool = False
    """Macros of the user's around each node."""
    in_constant_time: bool = False
    """No branch depends on data where there is a way without."""
    has_loop_limits: bool = False
    """Marks in loops whose count depends on data."""
    is_marked: bool = False
    """Marks between which a profile counts."""
    is_watched: bool = False
    """Marks where a runner reads tensors, instead."""
    is_annotated: bool = False
    """Contracts for Frama-C, as comments."""

    @property
    def kept_bytes(self) -> int:
        """Of the memory plan: what decisions over time keep from one result to the next."""
        return sum(each.event.size_bytes for each in self.decisions if each.event is not None)

    @property
    def words(self) -> dict[str, object]:
        """What the templates ask without more than yes or no."""
        return {"has_partition": self.has_partition, "has_dump": self.has_dump}


NOTHING = Surroundings()
"""An inference alone."""


def surroundings_of(request: Request, program: Program, heads: Sequence[Asked]) -> Surroundings:
    """All that is known before the memory plan; `heads`: what is asked of the outputs.

    Raises UnsupportedError or UsageError for what this model cannot have.
    """
    decided = decisions(program.graph, heads)
    check_settings(request, program)
    check_kept(request, decided)
    return Surroundings(
        decisions=decided,
        has_partition=request.partition,
        image_version=request.model_version if request.is_exchangeable else None,
        signature=request.signature,
        expected_crc=outputs_crc(program.graph, request.operators) if request.selftest else None,
        has_dump=request.dump,
        has_hooks=request.hooks,
        in_constant_time=request.constant_time,
        has_loop_limits=request.loop_limits,
        is_marked=request.marked,
        is_watched=request.watched,
        is_annotated=request.annotated,
    )


def with_raw_inputs(
    around: Surroundings, program: Program, interface: Interface, request: Request
) -> tuple[Surroundings, Interface]:
    """Both with the functions that take raw values of a sensor, which are next to the accessors of
    the interface, and with a microphone.  Raises UsageError where the description does not fit the
    model."""
    found = put_raw_functions(
        request.sensor.inputs if request.sensor else {},
        interface,
        is_small=request.optimize is Optimize.SIZE,
        int_max=request.target.int_max,
    )
    ports = tuple(each.port for each in found)
    microphone = microphone_of(program, interface, request.sensor)
    around = replace(around, raw_inputs=found, microphone=microphone)
    samples = 0 if microphone is None else microphone.front.step
    return around, replace(interface, raw_inputs=ports, samples=samples)
