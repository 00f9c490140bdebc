"""The interface of a compiled model: its C accessors.  Knows nothing of operators."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tinyml_rules.ir.dtype import DType


class ArenaMode(StrEnum):
    """Where the arena of a model lives."""

    STATIC = "static"
    """A static array of the model's own."""

    CALLER = "caller"
    """Memory that the caller passes to every function; the model itself has no variables."""

    SHARED = "shared"
    """One array for all models of a program, as large as the largest of them needs."""


@dataclass(frozen=True)
class Port:
    """One input or output of a model, as the generated header offers it.

    `accessor` is the C function that returns a pointer to its `count` values of type `dtype`;
    `tensor` is the tensor's own name in the model; real = scale * (q - zero_point) where it is
    quantized, and a scale of 0 where it is not.
    """

    tensor: str
    accessor: str
    shape: tuple[int, ...]
    scale: float
    zero_point: int
    is_float_in_model: bool
    """The model in the file has float32 here; the compiled model has int8."""
    dtype: DType = DType.INT8

    @property
    def is_quantized(self) -> bool:
        """Its values are real numbers in steps of the scale."""
        return self.scale > 0

    @property
    def c_type(self) -> str:
        """The type of its values in C."""
        return self.dtype.c_type

    @property
    def size_bytes(self) -> int:
        """Bytes of all values."""
        return self.count * self.dtype.size_bytes

    @property
    def count(self) -> int:
        """Number of values."""
        product = 1
        for dimension in self.shape:
            product *= dimension
        return product


@dataclass(frozen=True)
class RawPort:
    """A C function of the model that takes the raw values of a sensor for input `tensor`: its
    argument points to `size_bytes`, or to so many per pushed row."""

    function: str
    tensor: str
    size_bytes: int


@dataclass(frozen=True)
class Interface:
    """The C interface of model `name`: `<name>_invoke()` and an accessor for each port.

    A pushed model has `<name>_push_row()` instead of both `invoke` and the input's accessor."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    pushed_rows: int = 0
    """How many rows `<name>_push_row` takes for one inference; 0 where the input is filled whole
    and `<name>_invoke` runs the model."""
    slide: int = 0
    """How many pushed rows after the last a window begins, where they are one stream; 0 where each
    inference has rows of its own."""
    arena: ArenaMode = ArenaMode.STATIC
    weights_bytes: int = 0
    """Size of the weights file."""
    has_variables: bool = False
    """Some tensors, or rows of windows that slide, are kept from one inference to the next:
    `<name>_reset` sets them."""
    ends_early: bool = False
    """Some calls end without new outputs: `<name>_invoke`, or `<name>_push_row` of windows that
    slide, returns whether they are new."""
    has_slices: bool = False
    """`<name>_invoke_slice` runs an inference in pieces."""
    event_bytes: int = 0
    """What decisions over time keep from one result to the next."""
    alignment: int = 4
    """The address of a caller's arena has to be a multiple of it."""
    page_bytes: int = 0
    """The most that the model reads of the weights file at a time; 0 where weights are in flash."""
    functions: tuple[str, ...] = ()
    """C functions of the firmware's own that the model calls."""
    raw_inputs: tuple[RawPort, ...] = ()
    """Of a model whose sensor is described; the inputs are still there for quantized values."""
    samples: int = 0
    """Samples of a step of the microphone in front of the model; 0 without one.
    `<name>_put_samples` takes any number."""
    events: tuple[str, ...] = ()
    """C functions that take a result in and return the class that was just recognised, or -1."""

    @property
    def argument(self) -> str:
        """The argument of every function of the model: the caller's memory `arena`, or nothing."""
        return "arena" if self.arena is ArenaMode.CALLER else ""

    @property
    def has_reset(self) -> bool:
        """Whether something is kept from one call to the next that `<name>_reset` sets."""
        return self.has_variables or self.has_slices or self.event_bytes > 0

    @property
    def has_begin(self) -> bool:
        """Whether counters of rows are in memory that is not the model's own: `<name>_begin` clears
        them."""
        return self.pushed_rows > 0 and not self.slide and self.arena is not ArenaMode.STATIC

    @property
    def entry(self) -> str:
        """The C function that runs the model: once an inference, or once a row."""
        return f"{self.name}_{'push_row' if self.pushed_rows else 'invoke'}"

    @property
    def outermost(self) -> str:
        """The C function that takes what a sensor gives: samples of the microphone, or else the
        entry."""
        return f"{self.name}_put_samples" if self.samples else self.entry

    @property
    def calls(self) -> int:
        """How many calls one inference takes; of windows that slide, each after those before."""
        return self.slide or self.pushed_rows or 1

    @property
    def has_external_weights(self) -> bool:
        """The model reads its weights by calling `tinyml_read`."""
        return self.page_bytes > 0

    @property
    def row_bytes(self) -> int:
        """Size of a pushed row."""
        return self.inputs[0].size_bytes // self.pushed_rows

    @property
    def row_count(self) -> int:
        """Values of a pushed row."""
        return self.inputs[0].count // self.pushed_rows

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)
