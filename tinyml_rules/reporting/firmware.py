"""What a build and a run of a model's firmware add to its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class StackFrame:
    """A function of the deepest calls."""

    function: str
    """the calls that need most of it: a function"""
    bytes: int
    """what it adds"""


@dataclass(frozen=True)
class InterruptHandler:
    """A handler whose stack counts on top of that of main()."""

    name: str
    """the interrupt handlers on top: a name"""
    bytes: int
    """its stack"""
    times: int
    """how often it can be active at once"""


@dataclass(frozen=True)
class LargeSymbol:
    """A symbol that takes much of one kind of memory."""

    symbol: str
    """the largest symbols: a name"""
    bytes: int
    """its size"""
    region: str
    """the memory"""


@dataclass(frozen=True)
class Symbol:
    """A function or variable; the initial value of a variable is in both memories."""

    symbol: str
    """every function and variable: its name"""
    flash_bytes: int
    """its bytes of flash"""
    ram_bytes: int
    """of RAM"""


class Linked(Protocol):
    """What is known of a linked firmware."""

    @property
    def flash_bytes(self) -> int: ...
    @property
    def ram_bytes(self) -> int: ...
    @property
    def stack_bytes(self) -> int | None: ...
    @property
    def stack_path(self) -> Sequence[StackFrame]: ...
    @property
    def interrupts(self) -> Sequence[InterruptHandler]: ...
    @property
    def symbols(self) -> Sequence[Symbol]: ...


@dataclass(frozen=True)
class ProgramSize:
    """Any linked program, in bytes; what of its stack is not known is left out of `ram_bytes`."""

    flash_bytes: int
    ram_bytes: int
    symbols: tuple[Symbol, ...]
    stack_bytes: int | None = None
    stack_path: tuple[StackFrame, ...] = ()
    interrupts: tuple[InterruptHandler, ...] = ()


@dataclass(frozen=True)
class Build:
    """The minimal firmware, in bytes, and the part that it is for."""

    flash_bytes: int
    """the minimal firmware"""
    ram_bytes: int
    """its variables and its worst-case stack"""
    static_ram_bytes: int
    """the variables alone"""
    stack_bytes: int | None
    """the worst-case stack"""
    stack_path: tuple[StackFrame, ...]
    interrupts: tuple[InterruptHandler, ...]
    invoke_stack_bytes: int | None
    """the worst-case stack of one inference alone; with a microphone, of a step of its samples"""
    largest: tuple[LargeSymbol, ...]
    symbols: tuple[Symbol, ...]
    compiler_flags: tuple[str, ...]
    """what the C was compiled with, without paths"""
    clock_hz: int | None
    """of the part"""
    target_flash_bytes: int | None
    """what the part has"""
    target_ram_bytes: int | None
    """what it has of RAM"""


@dataclass(frozen=True)
class FlashOfNode:
    """What a node takes of flash."""

    label: str
    """a node"""
    weights_bytes: int
    """its weights"""
    tables_bytes: int
    """its other constants"""
    kernel_bytes: int
    """its share of the code that several nodes run"""


@dataclass(frozen=True)
class FlashOfFunction:
    """What a function of the model takes of flash."""

    symbol: str
    """a function of the model"""
    bytes: int
    """its size"""
    nodes: tuple[str, ...]
    """labels of the nodes that run it"""


@dataclass(frozen=True)
class Flash:
    """The flash of the minimal firmware by purpose: the first five add up to it."""

    weights_bytes: int
    """of `flash_bytes`, with the next four: weights"""
    tables_bytes: int
    """other constants of nodes"""
    code_bytes: int
    """code of the model"""
    startup_bytes: int
    """code around it"""
    unnamed_bytes: int
    """what has no symbol"""
    nodes: tuple[FlashOfNode, ...]
    functions: tuple[FlashOfFunction, ...]


@dataclass(frozen=True, kw_only=True)
class Run:
    """The most that one inference of a run took."""

    cycles: int | None = None
    """of one inference, the most of all samples: exact, from simavr"""
    instructions: int | None = None
    """the same from QEMU, for parts that it emulates"""
    invoke_stack_measured_bytes: int | None
    """the stack that an inference was seen to use"""
    cycles_of_slowest_row: int | None = None
    """where rows are pushed: the most cycles that one call took"""
    instructions_of_slowest_row: int | None = None
    """the same in instructions"""
    external_bytes_read: int | None = None
    """the most that one inference read of weights outside flash"""
    milliseconds: float | None = None
    """of `cycles` at the part's clock"""
    estimated_cycles: int | None = None
    """in addition to instructions, where the core has a table of what they take"""
    estimated_cycles_source: str | None = None
    """[where the table is from](results.md#estimated-cycles)"""
    estimated_milliseconds: float | None = None
    """of those"""
    estimated_microjoules: float | None = None
    """what the part draws meanwhile, where its maker says what is typical"""
    estimated_microjoules_source: str | None = None
    """where that is said"""

    @property
    def unit(self) -> str:
        """What was counted."""
        return "instructions" if self.cycles is None else "cycles"

    @property
    def count(self) -> int:
        """How many of those."""
        found = self.instructions if self.cycles is None else self.cycles
        assert found is not None, "a run counts one or the other"
        return found


@dataclass(frozen=True)
class NodeProfile:
    """What a step takes of one inference."""

    graph: int
    """a step: the graph of the file that it is in"""
    node: int
    """as in `nodes`"""
    label: str
    """as there"""
    op: str
    """as there"""
    kernel: str
    """as there"""
    kind: str | None
    """of work, which has a floor"""
    runs: int
    """how often it was entered"""
    macs: int
    """as in `nodes`"""
    values: int
    """as there"""
    count: int
    """what it took in all"""
    share: float
    """of the total"""
    per_mac: float | None
    """for each product"""
    per_value: float | None
    """for each value that it makes"""
    floor: int | None
    """the fewest for each product, where its kind has one"""
    times_floor: float | None
    """how many times that it took"""
    estimated_cycles: int | None
    """in addition to instructions"""


@dataclass(frozen=True)
class Profile:
    """The slowest of the inferences of a run, by node."""

    unit: str
    """with `--profile`: what was counted"""
    total: int
    """of one inference"""
    total_estimated_cycles: int | None
    """as an estimate, in addition to instructions"""
    total_without_marks: int
    """of the firmware without the profile's marks"""
    difference: int
    """by how much the two differ"""
    between_nodes: int
    """what no node has"""
    nodes: tuple[NodeProfile, ...]
    floors: str | None
    """the fewest that a product was measured to take, by kind of layer: who measured it"""
    slowest: tuple[str, ...]
    """the labels of the nodes that take most"""
    trace_left_out: int | None = None
    """how many stays in nodes the file of `--trace` does not have"""
