"""Cases of SignalFilterBank."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import random, random_case, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, table


def bank(
    widths: Sequence[int] = (2, 3, 0, 4),
    *,
    frequencies: Sequence[int] | None = None,
    least: int = 0,
    bins: int = 12,
) -> ModelSpec:
    """Channels of so many bins, the first of which has none of its own, one after the other."""
    starts = np.cumsum([0, *widths[:-1]])
    generator = random(4)
    weights, unweights = generator.integers(least, 4097, (2, sum(widths) + 1))
    return signal_model(
        "SignalFilterBank",
        {"num_channels": len(widths) - 1},
        (
            typed("x", (bins,), "uint32"),
            table("weights", weights),
            table("unweights", unweights),
            table("frequencies", starts if frequencies is None else frequencies),
            table("starts", starts),
            table("widths", widths),
        ),
        typed("y", (len(widths) - 1,), "uint64"),
    )


CASES = {
    "four": random_case(bank()),
    "overlapping": random_case(bank(frequencies=(8, 0, 99, 2))),
    "negative": random_case(bank(least=-4096)),
    "one": random_case(bank((0, 1))),
}
SAMPLES = ("four", "negative")

REJECTED = {
    "bins": rejected(
        bank(),
        "frequency_starts tensor #3 'frequencies' has 10 for 3 values of channel 1, "
        "expected 0 to 9",
        frequencies=table("frequencies", (0, 10, 0, 0)),
    ),
    "below": rejected(
        bank(),
        "frequency_starts tensor #3 'frequencies' has -1 for 2 values of channel 0, "
        "expected 0 to 10",
        frequencies=table("frequencies", (-1, 0, 0, 0)),
    ),
    "weights": rejected(
        bank(),
        "weight_starts tensor #4 'starts' has 7 for 4 values of channel 3, expected 0 to 6",
        starts=table("starts", (0, 2, 5, 7)),
    ),
    "width": rejected(
        bank(),
        "widths tensor #5 'widths' has -1, expected numbers from 0 on",
        widths=table("widths", (2, -1, 0, 4)),
    ),
    "channels": rejected(
        bank(),
        "frequency_starts tensor #3 'frequencies' has shape [4], expected [5]",
        "weight_starts tensor #4 'starts' has shape [4], expected [5]",
        "widths tensor #5 'widths' has shape [4], expected [5]",
        options={"num_channels": 4},
    ),
    "unweights": rejected(
        bank(),
        "unweights tensor #2 'unweights' has shape [3], expected [10]",
        unweights=table("unweights", (1, 2, 3)),
    ),
    "no_channels": rejected(
        bank(), "num_channels is 0, expected 1 to 32766", options={"num_channels": 0}
    ),
    "constant": rejected(
        bank(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones(12), "uint32"),
    ),
}

MODELS = st.builds(
    lambda widths, least: random_case(bank(widths, least=least, bins=sum(widths) + 1)),
    *(st.lists(st.integers(0, 5), min_size=2, max_size=8), st.sampled_from((0, -4096))),
)
