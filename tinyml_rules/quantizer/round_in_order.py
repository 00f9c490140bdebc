"""Weights rounded one input after the other: what rounding one of them adds to the sums is taken up
by those that come after it.

The sums of a channel are w x; with H the covariance of x, an error e of the weights costs e H e'.
H = (A + 1) D (A + 1)' with A strictly upper, so that the cost is the sum of D[j] times the square
of e[j] + (e A)[j]: weight j is rounded after the errors of those before it, times column j of A,
were added to it.  (The method is known as optimal brain quantization and GPTQ; this form is LDLQ.)
Inputs that vary most come first.  The mean of the error is left to the bias.

The bytes are the same on any machine: inputs are the integers that the layer reads, so that BLAS
sums whole numbers below 2^53, exactly in any order; all that follows is single IEEE operations of
numpy, elementwise and in a fixed order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, quantize_real
from tinyml_rules.ir.graph import Array, Node, NodeView
from tinyml_rules.quantizer.calibrate import Values
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.ranges import channels_first, scales_of_weights
from tinyml_rules.quantizer.scheme import Numbers, Scheme

INT4_MAX = 7
SHARES = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5)
"""Shares of the largest weight of a channel that are tried as the end of its range."""
DAMPING = 0.01
"""Least share of the mean variance that is added to all."""
MOST_DAMPING = 1.0
"""Most of it: few sums for many values do not show every direction."""
MOST_TOGETHER = 1024
"""Most inputs of a sum that take up each other's errors; more are rounded in pieces."""
MOST_SUMS = 2**16
"""Most sums of a node over the samples by which inputs are judged, at equal distances."""

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the sums of a node take, as integers without zero point: how many were seen, their sum
    [groups, values], and of each piece of the values the sums of products, [groups, values,
    values]."""

    count: int
    first: Int64Array
    second: tuple[Int64Array, ...]


@dataclass(frozen=True, eq=False)
class Rounded:
    """Weights as integers, rows as `channels_first` has them, with a scale for each, or one for
    all; `shift` is what rounding takes from the mean of each channel's sums, in real numbers."""

    scales: Numbers
    integers: Numbers
    shift: Numbers


def rounded_in_order(
    plan: Plan, scheme: Scheme, nodes: Sequence[Node], samples: Sequence[Values], *, bits: int
) -> Rounded:
    """The weights of the nodes, which all have the same, for the inputs that the float32 model has
    on the samples.  No scale is below that of the scheme, so that bias and sums stay in int32."""
    inputs = _inputs_of(plan, scheme, nodes, samples)
    places = plan.weights(nodes[0])
    assert places is not None
    view = NodeView(plan.graph, nodes[0])
    filters = view.input(places.weights).index
    rows, top = channels_first(plan, filters), 2 ** (bits - 1) - 1
    groups, values = inputs.first.shape
    by_group = rows.reshape(groups, -1, values)
    is_per_axis = places.has_int4_per_axis or top > INT4_MAX
    tried = _scales(rows, scheme.weights[filters], top, is_per_axis=is_per_axis)
    scales = tried.reshape(groups, by_group.shape[1], -1)
    pieces = [_piece(by_group, scales, each, top) for each in _pieces(inputs)]
    best = _best(sum((each.loss for each in pieces), np.zeros(scales.shape)), is_per_axis)
    integers = [np.take_along_axis(each.integers, best[..., np.newaxis], 2) for each in pieces]
    shift = sum((each.shift for each in pieces), np.zeros(scales.shape))
    of_input = scheme.activations[plan.group[view.input(places.source).index]].scales[0]
    found = np.take_along_axis(scales, best, -1).reshape(-1)
    return Rounded(
        found if is_per_axis else found[:1],
        np.concatenate(integers, axis=-1).reshape(rows.shape),
        np.take_along_axis(shift, best, -1).reshape(-1) * of_input,
    )


def _scales(rows: Numbers, least: Numbers, top: int, *, is_per_axis: bool) -> Numbers:
    """Those that are tried for each row, [rows, shares]; without axis the same for all."""
    ends = scales_of_weights(rows) * (INT8_MAX / top)
    if not is_per_axis:
        ends, least = np.full(len(rows), ends.max()), np.full(len(rows), least.max())
    tried = ends[:, np.newaxis] * np.array(SHARES)
    wide = np.maximum(tried, least[:, np.newaxis])
    return np.asarray(wide.astype(np.float32).astype(np.float64))


def _best(loss: Numbers, is_per_axis: bool) -> Int64Array:
    """The share of least loss for each channel, or for all: [groups, channels, 1]."""
    if not is_per_axis:
        loss = np.zeros(loss.shape) + np.add.accumulate(loss.reshape(-1, loss.shape[-1]))[-1]
    return np.asarray(loss.argmin(axis=-1)[..., np.newaxis])


def _inputs_of(
    plan: Plan, scheme: Scheme, nodes: Sequence[Node], samples: Sequence[Values]
) -> Inputs:
    """Those of all nodes together."""
    most = max(MOST_SUMS // (len(nodes) * len(samples)), 1)
    count, first, second = 0, np.zeros((), np.int64), list[Int64Array]()
    for node in nodes:
        for sample in samples:
            seen = _seen(plan, scheme, node, sample)
            seen = seen[:, :: -(-seen.shape[1] // most)]
            count += seen.shape[1]
            first = first + seen.sum(axis=1).astype(np.int64)
            cuts = range(0, seen.shape[2], MOST_TOGETHER)
            parts = [seen[..., start : start + MOST_TOGETHER] for start in cuts]
            products = [(each.transpose(0, 2, 1) @ each).astype(np.int64) for each in parts]
            second = _added(second, products) if second else products
    return Inputs(count, first, tuple(second))


def _added(some: list[Int64Array], others: list[Int64Array]) -> list[Int64Array]:
    return [a + b for a, b in zip(some, others, strict=True)]


def _seen(plan: Plan, scheme: Scheme, node: Node, sample: Values) -> Numbers:
    """[groups, sums, values], whole numbers in float64."""
    places = plan.weights(node)
    assert places is not None and places.seen is not None
    view = NodeView(plan.graph, node)
    source = view.input(places.source).index
    (scale,), (zero_point,) = _of(scheme, plan, source)
    real: Array = sample[plan.stands_for.get(source, source)]
    integers = quantize_real(real.astype(np.float32), scale=scale, zero_point=zero_point)
    return places.seen(view, integers.astype(np.float64) - zero_point)


def _of(scheme: Scheme, plan: Plan, index: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    found = scheme.activations[plan.group[index]]
    return found.scales, found.zero_points


@dataclass(frozen=True, eq=False)
class _Moments:
    """The values `of` a piece, in the order in which they are rounded [groups, values], their sums
    and covariances in this order."""

    of: slice
    order: Int64Array
    mean: Numbers
    covariance: Numbers


def _pieces(inputs: Inputs) -> Iterator[_Moments]:
    """Covariances times the square of the count, whole numbers, with the damping."""
    start = 0
    for second in inputs.second:
        of = slice(start, start + second.shape[-1])
        start = of.stop
        sums = inputs.first[:, of]
        found = inputs.count * second - sums[:, :, np.newaxis] * sums[:, np.newaxis, :]
        variance = np.diagonal(found, axis1=1, axis2=2)
        order = np.argsort(-variance, axis=1, kind="stable")
        found = np.take_along_axis(found, order[:, :, np.newaxis], 1)
        found = np.take_along_axis(found, order[:, np.newaxis, :], 2)
        share = min(DAMPING + variance.shape[1] / inputs.count, MOST_DAMPING)
        damping = np.maximum(share * variance.sum(axis=1) / variance.shape[1], 1.0)
        covariance = found + damping[:, np.newaxis, np.newaxis] * np.eye(len(found[0]))
        mean = np.take_along_axis(sums, order, 1) / inputs.count
        yield _Moments(of, order, mean, covariance)


def _factors(covariance: Numbers) -> tuple[Numbers, Numbers]:
    """(A, D) of [groups, values, values]: strictly upper, and [groups, values]."""
    left, upper = covariance.copy(), np.zeros_like(covariance)
    for j in range(covariance.shape[1] - 1, 0, -1):
        upper[:, :j, j] = left[:, :j, j] / left[:, j, j, np.newaxis]
        left[:, :j, :j] -= upper[:, :j, j, np.newaxis] * left[:, np.newaxis, :j, j]
    return upper, np.diagonal(left, axis1=1, axis2=2)


@dataclass(frozen=True, eq=False)
class _Piece:
    """Integers [groups, channels, shares, values], and [groups, channels, shares] of the loss and
    of the shift in steps of the input."""

    integers: Numbers
    loss: Numbers
    shift: Numbers


def _piece(rows: Numbers, scales: Numbers, moments: _Moments, top: int) -> _Piece:
    """The weights of a piece, rounded with every scale."""
    upper, d = _factors(moments.covariance)
    order = moments.order[:, np.newaxis, :]
    weights = np.take_along_axis(rows[..., moments.of], order, -1)
    wanted = np.moveaxis(weights[:, :, np.newaxis], -1, 1) + np.zeros(scales.shape)[:, np.newaxis]
    left = wanted.copy()  # [groups, values, channels, shares]
    integers, loss, shift = np.empty_like(left), np.zeros(scales.shape), np.zeros(scales.shape)
    wide = (slice(None), np.newaxis, np.newaxis)
    for j in range(left.shape[1]):
        integers[:, j] = np.clip(np.rint(left[:, j] / scales), -top, top)
        error = wanted[:, j] - integers[:, j] * scales
        loss += d[:, j][wide] * np.square(left[:, j] - integers[:, j] * scales)
        shift += moments.mean[:, j][wide] * error
        left[:, j + 1 :] += upper[:, j, j + 1 :, np.newaxis, np.newaxis] * error[:, np.newaxis]
    back = np.argsort(moments.order, axis=1)[:, np.newaxis, np.newaxis, :]
    found = np.take_along_axis(np.moveaxis(integers, 1, -1), back, -1)
    return _Piece(found, loss, shift)
