"""What the planner asks of a window equals what tap by tap comes out."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.window import Reach


def random_reach(pick: np.random.Generator) -> Reach:
    """Windows of all kinds, some of which jump over the image."""
    return Reach(
        inputs=int(pick.integers(1, 9, endpoint=True)),
        outputs=int(pick.integers(1, 9, endpoint=True)),
        size=int(pick.integers(1, 4, endpoint=True)),
        stride=int(pick.integers(1, 4, endpoint=True)),
        dilation=int(pick.integers(1, 3, endpoint=True)),
        pad_before=int(pick.integers(0, 4, endpoint=True)),
        input_bytes=int(pick.integers(1, 5, endpoint=True)),
        output_bytes=int(pick.integers(1, 5, endpoint=True)),
    )


def taps(reach: Reach, output: int) -> list[int]:
    """All positions behind an output, those outside the image too."""
    start = output * reach.stride - reach.pad_before
    return [start + tap * reach.dilation for tap in range(reach.size)]


def test_first_and_end_of_every_output() -> None:
    for seed in range(200):
        reach = random_reach(np.random.default_rng(seed))
        for output in range(reach.outputs):
            seen = [tap for tap in taps(reach, output) if 0 <= tap < reach.inputs]
            assert all(reach.first(output) <= tap < reach.end(output) for tap in seen)
            if taps(reach, output)[0] in seen:
                assert reach.first(output) == seen[0]
            if taps(reach, output)[-1] in seen:
                assert reach.end(output) == seen[-1] + 1


def test_distances_are_those_of_the_worst_output() -> None:
    """Only the outputs at the bends are looked at, which gives the same as all of them."""
    for seed in range(500):
        reach = random_reach(np.random.default_rng(seed))
        outputs = range(reach.outputs)
        up = ((y + 1) * reach.output_bytes - reach.first(y) * reach.input_bytes for y in outputs)
        down = (reach.end(y) * reach.input_bytes - y * reach.output_bytes for y in outputs)
        assert reach.ascending == max(*up, 0, 0)
        assert reach.descending == max(*down, 0, 0)


def test_furthest_is_beyond_every_tap() -> None:
    for seed in range(200):
        reach = random_reach(np.random.default_rng(seed))
        every = [tap for output in range(reach.outputs + 1) for tap in taps(reach, output)]
        assert reach.furthest >= max(map(abs, every))
