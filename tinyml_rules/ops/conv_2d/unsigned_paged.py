"""CONV_2D of two channels and up to three pixels at a time, on 8-bit AVR, with weights outside
flash: those of two channels are in RAM, for some pixels of a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.cores.avr.order import TWO
from tinyml_rules.cores.avr.sizes import CONV_2D as SIZES
from tinyml_rules.ir.buffers import LITTLE_SCRATCH, Scratch
from tinyml_rules.ir.c_struct import Int, Int8, UInt8, UInt32
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    CLOSE,
    UNGROUPED,
    outputs_up_to,
    values_up_to,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.positive_records import POSITIVE
from tinyml_rules.ops._shared.signed_records import SIGNED
from tinyml_rules.ops._shared.unsigned_pairs import (
    MOST_CHANNELS,
    POSITIVES,
    SIGNS,
    Records,
    in_pairs_of_records,
    twos_of,
)
from tinyml_rules.ops.conv_2d.unsigned_pairs import (
    HAS_COLUMNS,
    MOST_PIXELS,
    SHORT_ROWS,
    Patch,
    of_channels,
    of_columns,
)

_BLOCK_BYTES = 25
"""Of the struct of up to three pixels (`of_weights`)."""
_LEAST_PIXELS = 6
"""For which a record is read from outside where there is more."""


@dataclass(frozen=True, eq=False)
class PagedParams:
    """Members of the C struct: as PatchParams has them, and how many records of two channels of how
    many bytes are from `weights` on in the file, and for how many pixels in how many blocks each is
    read."""

    weights: UInt32
    record_bytes: Int
    pairs: Int
    most_pixels: Int
    most_blocks: Int
    input_channels: Int
    output_channels: Int
    output_zero_point: Int8
    twos: UInt8
    limit: UInt8
    input_width: Int
    output_width: Int
    window_width: Int
    stride: Int
    pad_left: Int
    input_zero_point: Int8
    window: Window


def _values(sums: Sums) -> int:
    """Bytes of a pixel."""
    return TWO * twos_of(sums.values)


def _record_bytes(sums: Sums) -> int:
    """Biases, weights and what requantizes, of two channels."""
    return TWO * (_values(sums) + 10)


def _pixels(sums: Sums) -> int:
    """How many at a time: whole blocks, but in the last."""
    block = MOST_PIXELS * _values(sums) + _BLOCK_BYTES
    some = MOST_PIXELS * ((LITTLE_SCRATCH - _record_bytes(sums)) // block)
    return min(sums.across.outputs, max(some, _LEAST_PIXELS))


def _blocks(sums: Sums) -> int:
    return -(-_pixels(sums) // MOST_PIXELS)


def _scratch(work: Work[Sums]) -> Scratch:
    """A record, the blocks, and the values of their pixels."""
    sums = work.facts
    blocks = _blocks(sums) * _BLOCK_BYTES
    return Scratch(_record_bytes(sums) + blocks + _pixels(sums) * _values(sums))


def _pack(work: Work[Sums], records: Records) -> Packed:
    sums, window = work.facts, work.window
    assert window is not None
    data, pairs = in_pairs_of_records(sums, records), twos_of(sums.outputs)
    assert len(data) == pairs * _record_bytes(sums)
    params = PagedParams(
        weights=0,
        record_bytes=_record_bytes(sums),
        pairs=pairs,
        most_pixels=_pixels(sums),
        most_blocks=_blocks(sums),
        window=window,
        **of_channels(sums),
        **of_columns(sums),
    )
    return Packed(params, data.tobytes(), has_own_rounding=True)


_PLAIN = (
    UNGROUPED,
    CLOSE,
    HAS_COLUMNS,
    SHORT_ROWS,
    values_up_to(SIZES.most_values),
    outputs_up_to(MOST_CHANNELS),
)
_POSITIVE = Kernel(
    name="conv_2d_unsigned_paged",
    template=Path(__file__).parent / "kernels" / "unsigned_paged.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.AVR, Feature.EXTERNAL_WEIGHTS)),
    can=(BYTES, *_PLAIN, POSITIVE),
    runtime=("channel_pairs_ram", "widen_rows", "page"),
    variant=Patch(),
    scratch=_scratch,
    pack=lambda work: _pack(work, POSITIVES),
)
KERNELS = (
    _POSITIVE,
    replace(
        _POSITIVE,
        name="conv_2d_unsigned_signed_paged",
        can=(BYTES, *_PLAIN, SIGNED),
        runtime=(f"{SIGNS.piece('channel_pairs')}_ram", "widen_rows", "page"),
        variant=Patch(SIGNS.records),
        pack=lambda work: _pack(work, SIGNS),
    ),
)
