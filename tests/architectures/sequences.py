"""Networks on sequences: dilated convolutions, attention, a recurrent layer without its loop."""

from __future__ import annotations

from dataclasses import replace

from tests.architectures.network import LINEAR, SIGMOID, TANH, Network
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.spatial import Padding

CAUSAL = replace(LINEAR, size=(1, 3), padding=Padding.VALID, activation=Activation.RELU)


def _dilated(net: Network, source: int, dilation: int) -> int:
    """A causal convolution as converters write it: padded, cut, convolved, joined."""
    _, _, length, channels = net.shape(source)
    before = 2 * dilation
    border = net.graph.numbers([[0, 0], [0, 0], [before, 0], [0, 0]])
    image = net.apply("PAD", [source, border], (1, 1, length + before, channels), like=source)
    none = [[0, 0], [0, 0]]
    blocks = net.graph.numbers([1, dilation])
    if dilation > 1:
        shape = (dilation, 1, (length + before) // dilation, channels)
        operands = [image, blocks, net.graph.numbers(none)]
        image = net.apply("SPACE_TO_BATCH_ND", operands, shape, like=image)
    image = net.conv(image, channels, CAUSAL)
    if dilation > 1:
        operands = [image, blocks, net.graph.numbers(none)]
        shape = (1, 1, length, channels)
        image = net.apply("BATCH_TO_SPACE_ND", operands, shape, like=image)
    return image


def tcn() -> Case:
    """Dilations of 1, 2 and 4 with short cuts, and the last step's scores."""
    net = Network(1, 32, 8, seed=7)
    axis = net.graph.numbers(1)
    current = net.apply("EXPAND_DIMS", [net.source, axis], (1, 1, 32, 8), like=net.source)
    for dilation in (1, 2, 4):
        deep = _dilated(net, _dilated(net, current, dilation), dilation)
        current = net.pair("ADD", current, deep)
    steps = net.view(current, (1, 32, 8))
    begin, end, stride = (net.graph.numbers(each) for each in ([0, 31, 0], [1, 32, 8], [1, 1, 1]))
    last = net.apply("STRIDED_SLICE", [steps, begin, end, stride], (1, 1, 8), like=steps)
    scores = net.dense(net.view(last, (1, 8)), 5)
    return net.case(net.shares(scores))


def _normed(net: Network, source: int) -> int:
    """Layer norm as converters write it: x·a + (b - mean·a), a = 1 / sqrt(variance + epsilon)."""
    mean = net.mean(source, 2)
    variance = net.mean(net.pair("SQUARED_DIFFERENCE", source, mean), 2)
    factor = net.map("RSQRT", net.pair("ADD", variance, net.number(0.05)))
    moved = net.pair("SUB", net.number(0.1), net.pair("MUL", mean, factor))
    return net.pair("ADD", net.pair("MUL", source, factor), moved)


def _heads(net: Network, source: int) -> int:
    """[1, steps, values] by head: [1, heads, steps, values of a head]."""
    _, steps, values = net.shape(source)
    return net.turned(net.view(source, (1, steps, 2, values // 2)), (0, 2, 1, 3))


def _attended(net: Network, source: int) -> int:
    """Every step looks at all others, with two heads."""
    query, key, value = (_heads(net, net.dense(source, 16)) for _ in range(3))
    steps = net.shape(source)[1]
    scores = net.apply("BATCH_MATMUL", [query, key], (1, 2, steps, steps), AdjX=False, AdjY=True)
    scores = net.pair("MUL", scores, net.number(8**-0.5))
    shares = net.shares(scores)
    seen = net.apply("BATCH_MATMUL", [shares, value], (1, 2, steps, 8), AdjX=False, AdjY=False)
    together = net.view(net.turned(seen, (0, 2, 1, 3)), (1, steps, 16))
    return net.dense(together, 16)


def transformer() -> Case:
    """One block: attention and two layers, each with a short cut and a norm."""
    net = Network(1, 12, 16, seed=8)
    current = _normed(net, net.pair("ADD", net.source, _attended(net, net.source)))
    deep = net.dense(net.dense(current, 32, activation=Activation.RELU), 16)
    current = _normed(net, net.pair("ADD", current, deep))
    return net.case(net.dense(net.mean(current, 1, keeps=False), 4))


def gru() -> Case:
    """Four steps of a recurrent layer of 8 values."""
    net = Network(1, 4, 6, seed=9)
    operands = [net.source]
    steps = net.parts("UNPACK", operands, (1, 6), 4, Axis=1, Num=4)
    state = net.map("TANH", net.dense(steps[0], 8), TANH)
    for step in steps[1:]:
        state = _stepped(net, step, state)
    return net.case(net.dense(state, 3))


def _stepped(net: Network, step: int, state: int) -> int:
    """The state after one more step."""
    of_step = net.halves(net.dense(step, 24), 3)
    of_state = net.halves(net.dense(state, 24), 3)
    keep, forget = (
        net.map("LOGISTIC", net.pair("ADD", *pair), SIGMOID)
        for pair in zip(of_step[:2], of_state[:2], strict=True)
    )
    new = net.pair("ADD", of_step[2], net.pair("MUL", forget, of_state[2]))
    rest = net.pair("SUB", net.number(1.0), keep)
    new = net.pair("MUL", rest, net.map("TANH", new, TANH))
    return net.pair("ADD", net.pair("MUL", keep, state), new)
