"""Cases of RNN: each activation, over a sequence of calls."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.cases.recurrence import (
    ACTIVATIONS,
    layer,
    recurrence_rejected,
    sequence,
)
from tinyml_rules.ops._shared.cases.strategies import FEW


def rnn(*, batches: int = 1, input_count: int = 5, **more: Any) -> ModelSpec:
    """A layer."""
    return layer("RNN", (batches, input_count), batches=batches, **more)


CASES = {
    **{f"activation_{each:d}": sequence(rnn(activation=each)) for each in ACTIVATIONS},
    "batches": sequence(rnn(batches=3)),
    "one_unit": sequence(rnn(units=1, input_count=1)),
    "wide": sequence(rnn(units=17, input_count=23, activation=1)),
}
SAMPLES = tuple(f"activation_{each:d}" for each in ACTIVATIONS)
"""Cases between which every kernel is used."""

REJECTED = recurrence_rejected(rnn)
MODELS: st.SearchStrategy[Case] = st.builds(
    lambda **how: sequence(rnn(**how)),
    batches=FEW,
    input_count=FEW,
    units=FEW,
    activation=st.sampled_from(ACTIVATIONS),
)
