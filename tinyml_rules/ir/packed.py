"""The constants of a step in a form other than plain tables, as a kernel reads them."""

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

    `params`: the members of its C struct.  The bytes of `data` are outside flash, and `weights` is
    their offset in the weights file; weights in flash have a `packing` instead.
    """

    params: object
    data: bytes = b""
    packing: Packing | None = None
    has_own_rounding: bool = False
    """Whether the params have other tables to requantize with than `multiplier` and `shift`."""
    shifting: object | None = None
    """The same for the kernel's form for multipliers that are all 2^30, if there is one."""
    more_sums: int = 0
    """What a kernel that takes its input in pieces keeps in addition to the sums, of their size."""
    requantization: Requantization | None = None
    """`Work.requantization`, if it changes."""
    patch: int | None = None
    """Number of input values that it copies at a time, if that is not `Work.patch`."""
