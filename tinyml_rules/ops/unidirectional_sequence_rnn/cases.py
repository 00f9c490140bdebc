"""Cases of UNIDIRECTIONAL_SEQUENCE_RNN: each activation, both orders, over several sequences."""

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


def rnn(
    *,
    batches: int = 1,
    steps: int = 4,
    input_count: int = 5,
    is_time_major: bool = False,
    **more: Any,
) -> ModelSpec:
    """A layer."""
    shape = (steps, batches) if is_time_major else (batches, steps)
    return layer(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        (*shape, input_count),
        batches=batches,
        TimeMajor=is_time_major,
        **more,
    )


CASES = {
    **{f"activation_{each:d}": sequence(rnn(activation=each)) for each in ACTIVATIONS},
    "batches": sequence(rnn(batches=3)),
    "time_major": sequence(rnn(batches=3, is_time_major=True)),
    "one_step": sequence(rnn(steps=1)),
    "one_unit": sequence(rnn(units=1, input_count=1)),
    "wide": sequence(rnn(units=17, input_count=23, activation=1)),
}
SAMPLES = (*(f"activation_{each:d}" for each in ACTIVATIONS), "time_major")
"""Cases between which every kernel is used."""

REJECTED = recurrence_rejected(rnn)
MODELS: st.SearchStrategy[Case] = st.builds(
    lambda **how: sequence(rnn(**how)),
    batches=FEW,
    steps=FEW,
    input_count=FEW,
    units=FEW,
    is_time_major=st.booleans(),
    activation=st.sampled_from(ACTIVATIONS),
)
