"""What the one kernel of a whole front end needs: the chain's numbers, if it can work with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fourier import QUARTER_SINE_512
from tinyml_rules.arithmetic.interpolated_logarithm import SEGMENTS
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.c_struct import Int, Int8, UInt8, UInt16, UInt32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.operator import Fusion, Operators
from tinyml_rules.ops._shared.signal import options_of
from tinyml_rules.ops.audio_front_end.chain import Chain, find

LENGTH = 512
"""Of the Fourier transform."""
_ONE = 2**16
_GAINS = 125
_MOST_CHANNELS = 255


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.  All that was shifted to the right is shifted by 16 here, the window
    by 15; the weights are those of a bin for its channel and for the next, by turns."""

    window: Array
    sine: Array
    weights: Array
    bins: Array
    gains: Array
    segments: Array
    log_scale: UInt32
    feature_offset: UInt32
    feature_factor: UInt16
    saturates: UInt16
    """From this logarithm on a feature is the greatest."""
    smoothing: UInt16
    one_minus_smoothing: UInt16
    alternate_smoothing: UInt16
    alternate_one_minus_smoothing: UInt16
    least_remaining: UInt16
    samples: Int
    first: Int
    """Where the first bin's numbers are."""
    channels: UInt8
    smoothing_bits: UInt8
    snr_shift: UInt8
    correction_bits: UInt8
    feature_shift: UInt8
    least: Int8
    greatest: Int8


@dataclass(frozen=True, eq=False)
class Attrs:
    """The nodes that one replaces, and their numbers as the kernel takes them."""

    chain: Chain
    params: Params


def fuse(graph: Graph, node: Node, operators: Operators) -> Fusion | None:
    """One node for a chain that ends with the node, if the kernel can do its work."""
    chain = find(graph, node, operators)
    params = None if chain is None else params_of(chain)
    if chain is None or params is None:
        return None
    estimates = chain.subtraction.inputs[-1]
    made = Node(
        index=node.index,
        op="audio_front_end",
        version=1,
        inputs=(chain.window.inputs[0], estimates),
        outputs=node.outputs,
        attrs=Attrs(chain, params),
        origin=node.origin,
    )
    return Fusion(made, frozenset(each.index for each in chain.nodes))


def params_of(chain: Chain) -> Params | None:
    """The chain's numbers; None if the kernel cannot work with them."""
    log, gain = options_of(chain.log), options_of(chain.gain)
    found: dict[str, Any] = {}
    # what takes longest is last
    for part in (_lengths, _window, _bank, _smoothing, _gains, _features):
        numbers = part(chain)
        if numbers is None:
            return None
        found |= numbers
    return Params(
        sine=QUARTER_SINE_512,
        segments=SEGMENTS,
        log_scale=log.output_scale % 2**32,
        snr_shift=gain.snr_shift,
        correction_bits=log.input_correction_bits,
        **found,
    )


def _lengths(chain: Chain) -> dict[str, Any] | None:
    """A transform of 512 numbers of 16 bits, features of 8, and shifts that 32 bits have."""
    view, channels = chain.view(chain.ends[-1]), options_of(chain.bank).num_channels
    source = chain.view(chain.spectrum)["input"]
    is_short = source.dtype is DType.INT16 and view.output.dtype is DType.INT8
    if not is_short or options_of(chain.spectrum).fft_length != LENGTH:
        return None
    if channels > _MOST_CHANNELS or options_of(chain.gain).snr_shift > 16:
        return None
    return {"channels": channels}


def _window(chain: Chain) -> dict[str, Any] | None:
    """One vector of weights from 0 to 1, which never saturates, with 15 bits after the point."""
    view, shift = chain.view(chain.window), options_of(chain.window).shift
    weights = chain.constant(chain.window, "weights")
    if view["input"].count != weights.size or weights.size > LENGTH or shift > 15:
        return None
    if weights.min() < 0 or weights.max() > 1 << shift:
        return None
    return {
        "window": (weights << (15 - shift)).astype(np.uint16),
        "samples": weights.size,
    }


def _bank(chain: Chain) -> dict[str, Any] | None:
    """Adjacent bins, each of one channel; what the first of them give to the channel before does
    not count."""
    frequencies, starts, widths = (
        chain.constant(chain.bank, name) for name in ("frequency_starts", "weight_starts", "widths")
    )
    read, found, counts = chain.bins(), [], []
    tables = [chain.constant(chain.bank, name) for name in ("weights", "unweights")]
    for first, start, width in zip(frequencies, starts, widths, strict=True):
        pairs = [
            (int(read[first + i]), *(int(table[start + i]) for table in tables))
            for i in range(width)
        ]
        pairs = [pair for pair in pairs if pair[0] >= 0 and any(pair[1:])]
        found += pairs
        counts.append(len(pairs))
    if not found:
        return None
    numbers, *given = np.array(found).T
    weights = np.stack(given, axis=1)
    is_adjacent = bool(np.all(np.diff(numbers) == 1)) and numbers[0] > 0
    if not is_adjacent or numbers[-1] >= LENGTH // 2 or weights.min() < 0 or max(counts) > 255:
        return None
    ends = np.cumsum(counts)
    sums = [weights[end - count : end].sum(axis=0) for end, count in zip(ends, counts, strict=True)]
    most = max(own[0] + before[1] for own, before in zip(sums[1:], sums, strict=False))
    if most > _ONE:  # or 16 bits of an energy times these do not fit 32
        return None
    return {
        "weights": weights.astype(np.uint16).reshape(-1),
        "bins": np.array(counts, np.uint8),
        "first": int(2 * numbers[0]),
    }


def _smoothing(chain: Chain) -> dict[str, Any] | None:
    """Factors with 16 bits after the point; those of an estimate are together at most 1."""
    attrs = options_of(chain.subtraction)
    more = 16 - attrs.spectral_subtraction_bits
    if more < 0 or attrs.clamping:
        return None
    names = ("smoothing", "one_minus_smoothing")
    found = {
        name: getattr(attrs, name) << more
        for name in (*names, *(f"alternate_{name}" for name in names))
    }
    found["least_remaining"] = attrs.min_signal_remaining << more
    pairs = (found[names[0]] + found[names[1]], sum(found[f"alternate_{name}"] for name in names))
    if max(pairs) > _ONE or max(found.values()) >= _ONE:
        return None
    return {**found, "smoothing_bits": attrs.smoothing_bits}


def _gains(chain: Chain) -> dict[str, Any] | None:
    """The table, if no gain is negative."""
    gains = chain.constant(chain.gain, "gains")[:_GAINS]
    fraction = np.arange(1024)
    first, second, third = (gains[2 + place :: 4][:31, None] for place in range(3))
    made = first + ((((third * fraction >> 5) + (second << 5)) * fraction + 2**14) >> 15)
    if gains[:3].min() < 0 or made.min() < 0 or made.max() >= 2**15:
        return None
    return {"gains": gains.astype(np.int16)}


def _features(chain: Chain) -> dict[str, Any] | None:
    """(logarithm * factor + offset) >> shift above the least, up to where the greatest begins."""
    found = chain.features()
    if np.any(np.diff(found) < 0) or found[0] == found[-1]:
        return None
    least, greatest = int(found[0]), int(found[-1])
    end = int(np.argmax(found == greatest))
    steps: npt.NDArray[np.int64] = found[:end] - least
    logs = np.arange(end)
    slope = np.polyfit(logs, steps + 0.5, 1)[0] if end > 1 else 1.0
    for shift in (16, 18, 20, 22, 24):
        for factor in range(round(slope * 2**shift) - 3, round(slope * 2**shift) + 4):
            from_one = int(np.max((steps << shift) - logs * factor))
            to_one = int(np.min(((steps + 1) << shift) - 1 - logs * factor))
            if 0 <= from_one <= to_one and 0 <= factor < _ONE and end * factor + to_one < 2**32:
                return {
                    "feature_offset": from_one,
                    "feature_factor": factor,
                    "feature_shift": shift,
                    "saturates": end,
                    "least": least,
                    "greatest": greatest,
                }
    return None


def prepare(view: NodeView) -> Work:
    """One frame of samples; the spectrum is in scratch memory."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return Work(
        params=attrs.params,
        inputs=tuple(tensor.index for tensor in view.inputs if tensor is not None),
        outputs=(view.output.index,),
        scratch=(Scratch(2 * LENGTH, 4),),
    )
