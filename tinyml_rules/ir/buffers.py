"""Memory as the plan sees it: buffers, the layouts of tensors in them, and copies between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array


@dataclass(frozen=True)
class Start:
    """What is added to an offset of a copy at run time: the numbers of a vector, each clamped to
    0 .. its limit, times the steps.  `is_of_target`: to the target's offset, not the source's."""

    tensor: int
    dtype: DType
    limits: tuple[int, ...]
    steps: tuple[int, ...]
    is_of_target: bool = False


@dataclass(frozen=True)
class Place:
    """A copy that a layout operator asks for: elements of `source` to elements of `target`, both
    tensors, `shape` of them; the offsets and steps along each dimension are in elements.

    Steps of 0 repeat an element, negative ones walk backwards.  Instead of a tensor the source may
    be `values`, a constant.  If steps cannot express it, `source_lists` has the number added to the
    offset at every index along each dimension but the last; the target is then filled from start to
    end.
    """

    target: int
    shape: tuple[int, ...]
    source_steps: tuple[int, ...]
    target_steps: tuple[int, ...]
    source_offset: int = 0
    target_offset: int = 0
    source: int | None = None
    values: Array | None = None
    source_lists: tuple[tuple[int, ...], ...] = ()
    start: Start | None = None

    @property
    def turned(self) -> Place:
        """The reverse copy, from the target to the source, which is a tensor."""
        assert self.source is not None and not self.source_lists
        start = self.start
        return Place(
            target=self.source,
            shape=self.shape,
            source_steps=self.target_steps,
            target_steps=self.source_steps,
            source_offset=self.target_offset,
            target_offset=self.source_offset,
            source=self.target,
            start=start and replace(start, is_of_target=not start.is_of_target),
        )


LITTLE_SCRATCH = 512
"""Bytes of scratch memory that any kernel may need; `plan/room.py` says when one may need more."""


@dataclass(frozen=True)
class Scratch:
    """Memory that a step needs while it runs; the kernel gets a pointer to it after its outputs."""

    size_bytes: int
    alignment: int = 1
    is_kept: bool = False
    """From one row to the next, where the step makes rows in turn with others."""


class Life(Enum):
    """How long a buffer keeps what was written to it."""

    INFERENCE = "inference"
    """From its first writer to its last reader."""
    MODEL = "model"
    """A variable: from one inference to the next."""
    INPUTS = "inputs"
    """While inputs are made, before the first step; between pushed rows too."""


SCRATCH = "scratch memory"
"""What reports call a buffer that is for a kernel alone."""


@dataclass(frozen=True)
class Buffer:
    """Bytes that the plan places; `tensor` is the one that has all of them, None for scratch.

    `name`: what reports call one that no tensor has."""

    size_bytes: int
    alignment: int
    tensor: int | None = None
    life: Life = Life.INFERENCE
    name: str = SCRATCH


def aligned(size_bytes: int, alignment: int) -> int:
    """The least multiple of the alignment that is not below the size."""
    return -(-size_bytes // alignment) * alignment


def living(buffers: Mapping[int, Buffer], life: Life) -> tuple[int, ...]:
    """The numbers of those that live so long."""
    return tuple(index for index, buffer in buffers.items() if buffer.life is life)


@dataclass(frozen=True)
class Layout:
    """A tensor's place: contiguous elements from `offset_bytes` of a buffer on."""

    buffer: int
    offset_bytes: int = 0
