"""A microphone in front of a model: its memory, before the plan, and what it does, after that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.buffers import Buffer, Life, living
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import ArenaMode, Interface, Port, RawPort
from tinyml_rules.ir.program import Program
from tinyml_rules.sensor.affine import Affine
from tinyml_rules.sensor.description import Description
from tinyml_rules.sensor.forms import choose
from tinyml_rules.sensor.microfrontend import Microfrontend, feature_of, most_feature
from tinyml_rules.sensor.microfrontend_keys import FFT_SIZE
from tinyml_rules.sensor.microfrontend_tables import FilterBank, filter_bank_of, tables_of
from tinyml_rules.sensor.named import position_of
from tinyml_rules.sensor.put_raw import VALUE_TYPES, PutRaw, Walk
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.sensor.raw_keys import Reference

_NOISE_BYTES, _SAMPLE_BYTES, _COUNTER_BYTES = 4, 2, 2
_PDM_SUMS = 8
"""Sums of a PDM microphone's filters that stay: three, the last of three differences, and two
results."""
_ALIGNMENT = 4
_MOST_ROWS = 2 ** (8 * _COUNTER_BYTES) - 1
_STATE = "memory of the microphone"
_SPECTRUM = "spectrum of the microphone"
_ESPHOME = Fraction(256, 666), -128
"""What a feature is multiplied by, and the zero point, in micro_speech and ESPHome."""


@dataclass(frozen=True, eq=False)
class Microphone:
    """Samples become features, `rows` of which are an inference; `put` converts a feature.

    `state` and `spectrum` are the buffers of what is kept, and of what is needed for a row."""

    front: Microfrontend
    rows: int
    put: PutRaw
    state: int
    spectrum: int

    bank: FilterBank

    @cached_property
    def tables(self) -> dict[str, Array]:
        """By name, what is in flash."""
        of_bits = {} if self.front.pdm is None else self.front.pdm.tables()
        return tables_of(self.front, self.bank) | of_bits

    @property
    def constant_bytes(self) -> int:
        """Bytes of them, and of what converts a feature."""
        return sum(each.nbytes for each in self.tables.values()) + self.put.constant_bytes

    @property
    def function(self) -> str:
        """The C function that takes samples."""
        return self.put.port.function

    @property
    def function_of_bits(self) -> str:
        """The one that takes the bits of a PDM microphone."""
        return self.function.removesuffix("samples") + "pdm"


def state_bytes(front: Microfrontend) -> int:
    """Bytes of the struct `microphone`."""
    counters = 2 * _COUNTER_BYTES
    if front.pdm is not None:
        counters += _PDM_SUMS * _NOISE_BYTES + _COUNTER_BYTES
    return _NOISE_BYTES * front.channels + _SAMPLE_BYTES * front.window + counters


def with_microphone(program: Program, sensor: Description | None) -> Program:
    """The program with the buffers of a microphone, if one is described."""
    if sensor is None or not sensor.microphones:
        return program
    (front,) = sensor.microphones.values()
    state = max(len(program.graph.tensors), *program.buffers, 0) + 1
    alignment = 1 if Feature.AVR in program.features else _ALIGNMENT
    size = -(-state_bytes(front) // alignment) * alignment
    buffers = {
        state: Buffer(size, alignment, life=Life.MODEL, name=_STATE),
        state + 1: Buffer(2 * FFT_SIZE, alignment, life=Life.INPUTS, name=_SPECTRUM),
    }
    return replace(program, buffers={**program.buffers, **buffers})


def microphone_of(
    program: Program, interface: Interface, sensor: Description | None
) -> Microphone | None:
    """What is described; raises UsageError where it does not fit the model."""
    if sensor is None or not sensor.microphones:
        return None
    ((name, front),) = sensor.microphones.items()
    if interface.arena is ArenaMode.SHARED:
        what = "samples have to stay, but other models overwrite a shared arena"
        hint = "compile this model with an arena of its own, static or caller"
        raise UsageError.at(front.where, what, hint=hint)
    names = [port.tensor for port in interface.inputs]
    port = interface.inputs[position_of(name, names, role="input", where=front.where)]
    if len(names) > 1:
        what = f"the model has {len(names)} inputs, expected one, which a microphone fills"
        raise UsageError.at(front.where, what)
    (spectrum,) = living(program.buffers, Life.INPUTS)
    state = next(each for each in program.variables if program.buffers[each].name == _STATE)
    return Microphone(
        front,
        rows=_rows(front, port, interface),
        put=_conversion(front, port, interface),
        state=state,
        spectrum=spectrum,
        bank=filter_bank_of(front),
    )


def _rows(front: Microfrontend, port: Port, interface: Interface) -> int:
    """How many rows of features an inference takes."""
    count = port.count
    if interface.pushed_rows and interface.row_count != front.channels:
        what = (
            f"a pushed row of input '{port.tensor}' has {interface.row_count} values, "
            f"expected {front.channels}, one for each channel"
        )
        raise UsageError.at(front.where, what, hint=f"num_channels = {interface.row_count}")
    if count % front.channels:
        what = (
            f"'num_channels' is {front.channels}, but input '{port.tensor}' has {count} values, "
            "expected a multiple"
        )
        raise UsageError.at(front.where, what)
    rows = count // front.channels
    if rows > _MOST_ROWS:
        what = f"input '{port.tensor}' takes {rows:,} rows of features"
        raise UsageError.at(front.where, f"{what}, expected at most {_MOST_ROWS:,}")
    return rows


def _conversion(front: Microfrontend, port: Port, interface: Interface) -> PutRaw:
    if port.dtype not in VALUE_TYPES or not port.is_quantized:
        is_not = "" if port.is_quantized else ", not quantized"
        what = (
            f"input '{port.tensor}' is {port.dtype}{is_not}, expected a quantized one of "
            "int8, uint8 or int16"
        )
        raise UsageError.at(front.where, what)
    described = front.values or _as_esphome(front, port)
    zero_point = port.zero_point if front.values else _ESPHOME[1]
    affine = Affine(
        scale=described.scale[0],
        offset=described.offset[0],
        mean=described.mean[0],
        deviation=described.std[0],
        is_variance=described.is_variance,
        reference=described.reference,
        tensor_scale=Fraction(port.scale),
        zero_point=zero_point,
        limits=port.dtype.limits,
    )
    return PutRaw(
        port=RawPort(f"{interface.name}_put_samples", port.tensor, 2 * front.step),
        number=0,
        described=described,
        form=choose(described, (affine,), value_bytes=port.dtype.size_bytes, is_small=False),
        walk=Walk(1, 1, 0, 0),
        maps=1,
        limits=port.dtype.limits,
        value_type=port.c_type,
    )


def _as_esphome(front: Microfrontend, port: Port) -> RawInput:
    """(feature * 256 + 333) / 666 - 128, which is the nearest number to 256 / 666 of a feature."""
    if port.dtype.limits != (-128, 127):
        what = (
            f"input '{port.tensor}' is {port.dtype}, for which there is no usual meaning of a "
            "feature, expected 'scale': its real value is feature * scale"
        )
        raise UsageError.at(front.where, what, hint="scale = 0.0390625 is that of pymicro-features")
    scale = _ESPHOME[0] * Fraction(port.scale)
    plain = feature_of(front.where, most_feature(front.log_shift))
    return replace(plain, scale=(scale,), reference=Reference.EXACT)
