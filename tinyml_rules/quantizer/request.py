"""The request of a quantization, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tinyml_rules.errors import Problem
from tinyml_rules.ir.graph import Array
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.target.target import Target


class Scales(StrEnum):
    """The scales that may be chosen."""

    FREE = "free"
    POWER_OF_TWO = "power-of-two"
    """Every factor by which a sum is requantized is a power of two."""


class Activations(StrEnum):
    """The type of computed tensors."""

    INT8 = "8"
    INT16 = "16"
    """With weights of int8."""


@dataclass(frozen=True, eq=False)
class Arrays:
    """Samples as the user gives them: `where` names the file, `by_name` has its arrays, a single
    one under the name ''.  Each has a leading axis of samples."""

    where: str
    by_name: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class QuantizeRequest:
    """A float model, `model`, and samples of its inputs, without which all ranges are the file's.

    Choices are judged by folds of these samples, and by `validation`, one more judge.  `labels` in
    either, a whole number for each sample, are the classes of which accuracy is reported."""

    model: bytes
    name: str
    calibration: Arrays | None = None
    validation: Arrays | None = None
    is_full_integer: bool = True
    """Refuse a model of which an operator would stay float32."""
    scales: Scales = Scales.FREE
    activations: Activations = Activations.INT8
    int16: tuple[str, ...] = ()
    """Tensors of a model of int8 that are int16 all the same."""
    is_plain: bool = False
    """Ranges by least and greatest values, and nothing chosen: to compare with."""
    signature: str = ""
    """The key of the signature whose function is quantized; without it the file's first graph."""
    target: Target | None = None
    """For the figures that are compared, and for its flash, for which weights become int4 where it
    has to be; None for this computer."""
    flash: int | None = None
    """Most bytes of constants, for which weights become int4 instead."""
    operators: Operators = field(default_factory=builtin_operators)


@dataclass(frozen=True, eq=False)
class Quantized:
    """The integer model's file, its report, and the notes for the user."""

    model: bytes
    report: dict[str, Any]
    notes: tuple[Problem, ...]
