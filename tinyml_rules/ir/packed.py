"""A step's constants in the form in which a kernel reads them, where that is not the plain one."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.requantization import Requantization


@dataclass(frozen=True)
class Packing:
    """Bytes of weights in flash, before and after they are packed without loss."""

    tensor: int
    plain_bytes: int
    packed_bytes: int


@dataclass(frozen=True, eq=False)
class Packed:
    """A step's constants for a kernel that reads its weights in another form.

    `params`: the members of its C struct.  Outside flash are the bytes of `data`, and `weights` is
    the place in the weights file where they begin; what is in flash tells its `packing` instead.
    """

    params: object
    data: bytes = b""
    packing: Packing | None = None
    has_own_rounding: bool = False
    """Whether the params have other tables to requantize with than `multiplier` and `shift`."""
    shifting: object | None = None
    """The same for the kernel's form for multipliers that are all 2^30, if that can do the work."""
    more_sums: int = 0
    """What a kernel that takes its input in pieces keeps beside the sums, of their size."""
    requantization: Requantization | None = None
    """As Work has it, where that changes."""
    patch: int | None = None
    """How many input values it copies at a time, if that is not `Work.patch`."""
