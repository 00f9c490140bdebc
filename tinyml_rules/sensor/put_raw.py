"""Description and interface -> the C functions that take raw values, each with its form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import Interface, Port, RawPort
from tinyml_rules.sensor.affine import Affine
from tinyml_rules.sensor.forms import AffineForm, Steps, Table, choose, raw_bytes
from tinyml_rules.sensor.named import position_of
from tinyml_rules.sensor.packing import Unit
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.sensor.raw_keys import Layout, Packing

VALUE_TYPES = (DType.INT8, DType.UINT8, DType.INT16)
"""Of the inputs that can be converted to."""


@dataclass(frozen=True)
class Walk:
    """The position of each raw value: for each of `channels` the `samples` that are `stride_bytes`
    apart, from channel * `channel_stride_bytes` on.  Sample s of channel c becomes element
    c + s * channels of the tensor.  Adjacent values with one map are one channel."""

    channels: int
    samples: int
    stride_bytes: int
    channel_stride_bytes: int


@dataclass(frozen=True, eq=False)
class PutRaw:
    """A C function `port.function` that takes raw values for an input, or for a row of one.

    `number`: of the input; `channels`: as the description means them, each with one of the maps
    of the form, which may be one for all.
    """

    port: RawPort
    number: int
    described: RawInput
    form: AffineForm
    walk: Walk
    maps: int
    limits: tuple[int, int]
    value_type: str
    unit: Unit | None = None
    """Of values that share bytes: the walk is over units."""

    @property
    def raw_bits(self) -> int:
        """Bits of the C type of a raw value."""
        return 8 * raw_bytes(self.described)

    @property
    def constant_bytes(self) -> int:
        """Bytes of constants in flash, or in the code."""
        if isinstance(self.form, Table):
            return (
                int(self.form.entries.size) * DType(self.value_type.removesuffix("_t")).size_bytes
            )
        if isinstance(self.form, Steps):
            line = 6 * len(self.form.ends) if self.form.guess else 0
            ends = sum(each.size for each in self.form.ends)
            return ends * raw_bytes(self.described) + line
        return self.form.constant_bytes


def put_raw_functions(
    inputs: Mapping[str, RawInput], interface: Interface, *, is_small: bool, int_max: int
) -> tuple[PutRaw, ...]:
    """One function for each described input, by tensor or ONLY; `is_small`: of short code.

    Raises UsageError where a description does not fit the model.
    """
    found = tuple(
        _put_raw(interface, number, described, is_small=is_small)
        for number, described in _numbered(inputs, interface)
    )
    for put in found:
        most = max(put.port.size_bytes, put.constant_bytes)
        if most > int_max:
            limit = f"{int_max}, the most that an `int` of the target holds"
            what = f"{put.port.function} walks over {most} bytes, expected at most {limit}"
            raise UsageError.at(put.described.where, what)
    return found


def _numbered(
    inputs: Mapping[str, RawInput], interface: Interface
) -> Iterator[tuple[int, RawInput]]:
    """The number of each input that is described."""
    names = [port.tensor for port in interface.inputs]
    for name, described in inputs.items():
        where, hint = described.where, "write [input.NAME]"
        yield position_of(name, names, role="input", where=where, hint=hint), described


def _put_raw(interface: Interface, number: int, described: RawInput, *, is_small: bool) -> PutRaw:
    port = interface.inputs[number]
    if port.dtype not in VALUE_TYPES or not port.is_quantized:
        what = (
            f"input '{port.tensor}' is {port.dtype}{'' if port.is_quantized else ', not quantized'}"
            ", expected a quantized one of int8, uint8 or int16"
        )
        raise UsageError.at(described.where, what)
    channels = _channels(described, port)
    count = interface.row_count if interface.pushed_rows else port.count
    if count % channels:
        what = f"{channels} channels, but {count} values are taken at a time"
        raise UsageError.at(described.where, what)
    unit = _unit(described, port, channels, count)
    walk = (
        _walk(described, Walk(channels, count // channels, 0, 0))
        if unit is None
        else Walk(channels, count // unit.values, unit.bytes, 0)
    )
    maps = _maps(described, port, channels)
    form = choose(described, maps, value_bytes=port.dtype.size_bytes, is_small=is_small)
    return PutRaw(
        port=RawPort(_function(interface, port), port.tensor, _bytes_read(described, walk, unit)),
        number=number,
        described=described,
        form=form,
        walk=_in_one(walk, described) if len(maps) == 1 and unit is None else walk,
        maps=len(maps),
        limits=port.dtype.limits,
        value_type=port.c_type,
        unit=unit,
    )


def _unit(described: RawInput, port: Port, channels: int, count: int) -> Unit | None:
    """What is unpacked at a time of `count` values; None where each has a word of its own."""
    if described.packing is Packing.NONE:
        return None
    if described.packing.is_pixels and channels != (last := port.shape[-1] if port.shape else 1):
        what = f"'channels' is {channels}, but input '{port.tensor}' has {last} a pixel"
        raise UsageError.at(described.where, what, hint=f"channels = {last}")
    unit = Unit(described.packing, described.endianness, described.levels, channels)
    if count % unit.values:
        what = f"{unit.values} values share {unit.bytes} bytes, but {count} are taken at a time"
        raise UsageError.at(described.where, what)
    return unit


def _function(interface: Interface, port: Port) -> str:
    """`<name>_put_raw` as the accessor `<name>_input` is called, or the one that pushes a row."""
    if interface.pushed_rows:
        return f"{interface.name}_push_raw_row"
    return port.accessor.replace(f"{interface.name}_input", f"{interface.name}_put_raw", 1)


def _channels(described: RawInput, port: Port) -> int:
    """How many there are; the lists of the description have as many numbers."""
    last = port.shape[-1] if port.shape else 1
    channels = described.channels or last
    if port.count % channels:
        what = f"'channels' is {channels}, but input '{port.tensor}' has {port.count} values"
        raise UsageError.at(described.where, what, hint=f"its last dimension is {last}")
    for key, values in described.of_channels().items():
        if len(values) != channels:
            what = f"'{key}' has {len(values)} numbers, expected 1 or {channels}, one a channel"
            is_divisor = described.channels is None and port.count % len(values) == 0
            hint = f"write channels = {len(values)} where the last dimension is not the channels"
            raise UsageError.at(described.where, what, hint=hint if is_divisor else "")
    return channels


def _walk(described: RawInput, walk: Walk) -> Walk:
    """With the strides of the description, or else of densely packed values.
    Raises UsageError where words would overlap."""
    word, samples, channels = described.storage_bytes, walk.samples, walk.channels
    if described.layout is Layout.SAMPLE_MAJOR:
        inner = described.channel_stride_bytes or word
        outer = described.stride_bytes or inner * channels
        _check_apart(described, "channel_stride_bytes", inner, word)
        _check_apart(described, "stride_bytes", outer, inner * (channels - 1) + word)
        return replace(walk, stride_bytes=outer, channel_stride_bytes=inner)
    inner = described.stride_bytes or word
    outer = described.channel_stride_bytes or inner * samples
    _check_apart(described, "stride_bytes", inner, word)
    _check_apart(described, "channel_stride_bytes", outer, inner * (samples - 1) + word)
    return replace(walk, stride_bytes=inner, channel_stride_bytes=outer)


def _check_apart(described: RawInput, key: str, found: int, least: int) -> None:
    if found < least:
        what = f"'{key}' is {found}, but the values in between take {least} bytes"
        raise UsageError.at(described.where, what)


def _bytes_read(described: RawInput, walk: Walk, unit: Unit | None) -> int:
    """Bytes from where `raw` points to the end of the last word."""
    if unit is not None:
        return described.offset_bytes + walk.samples * walk.stride_bytes
    last = (walk.samples - 1) * walk.stride_bytes + (walk.channels - 1) * walk.channel_stride_bytes
    return described.offset_bytes + last + described.storage_bytes


def _in_one(walk: Walk, described: RawInput) -> Walk:
    """All values as one channel, if they are in the tensor's order."""
    if walk.channels == 1:
        return walk
    if walk.samples == 1 or walk.stride_bytes == walk.channels * walk.channel_stride_bytes:
        count = walk.channels * walk.samples
        return Walk(1, count, walk.channel_stride_bytes, described.storage_bytes)
    return walk


def _maps(described: RawInput, port: Port, channels: int) -> list[Affine]:
    """The map of each channel; one where all are the same."""

    def of_channel(values: tuple[Fraction, ...], channel: int) -> Fraction:
        return values[channel if len(values) > 1 else 0]

    found = [
        Affine(
            scale=of_channel(described.scale, channel),
            offset=of_channel(described.offset, channel),
            mean=of_channel(described.mean, channel),
            deviation=of_channel(described.std, channel),
            is_variance=described.is_variance,
            reference=described.reference,
            tensor_scale=Fraction(port.scale),
            zero_point=port.zero_point,
            limits=port.dtype.limits,
        )
        for channel in range(channels if described.of_channels() else 1)
    ]
    return found[:1] if len(set(found)) == 1 else found
