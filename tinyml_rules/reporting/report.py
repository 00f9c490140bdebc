"""What a report holds: of the compiled model, and what a build and a run add to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tinyml_rules.ir.interface import ArenaMode, Interface, RawPort
from tinyml_rules.reporting.firmware import Build, Flash, Profile, Run
from tinyml_rules.reporting.parts import (
    CurvePoint,
    MicrophoneFigures,
    NodeFigures,
    PackedWeights,
    PeakFigures,
    PortFigures,
    Pushes,
    RawInput,
    Remedy,
    TabulatedLayers,
    TimelineFigures,
    TrimmedNode,
)
from tinyml_rules.reporting.record import FLAT


@dataclass(frozen=True)
class Report:
    """A `<name>.report.json`, key by key."""

    comment: str
    """who wrote the file"""
    version: str
    """of the compiler"""
    model: str
    """prefix of the C symbols"""
    model_sha256: str
    """of the model's file"""
    target: str
    """what it was compiled for"""
    options: Mapping[str, object]
    """options that are not the defaults; of files and folders only that there are"""
    arena: ArenaMode
    """where the arena lives: `static`, `caller` or `shared`"""
    model_ram_bytes: int
    """all that the model brings into the main RAM"""
    arena_bytes: int
    """the buffer for activations"""
    arena_lower_bound_bytes: int
    """the most bytes that are needed at one step"""
    arena_is_optimal: bool
    """whether it is known that no smaller arena holds this schedule"""
    state_bytes: int
    """sums and counters at the arena's start, part of `arena_bytes`"""
    variable_bytes: int
    """of tensors that keep their values from one inference to the next, part of `model_ram_bytes`;
    apart from an arena that is shared, else part of `arena_bytes`"""
    region_bytes: Mapping[str, int]
    """tensors in further memory regions, not part of `arena_bytes`"""
    peak: PeakFigures | None
    timeline: TimelineFigures
    advice: tuple[str, ...]
    """what would make it smaller, as sentences"""
    remedies: tuple[Remedy, ...]
    warnings: tuple[str, ...]
    """what a person should hear of, as sentences"""
    constant_bytes: int
    """tables in flash: weights, biases, multipliers and the like"""
    packed: tuple[PackedWeights, ...]
    external_bytes: int
    """of the file of weights outside the program's flash"""
    page_bytes: int
    """the most that is read of that file at a time; 0 without one"""
    pushed_rows: int
    """rows that an inference takes one at a time; 0 where the input is filled whole"""
    has_variables: bool
    """whether tensors, or rows of windows that slide, are kept from one inference to the next"""
    ends_early: bool
    """whether an inference, or a row of windows that slide, may end without new outputs"""
    slice_macs: int | None
    """with `slices`: the most multiply-accumulates of a slice of one layer or row"""
    event_bytes: int
    """what decisions over time keep from one result to the next, part of `state_bytes`"""
    events: tuple[str, ...]
    """C functions that take a result in and return the class that was just recognised"""
    arena_alignment: int
    """its address has to be a multiple of it"""
    streams: tuple[tuple[int, ...], ...]
    """nodes that run row by row together, a list for each group"""
    inputs: tuple[PortFigures, ...]
    outputs: tuple[PortFigures, ...]
    """an output, with the same keys"""
    raw_inputs: tuple[RawInput, ...]
    microphone: MicrophoneFigures | None
    tabulated: tuple[TabulatedLayers, ...]
    trimmed: tuple[TrimmedNode, ...]
    too_large_to_follow: tuple[int, ...]
    """nodes of which it is not worked out what values they give: more than 2^23 products or 2^20
    elements"""
    macs: int
    """multiply-accumulates of one inference"""
    curve: tuple[CurvePoint, ...]
    nodes: tuple[NodeFigures, ...]
    build: Build | None = field(default=None, metadata=FLAT)
    missing: str | None = None
    """what installs the tools without which some figures are not there"""
    flash: Flash | None = None
    pushes: Pushes | None = None
    run: Run | None = field(default=None, metadata=FLAT)
    fed: str | None = None
    """which inputs it had"""
    equal_samples: int | None = None
    """on how many samples every byte was as expected"""
    profile: Profile | None = None

    @property
    def interface(self) -> Interface:
        """The C interface that it describes, without functions that the model calls."""
        return Interface(
            name=self.model,
            inputs=tuple(each.port for each in self.inputs),
            outputs=tuple(each.port for each in self.outputs),
            pushed_rows=self.pushed_rows,
            slide=0 if self.pushes is None else self.pushes.slide,
            arena=self.arena,
            weights_bytes=self.external_bytes,
            has_variables=self.has_variables,
            ends_early=self.ends_early,
            has_slices=self.slice_macs is not None,
            event_bytes=self.event_bytes,
            events=self.events,
            alignment=self.arena_alignment,
            page_bytes=self.page_bytes,
            raw_inputs=tuple(
                RawPort(each.function, each.tensor, each.raw_bytes) for each in self.raw_inputs
            ),
            samples=0 if self.microphone is None else self.microphone.step_samples,
        )
