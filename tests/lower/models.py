"""Models with more weights than 16-bit addresses reach."""

from __future__ import annotations

from tests.plan.chains import Chain
from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec, build_model
from tinyml_rules.ops._shared.spatial import Padding

IMAGE = (1, 4, 4, 16)


def large_model() -> bytes:
    """108 kB of weights: a convolution with more than 64 kB, a depthwise one that lies behind it,
    and a dense layer with more than an array of C may have on AVR, then a small one."""
    chain = Chain(lambda low, high: (low + high) // 2)
    chain.current = chain.activation(IMAGE)
    _convolve(chain, outputs=464)
    _depthwise(chain)
    dense(chain, 20)
    dense(chain, 10)
    return build_model(
        ModelSpec(tuple(chain.tensors), tuple(chain.operators), (0,), (chain.current,))
    )


def dense_model(*counts: int) -> bytes:
    """Dense layers of `counts` values each, the first of which is the input."""
    chain = Chain(lambda low, high: (low + high) // 2)
    chain.current = chain.activation((1, counts[0]))
    for count in counts[1:]:
        dense(chain, count)
    return build_model(
        ModelSpec(tuple(chain.tensors), tuple(chain.operators), (0,), (chain.current,))
    )


def dense(chain: Chain, outputs: int) -> None:
    """One dense layer over everything there is."""
    count = 1
    for size in chain.shape:
        count *= size
    weights = chain.weights((outputs, count), count)
    chain.append("FULLY_CONNECTED", weights, OPTIONAL, shape=(1, outputs))


def _convolve(chain: Chain, *, outputs: int) -> None:
    """3x3, in steps of two, with a border around the image."""
    batches, height, width, channels = chain.shape
    weights = chain.weights((outputs, 3, 3, channels), 9 * channels)
    chain.append(
        "CONV_2D",
        weights,
        OPTIONAL,
        shape=(batches, height // 2, width // 2, outputs),
        Padding=Padding.SAME,
        StrideW=2,
        StrideH=2,
    )


def _depthwise(chain: Chain) -> None:
    channels = chain.shape[-1]
    weights = chain.weights((1, 3, 3, channels), 9)
    chain.append(
        "DEPTHWISE_CONV_2D",
        weights,  # TFLM crashes on a bias that is named as left out here
        shape=chain.shape,
        Padding=Padding.SAME,
        StrideW=1,
        StrideH=1,
        DepthMultiplier=1,
    )
