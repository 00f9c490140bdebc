"""What the templates of a model's two files may say; `emit/words.py` has those of its kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.emit.calls import Stream
from tinyml_rules.emit.decisions import DecisionNames
from tinyml_rules.emit.exchange import ImageWords
from tinyml_rules.emit.kernels import KernelUse
from tinyml_rules.emit.microphone import MicrophoneWords
from tinyml_rules.emit.raw_inputs import RawWords
from tinyml_rules.emit.self_test import SelfTest
from tinyml_rules.emit.slide import SlideWords
from tinyml_rules.ir.features import Need
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.ir.program import Kernel
from tinyml_rules.ir.words import Words
from tinyml_rules.plan.memory_plan import MemoryPlan


@dataclass(frozen=True, kw_only=True)
class ModelWords(Words):
    """What both files say."""

    interface: Interface
    """The C accessors: names, inputs and outputs, where the arena is."""
    macro: str
    """What every macro of the model begins with: its name in capitals."""
    memory: str
    """C parameter of every function where the arena is the caller's: `void *arena`, else empty."""
    flash: str
    """Qualifier of a pointer to constants, with a blank after it: `__flash ` on AVR, else empty."""
    plan: MemoryPlan
    """Bytes of the arena and of each region."""
    nodes: Sequence[tuple[int, str]]
    """(number in the model's file, operator) of each node that hooks are called for."""
    heads: Sequence[DecisionNames]
    """The functions that decide from outputs."""
    self_test: SelfTest | None
    """What the self test expects; None without one."""
    image: ImageWords | None
    """The constants as an image that can be exchanged; None where they cannot."""
    has_dump: bool
    """Whether there are functions that print inputs and outputs."""
    microphone: MicrophoneWords | None
    """The function that takes samples of a microphone; None without one."""


@dataclass(frozen=True, kw_only=True)
class HeaderWords(Words):
    """The template of `<name>.h`."""

    model: ModelWords
    c_functions: Mapping[str, str]
    """C declarations, by name, of the firmware's own functions that the model calls."""
    flash_macro: str
    """Name of the macro by which those qualify a pointer to constants."""
    has_partition: bool
    """Whether there are functions over real numbers, too."""


@dataclass(frozen=True, kw_only=True)
class RunWords(Words):
    """How an inference runs, and in which memory."""

    tasks: Sequence[tuple[Stream | None, Sequence[str]]]
    """(stream, no statements) or (None, the C statements of a layer), in the order of the plan."""
    slide: SlideWords | None
    """The rows of windows that slide, which run before `tasks`; None where none do."""
    prepare: Sequence[str]
    """C statements with which an inference begins."""
    resets: Sequence[str]
    """C statements that give every variable its initial value."""
    pushed: str
    """C address of the slot for the caller's row number `pushed[0]`; empty: the input is whole."""
    counters: str
    """C expression of the array that counts pushed rows, or those of the stream that a slice may
    leave."""
    row_counters: int
    """How many there are."""
    next_piece: str
    """C variable: where an inference in slices goes on."""
    gave_outputs: str
    """C variable: whether the last inference in slices gave outputs; empty where all do."""
    sums: int
    """How many int32 sums are kept between the pieces of a stream's end; 0 without."""
    alignment: int
    """Bytes: every buffer begins at a multiple of it."""
    apart_bytes: int
    """Bytes of the arena's start that a static arena has as variables of their own."""
    has_real_numbers: bool
    """Whether any step reads or writes float32."""
    hooks: Sequence[str]
    """The two macros of the user's around each node; none without hooks."""
    has_loop_limits: bool
    """Whether loops whose count depends on data say how often they run at most."""
    is_checked: bool
    """Whether dead bytes are overwritten."""
    is_marked: bool
    """Whether the code has marks for a profile, or for a runner that reads tensors."""
    is_watched: bool
    """Whether the marks are for a runner that reads tensors."""
    in_order: Callable[[Kernel], Sequence[str]]
    """C statements after a kernel over which compilers must not move accesses to memory."""


@dataclass(frozen=True, kw_only=True)
class WindowWords(Words):
    """How window kernels come by their rows."""

    windowed: bool
    """Whether any kernel reads a window of rows."""
    divided: bool
    """Whether any window has a divisor, so that there are more output rows than input rows."""
    window_struct: str
    """C declaration of the struct `<p>window`; empty where no kernel has it."""
    has_phase: bool
    """Whether row 0 of a ring may be in another slot than the first."""
    has_pieces: bool
    """Whether a stream makes its rows in pieces."""
    has_strips: bool
    """Whether a ring of one has whole rows and a strip."""
    saves_pixels: bool
    """Whether pixels of a strip are kept between two pieces."""


@dataclass(frozen=True, kw_only=True)
class SourceWords(Words):
    """The template of `<name>.c`."""

    model: ModelWords
    run: RunWords
    windows: WindowWords
    p: str
    """What every C name of the model begins with: its name and an underscore."""
    target: str
    """Name of the target."""
    is_host: bool
    """Whether the target is the computer itself."""
    needs: Sequence[Need]
    """What the C asks of a compiler, the feature that says the most last."""
    sha256: str
    """Of the model's file, in hexadecimal; empty where the layout of an image is hashed."""
    is_small: bool
    """Whether the file asks GCC to compile for size."""
    held: str
    """Qualifier of a pointer to params: as `flash`, or empty where they can be exchanged."""
    table: str
    """Qualifier of a table of constants, with a blank after it; empty on most parts."""
    runtime: Sequence[str]
    """C text of each piece that kernels call, callees first."""
    kernels: Sequence[tuple[KernelUse, str, str]]
    """(use, C name, C text) of each kernel."""
    constants: Sequence[str]
    """C text of the tables and structs of each step."""
    functions: Sequence[str]
    """C text of the graphs that nodes run, and of those nodes, callees first."""
    ports: Sequence[tuple[Port, str, str]]
    """(port, C type of a pointer, C address) of each input and output that has an accessor."""
    raw_inputs: Sequence[RawWords]
    """The functions that take raw values of sensors."""
