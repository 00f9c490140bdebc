"""Models of int16 inputs and outputs made from models of int8 with weights, and cases of those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, random, random_case, with_tensor

_STEPS = 2**8
"""Of int16 in one of int8: what a bias is multiplied with."""
_BIASES = ("int64", "int32")
"""Types of the bias; the first is also that of a bias that is left out."""


def in_16_bits(model: ModelSpec, *, bias: str = "int64", times: int = _STEPS) -> ModelSpec:
    """The model of one operator with int16 for int8 and zero points of 0, and a bias of this type,
    so many `times` as large."""
    for index in (*model.inputs, *model.outputs):
        model = with_tensor(model, index, dtype="int16", zero_points=(0,))
    if not has_bias(model):
        return model
    values = np.asarray(model.tensors[2].data, np.int64) * times
    limits = np.iinfo(bias)
    return with_tensor(
        model, 2, dtype=bias, data=np.clip(values, limits.min, limits.max).astype(bias)
    )


def has_bias(model: ModelSpec) -> bool:
    """Whether there is a third operand, and so a fourth tensor."""
    return len(model.tensors) > len(("input", "weights", "output"))


def int16_cases(
    cases: Mapping[str, Case],
    names: Iterable[str],
    *,
    long: ModelSpec,
    biases: Iterable[str] = _BIASES,
) -> dict[str, Case]:
    """Some of the cases with int16, once for each type of the bias, and with sums of 64 bits,
    because the bias is large; and a model whose sums are so `long` that the products leave 32."""
    largest = np.full(long.tensors[1].shape, 127, np.int8)
    found = {
        f"int16_long_of_{weights}": random_case(with_tensor(in_16_bits(long), 1, data=data))
        for weights, data in (("most", largest), ("least", -largest))
    }
    for name in names:
        model = cases[name].model
        for bias in biases if has_bias(model) else _BIASES[:1]:
            end = "" if bias == _BIASES[0] else f"_{bias}"
            found[f"int16_{name}{end}"] = random_case(in_16_bits(model, bias=bias))
        if has_bias(model):
            found[f"int16_{name}_wide"] = random_case(_of_large_bias(model))
    return found


def _of_large_bias(model: ModelSpec) -> ModelSpec:
    """With a bias beyond 32 bits, and outputs of so large a scale that it does not fill them."""
    (scale,) = model.tensors[-1].scales
    return with_tensor(in_16_bits(model, times=2**20), 3, scales=(scale * 2**10,))


def int16_rejected(model: ModelSpec) -> dict[str, Rejected]:
    """What is refused of int16, of an int8 model of weights and bias."""
    right = in_16_bits(model)
    (scale,) = right.tensors[3].scales
    count = right.tensors[2].shape[0]
    return {
        "int16_with_output_of_int8": Rejected(
            with_tensor(right, 3, dtype="int8"),
            ("output tensor #3 'output' is int8, expected int16",),
        ),
        "int16_with_weights_of_4_bits": Rejected(
            with_tensor(right, 1, dtype="int4", data=np.zeros(right.tensors[1].shape, np.int8)),
            ("weights tensor #1 'weights' is int4, expected int8",),
        ),
        "int16_with_computed_weights": Rejected(
            with_tensor(right, 1, data=None),
            ("weights tensor #1 'weights' is computed at run time, expected a constant",),
        ),
        "int16_with_large_bias": Rejected(
            with_tensor(right, 2, data=np.full(count, -(2**46) - 1, np.int64)),
            ("bias tensor #2 'bias' has the value -70368744177665, expected at most 2^46 in size",),
        ),
        "int16_with_large_factor": Rejected(
            with_tensor(right, 3, scales=(scale * 2.0**-16,)),
            (_too_small(right, scale * 2.0**-16),),
        ),
    }


def _too_small(model: ModelSpec, scale: float) -> str:
    (source,), weights = model.tensors[0].scales, model.tensors[1].scales
    product = source * max(np.asarray(weights, np.float32).tolist())
    return f"output tensor #3 'output' has scale {scale:g}, too small for the inputs' {product:g}"


@st.composite
def int16_models(
    draw: st.DrawFn, models: st.SearchStrategy[ModelSpec], *, biases: tuple[str, ...] = _BIASES
) -> Case:
    """The same of models that are drawn, with inputs at both ends of int16 more often than not."""
    model = draw(models.filter(lambda each: each.tensors[1].dtype == "int8"))
    times = draw(st.sampled_from((1, _STEPS, 2**17)))
    case = random_case(in_16_bits(model, bias=draw(st.sampled_from(biases)), times=times))
    (values,) = case.samples
    generator = random(7)
    ends = generator.choice(np.array([-32768, 32767, 0], np.int16), values.shape)
    mixed = np.where(generator.integers(0, 3, values.shape) > 0, ends, values)
    return replace(case, samples=(np.concatenate([values, mixed]),))
