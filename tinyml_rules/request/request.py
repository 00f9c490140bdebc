"""The request of a compilation, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import LONGEST_NAME, is_c_name, is_keyword
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ir.signing import Signing
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.ops import builtin_operators, load_operators
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.plan.groups import Ram
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
    def feature(self) -> frozenset[Feature]:
        """What kernels `require` that read them so, or exclude that are for some weights alone."""
        return (
            frozenset() if self is Weights.FLASH else frozenset((Feature(f"{self.value}_weights"),))
        )


def _words_of(kind: Any) -> type[StrEnum]:
    """The words of a field that may have a number instead."""
    kinds = get_args(kind) or (kind,)
    (words,) = (each for each in kinds if issubclass(each, StrEnum))
    found: type[StrEnum] = words
    return found


@dataclass(frozen=True, eq=False)
class Request:
    """Compile the bytes of a model file for a target; every C symbol starts with `name`.

    The row of OPTIONS whose `request_field` it is says what a field asks for; only what no
    option asks for is described here.
    """

    model: bytes
    name: str
    target: Target
    schedule: Mode = Mode.AUTO
    push_rows: bool = False
    slide: int | None = None
    ram: Ram | int = Ram.FASTEST
    arena: ArenaMode = ArenaMode.STATIC
    places: tuple[tuple[str, str], ...] = ()
    optimize: Optimize = Optimize.BALANCED
    kernels: tuple[tuple[str, str], ...] = ()
    weights: Weights = Weights.FLASH
    page_bytes: int = 64
    slices: bool = False
    partition: bool = False
    rounding: RoundingReference = RoundingReference.TFLM
    dequantize: bool = False
    checked: bool = False
    hooks: bool = False
    selftest: bool = False
    dump: bool = False
    constant_time: bool = False
    loop_limits: bool = False
    model_version: int = 1
    signature: Signing = Signing.NONE
    operators: Operators = field(default_factory=builtin_operators)
    sensor: Description | None = None
    max_flash: int | None = None
    max_ram: int | None = None
    max_arena: int | None = None
    max_stack: int | None = None
    max_cycles: int | None = None
    max_instructions: int | None = None
    max_energy: float | None = None
    """In microjoules."""
    marked: bool = False
    """Add marks for a profile, which cost no instruction; not an option, because only `run` uses
    it."""
    watched: bool = False
    """Add marks where a runner reads tensors, instead; not an option, because only `compare` uses
    it."""
    annotated: bool = False
    """Add contracts for Frama-C, as comments; not an option, because only `prove` uses it."""

    def __post_init__(self) -> None:
        """Raises UsageError for a name that C cannot use, and a page of no bytes or too many."""
        if not is_c_name(self.name):
            what = (
                "not a name for C symbols, expected a letter, then letters, digits and underscores"
            )
            if is_keyword(self.name):
                what = "a keyword of C, expected another name"
            elif len(self.name) > LONGEST_NAME:
                what = f"has {len(self.name)} characters, expected at most {LONGEST_NAME}"
            raise UsageError.at(repr(self.name), what)
        OPTIONS["page"].parse(self.page_bytes)

    @classmethod
    def of(cls, model: bytes, name: str, target: Target, options: Mapping[str, Any]) -> Request:
        """What the options ask for: by name, as `Option.parse` gives them; the others are as the
        fields have it.  Raises UsageError for operators and files that cannot be read."""
        kinds = get_type_hints(cls)
        fields: dict[str, Any] = {}
        for option, value in options.items():
            member = OPTIONS[option].request_field
            kind = OPTIONS[option].kind
            if kind is Kind.FOLDERS:
                value = load_operators(value)  # noqa: PLW2901 - what the folders hold
            elif kind is Kind.FILE:
                value = read_description(value)  # noqa: PLW2901 - what the file says
            is_word = isinstance(value, str) and kind in (Kind.WORD, Kind.AMOUNT)
            fields[member] = _words_of(kinds[member])(value) if is_word else value
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
    def features(self) -> frozenset[Feature]:
        """What the target can do, and what the kernels have to."""
        return self.target.features | self.weights.feature

    @property
    def choice(self) -> Choice:
        """The goal and the named kernels by which kernels are chosen."""
        return Choice(self.optimize, dict(self.kernels), in_any_order=self.slide is not None)

    @property
    def page_bytes_read(self) -> int:
        """The most that is read of weights outside flash at a time; 0 where they are in it."""
        return self.page_bytes if self.weights is Weights.EXTERNAL else 0

    @property
    def ram_bytes(self) -> int | None:
        """The limit of the model's RAM, where there is one."""
        return self.ram if isinstance(self.ram, int) else None

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
