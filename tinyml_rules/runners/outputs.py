"""A model's outputs as a few lines for a terminal, integers next to real numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.surroundings.decide.decisions import Decision
from tinyml_rules.surroundings.decide.outcome import outcome

FIRST_VALUES = 8
MOST_OF_TOP = 5


def output_lines(interface: Interface, outputs: Mapping[str, Array]) -> Iterator[str]:
    """For each output: its shape, its first values and its largest ones, of the first sample.

    `outputs`: {tensor: values with a leading axis of samples}, int8 or, where the model gives
    float32, that.
    """
    for port in interface.outputs:
        values = outputs[port.tensor].reshape(-1, port.count)
        shape = "x".join(map(str, port.shape)) or "scalar"
        count = f", the first of {len(values)} samples" if len(values) > 1 else ""
        if not port.is_quantized:
            rest = " .." if port.count > FIRST_VALUES else ""
            yield f"  output     {port.tensor!r} {shape}, {port.dtype}{count}"
            first = values[0][:FIRST_VALUES].tolist()
            yield f"    values   {' '.join(_number(value) for value in first)}{rest}"
            continue
        yield (
            f"  output     {port.tensor!r} {shape}, scale {port.scale:.6g}, "
            f"zero point {port.zero_point}{count}"
        )
        integers = _integers(port, values[0])
        real = dequantize_real(integers, scale=port.scale, zero_point=port.zero_point)
        rest = " .." if port.count > FIRST_VALUES else ""
        yield f"    integers {' '.join(map(str, integers[:FIRST_VALUES].tolist()))}{rest}"
        yield f"    real     {' '.join(f'{value:.4g}' for value in real[:FIRST_VALUES])}{rest}"
        if _is_vector(port):
            # the first of equals comes first
            best = np.argsort(-integers.astype(np.int64), kind="stable")[:MOST_OF_TOP]
            texts = (f"[{index}] {integers[index]} ({real[index]:.4g})" for index in best)
            yield f"    top {len(best):<4} {', '.join(texts)}"


def decision_lines(
    interface: Interface, outputs: Mapping[str, Array], decisions: Sequence[Decision]
) -> Iterator[str]:
    """The decisions for the first sample."""
    for phrases in decisions_of(interface, outputs, decisions):
        yield f"  decision   {phrases}"


def decisions_of(
    interface: Interface,
    outputs: Mapping[str, Array],
    decisions: Sequence[Decision],
    sample: int = 0,
) -> Iterator[str]:
    """The phrases of each decision for a sample."""
    for each in decisions:
        ports = [interface.outputs[each.position]]
        ports += [] if each.score is None else [interface.outputs[each.score]]
        values, *score = (
            _integers(port, outputs[port.tensor].reshape(-1, port.count)[sample]) for port in ports
        )
        phrases = "; ".join(outcome(each, values, int(score[0][0]) if score else None))
        if phrases:
            yield phrases


def _number(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(int(value))


def _integers(port: Port, values: Array) -> Array:
    if port.is_float_in_model:
        real = values.astype(np.float32)
        scale, zero_point, dtype = port.scale, port.zero_point, port.dtype.value
        return quantize_real(real, scale=scale, zero_point=zero_point, dtype=dtype)
    return values


def _is_vector(port: Port) -> bool:
    return port.count > 1 and max(port.shape) == port.count
