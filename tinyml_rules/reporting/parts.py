"""What the report of a compiled model is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import Port
from tinyml_rules.reporting.peak import Kind


@dataclass(frozen=True)
class Remedy:
    """What would save memory."""

    memory: str
    """what would save memory: of which kind"""
    saved_bytes: int
    """how many bytes"""
    option: str | None
    """with which option; null where it takes another model"""
    text: str
    """what to do"""


@dataclass(frozen=True)
class CurvePoint:
    """A plan of the model."""

    ram_bytes: int
    """plans from the one with the fewest products to this one: `model_ram_bytes` of each"""
    macs: int
    """and its multiply-accumulates"""


@dataclass(frozen=True)
class TensorFigures:
    """What is in the arena."""

    tensor: int
    """what is in the arena: the tensor's number in the file, a larger one for scratch memory"""
    name: str
    """its name there"""
    node: int | None
    """the node that writes it first; null where the caller does"""
    kind: Kind
    """whether it is an input, an output, a ring of rows, scratch memory of a kernel or another"""
    bytes: int
    """its size"""
    offset: int
    """where it begins"""
    rows: int
    """of a ring: the rows that it holds"""
    of_rows: int
    """the rows that the tensor has"""


@dataclass(frozen=True)
class TimedTensor(TensorFigures):
    """The same with the tasks from one to the other, inclusive."""

    first_task: int
    """from when it is there; -1: before the first task"""
    last_task: int
    """until when"""


@dataclass(frozen=True)
class PeakFigures:
    """The task at which the arena is fullest."""

    task: int
    """when the arena is fullest: the place of the task in `timeline.tasks`"""
    nodes: tuple[int, ...]
    """its nodes"""
    bytes: int
    """what is in the arena then"""
    tensors: tuple[TensorFigures, ...]
    """each of them, as in `timeline.tensors`"""


@dataclass(frozen=True)
class TaskFigures:
    """What runs at one time."""

    nodes: tuple[int, ...]
    """what runs one after the other: the nodes"""
    op: str
    """the operator of the first of them"""
    row_by_row: bool
    """whether they take turns, a row at a time"""


@dataclass(frozen=True)
class TimelineFigures:
    """The tasks in their order, and every tensor of the main arena."""

    tasks: tuple[TaskFigures, ...]
    tensors: tuple[TimedTensor, ...]


@dataclass(frozen=True)
class PackedWeights:
    """A tensor of packed weights in flash."""

    node: int
    """weights that are packed without loss: their node"""
    tensor: int
    """the tensor's number"""
    name: str
    """its name"""
    plain_bytes: int
    """what it would take"""
    packed_bytes: int
    """what it takes"""


@dataclass(frozen=True)
class Pushes:
    """Windows that slide over pushed rows, once all in flight are there."""

    slide: int
    """windows that slide over pushed rows: with how many rows after the last one begins"""
    windows_in_flight: int
    """the most that have some of their rows, but not all"""
    macs: int
    """multiply-accumulates for one window: those of so many rows"""
    most_macs: int
    """the most for one row"""


@dataclass(frozen=True)
class PortFigures:
    """An input or an output."""

    tensor: str
    """an input: the tensor's name in the file; so for `outputs`"""
    accessor: str
    """the C function that gives its address"""
    shape: tuple[int, ...]
    """its shape"""
    dtype: DType
    """the type in the model's file"""
    element: DType
    """the type in C"""
    scale: float | None
    """real = scale * (q - zero point); null where it is not quantized"""
    zero_point: int | None
    """as there"""

    @property
    def port(self) -> Port:
        """As the C interface has it."""
        return Port(
            tensor=self.tensor,
            accessor=self.accessor,
            shape=self.shape,
            scale=self.scale or 0.0,
            zero_point=self.zero_point or 0,
            is_float_in_model=self.dtype is not self.element,
            dtype=self.element,
        )


@dataclass(frozen=True)
class RawInput:
    """A C function that takes a sensor's raw values."""

    tensor: str
    """an input that takes a sensor's raw values: the tensor"""
    function: str
    """the C function that takes them"""
    raw_bytes: int
    """how many bytes it takes"""
    form: str
    """how a raw value becomes one of the tensor's"""
    shift: int | None
    """the bits after the point of that form"""
    constant_bytes: int
    """its constants"""


@dataclass(frozen=True)
class MicrophoneFigures:
    """A C function that takes samples of a microphone."""

    tensor: str
    """an input that takes features of sound: the tensor"""
    function: str
    """the C function that takes samples"""
    sample_rate: int
    """samples a second"""
    window_samples: int
    """of which a row of features is made"""
    step_samples: int
    """from one window to the next"""
    channels: int
    """features of a row"""
    rows: int
    """rows of an inference"""
    state_bytes: int
    """samples, estimates of the noise and counters in the arena, kept from call to call"""
    spectrum_bytes: int
    """memory in the arena while a row is made, of which the model's layers have some too"""
    constant_bytes: int
    """its tables, not part of the model's"""


@dataclass(frozen=True)
class TabulatedLayers:
    """Layers between single values that became tables."""

    nodes: tuple[int, ...]
    """tables in the place of layers between single values: of these nodes"""
    tables: int
    """how many"""
    macs: int
    """the multiply-accumulates that are gone"""


@dataclass(frozen=True)
class TrimmedNode:
    """A node with dead channels."""

    node: int
    """a node with channels that have one value, or that nobody uses"""
    op: str
    """its operator"""
    channels: int
    """how many channels it had"""
    constant: int
    """how many are gone because they have one value for all inputs"""
    unused: int
    """how many because nobody uses them"""
    kept: Mapping[str, int]
    """how many stay, by reason"""


@dataclass(frozen=True)
class Sums:
    """The sums of products of a node over all channels and inputs."""

    least: int
    """the least sum of products that any input can give there, bias included"""
    most: int
    """the greatest"""
    bits: int
    """what holds both"""


@dataclass(frozen=True)
class NodeFigures:
    """A step of the inference."""

    node: int
    """a step of the inference: the node's number in the file"""
    label: str
    """its name in tables"""
    op: str
    """the operator"""
    kernel: str
    """the kernel that was chosen"""
    macs: int
    """its multiply-accumulates"""
    sums: Sums | None
    constant_bytes: int
    """its tables"""
    external_bytes: int
    """its part of the file of weights"""
    values: int
    """how many elements it makes"""
    output_shapes: tuple[tuple[int, ...], ...]
    """their shapes"""
    after: tuple[str, ...]
    """labels of the nodes that it reads from"""
