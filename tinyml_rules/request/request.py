"""The request of a compilation, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, get_type_hints

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import is_c_name, is_keyword
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.profile import Profile
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.ops import builtin_operators, load_operators
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.sensor.description import Description, read_description
from tinyml_rules.target.target import Target


class Weights(StrEnum):
    """Where the constants of layers with weights are stored, and in which form."""

    FLASH = "flash"
    PACKED = "packed"
    EXTERNAL = "external"
    PARTITION = "partition"

    @property
    def feature(self) -> frozenset[str]:
        """The feature that kernels for such weights `require`, and that others exclude."""
        return frozenset() if self is Weights.FLASH else frozenset((f"{self.value}_weights",))


@dataclass(frozen=True, eq=False)
class Request:
    """Compile the bytes of a model file for a target; every C symbol starts with `name`.

    `schedule`: run steps row by row together where that saves RAM, or every layer separately.
    `push_rows`: the input comes a row at a time and is never in RAM as a whole.
    `optimize`: the goal by which kernels are chosen, and whether a table replaces layers between
    single 8-bit values.
    `weights`: in flash, there packed without loss where it pays, or in a file of its own that the
    firmware reads `page_bytes` at a time.
    `partition`: the header has functions from real numbers to real numbers over whole tensors.
    `rounding`: whose reference kernels the integers equal, where TFLM's and LiteRT's differ.
    `checked`: the generated code overwrites every byte of the arena that nothing may read again, so
    that a mistake of the memory plan gives wrong outputs; slow, for tests.
    `max_flash` and the others: budgets, in bytes and counts of one inference; what is made does not
    depend on them.
    `hooks`: macros of the user's, around each node; where there are none the code is the same.
    `selftest`: a function that looks whether the model is intact.
    `model_version`: a number in the image of weights that can be exchanged.
    `dump`: functions that print inputs and outputs, for `replay`.
    """

    model: bytes
    name: str
    target: Target
    schedule: Mode = Mode.AUTO
    push_rows: bool = False
    ram_bytes: int | None = None
    """A limit for all that the model brings into the main RAM: the least streaming that keeps to
    it, instead of the least RAM."""
    arena: ArenaMode = ArenaMode.STATIC
    places: tuple[tuple[str, str], ...] = ()
    """(tensor, region): tensors to place in a further memory region of the target."""
    optimize: Optimize = Optimize.BALANCED
    kernels: tuple[tuple[str, str], ...] = ()
    """(node, kernel): what was measured to be better for it than the choice of the compiler."""
    weights: Weights = Weights.FLASH
    page_bytes: int = 64
    partition: bool = False
    rounding: Profile = Profile.TFLM
    checked: bool = False
    hooks: bool = False
    selftest: bool = False
    dump: bool = False
    model_version: int = 1
    operators: Operators = field(default_factory=builtin_operators)
    sensor: Description | None = None
    """The sensor's raw values, converted before the model, and decisions after it."""
    max_flash: int | None = None
    max_ram: int | None = None
    max_arena: int | None = None
    max_stack: int | None = None
    max_cycles: int | None = None
    max_instructions: int | None = None
    marked: bool = False
    """Add marks for a profile, which cost no instruction; not an option, because only `run` uses
    it."""
    watched: bool = False
    """Add marks where a runner reads tensors, instead; not an option, because only `compare` uses
    it."""

    def __post_init__(self) -> None:
        """Raises UsageError for a name that C cannot use, and a page of no bytes or too many."""
        if not is_c_name(self.name):
            what = (
                "not a name for C symbols, expected a letter, then letters, digits and underscores"
            )
            if is_keyword(self.name):
                what = "a keyword of C, expected another name"
            raise UsageError.at(repr(self.name), what)
        OPTIONS["page"].parse(self.page_bytes)

    @classmethod
    def of(cls, model: bytes, name: str, target: Target, options: Mapping[str, Any]) -> Request:
        """What the options ask for: by name, as `Option.parse` gives them; the others are as the
        fields have it.  Raises UsageError for operators and files that cannot be read."""
        kinds = get_type_hints(cls)
        fields = {}
        for option, value in options.items():
            member = OPTIONS[option].request_field
            kind = OPTIONS[option].kind
            if kind is Kind.FOLDERS:
                value = load_operators(value)  # noqa: PLW2901 - what the folders hold
            elif kind is Kind.FILE:
                value = read_description(value)  # noqa: PLW2901 - what the file says
            fields[member] = kinds[member](value) if kind is Kind.WORD else value
        return cls(model, name, target, **fields)

    @property
    def chosen(self) -> dict[str, Any]:
        """By option, what differs from the defaults; of files and folders only that there are."""
        found: dict[str, Any] = {}
        for name, option in OPTIONS.items():
            value = getattr(self, option.request_field)
            if option.kind.is_path:
                is_given = name == "sensor" and value is not None
                found.update({name: True} if is_given else {})
            elif value != option.default:
                is_pairs = option.kind is Kind.PAIRS
                found[name] = ["=".join(pair) for pair in value] if is_pairs else value
        return found

    @property
    def features(self) -> frozenset[str]:
        """The features of the target, and those that the weights require of kernels."""
        return self.target.features | self.weights.feature

    @property
    def choice(self) -> Choice:
        """The goal and the named kernels by which kernels are chosen."""
        return Choice(self.optimize, dict(self.kernels))

    @property
    def page_bytes_read(self) -> int:
        """The most that is read of weights outside flash at a time; 0 where they are in it."""
        return self.page_bytes if self.weights is Weights.EXTERNAL else 0

    @property
    def is_exchangeable(self) -> bool:
        """Whether another model's constants may take the place of these."""
        return self.weights is Weights.PARTITION

    @property
    def keeps_layers(self) -> bool:
        """Whether tables may not replace layers; with a file of weights, layers have to be in
        it."""
        has_file = self.weights is Weights.EXTERNAL or self.is_exchangeable
        return self.optimize is Optimize.LAYERS or has_file
