"""Cases of SignalEnergy."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import Case, int32s, typed
from tinyml_rules.ops._shared.cases.signal import rejected, signal_model, signals, table


def energy(bins: int = 9, start: int = 0, end: int = 9) -> ModelSpec:
    """The energy of some of the bins."""
    return signal_model(
        "SignalEnergy",
        {"start_index": start, "end_index": end},
        (typed("x", (2 * bins,), "int16"),),
        typed("y", (bins,), "uint32"),
    )


def part_of_energy(bins: int, start: int, end: int) -> ModelSpec:
    """Those bins alone: TFLM leaves the others as they were."""
    model = energy(bins, start, end)
    more = (
        typed("signed", (bins,), "int32"),
        *(int32s(name, [at]) for name, at in (("begin", start), ("end", end), ("step", 1))),
        typed("z", (end - start,), "int32"),
    )
    nodes = (
        OperatorSpec("CAST", (1,), (2,)),
        OperatorSpec("STRIDED_SLICE", (2, 3, 4, 5), (6,)),
    )
    tensors, operators = (*model.tensors, *more), (*model.operators, *nodes)
    return replace(model, tensors=tensors, operators=operators, outputs=(6,))


def _case(model: ModelSpec) -> Case:
    return Case(model, (signals(4, model.tensors[0].shape),))


CASES = {
    "all": _case(energy()),
    "front_end": _case(part_of_energy(257, 5, 241)),
    "one": _case(part_of_energy(4, 3, 4)),
}
SAMPLES = ("all", "one")

REJECTED = {
    "behind": rejected(
        energy(), "end_index is 10, expected 0 to 9", options={"start_index": 0, "end_index": 10}
    ),
    "out_of_order": rejected(
        energy(), "start_index is 6, expected 0 to 5", options={"start_index": 6, "end_index": 5}
    ),
    "below": rejected(
        energy(), "start_index is -1, expected 0 to 5", options={"start_index": -1, "end_index": 5}
    ),
    "constant": rejected(
        energy(),
        "input tensor #0 'x' is a constant, expected computed values",
        x=table("x", np.ones(18)),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Any bins of a spectrum."""
    bins = draw(st.integers(1, 20))
    start = draw(st.integers(0, bins - 1))
    return _case(part_of_energy(bins, start, draw(st.integers(start + 1, bins))))


MODELS = _models()
