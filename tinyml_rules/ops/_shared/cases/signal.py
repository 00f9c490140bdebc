"""Models of one operator of audio signals, and signals that random numbers miss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import AnyArray, Rejected, random, typed


def signal(
    code: str, options: Mapping[str, Any], inputs: Sequence[int], outputs: Sequence[int]
) -> OperatorSpec:
    """A node: its options as a FlexBuffer."""
    return OperatorSpec(
        "CUSTOM",
        tuple(inputs),
        tuple(outputs),
        custom_code=code,
        custom_options=bytes(flexbuffers.Dumps(dict(options))),
    )


def signal_model(
    code: str, options: Mapping[str, Any], inputs: Sequence[TensorSpec], *outputs: TensorSpec
) -> ModelSpec:
    """A model of one operator; those of its inputs that are no constants are the model's."""
    results = tuple(range(len(inputs), len(inputs) + len(outputs)))
    node = signal(code, options, range(len(inputs)), results)
    given = tuple(place for place, tensor in enumerate(inputs) if tensor.data is None)
    return ModelSpec((*inputs, *outputs), (node,), given, results)


def table(name: str, values: Any, dtype: str = "int16") -> TensorSpec:
    """A constant."""
    data = np.asarray(values, dtype)
    return TensorSpec(name, data.shape, dtype, data=data)


def rejected(
    model: ModelSpec, *errors: str, options: Mapping[str, Any] | None = None, **tensors: TensorSpec
) -> Rejected:
    """The model's node with other options, and with tensors in the place of those with the same
    name."""
    (node,) = model.operators
    if options is not None:
        node = signal(node.custom_code, options, node.inputs, node.outputs)
    changed = tuple(tensors.get(tensor.name, tensor) for tensor in model.tensors)
    given = tuple(place for place in node.inputs if changed[place].data is None) or model.inputs
    return Rejected(replace(model, tensors=changed, operators=(node,), inputs=given), errors)


def signals(count: int, shape: tuple[int, ...], *, seed: int = 1) -> AnyArray:
    """Noise of every loudness, then silence, both ends of int16, -32768 before smaller numbers, and
    a chirp; shaped (count + 5, *shape)."""
    generator = random(seed)
    size = int(np.prod(shape))
    noise = generator.integers(-32768, 32768, (count, size))
    quiet = noise >> np.arange(count)[:, None] % 16
    time = np.arange(size)
    ends = (
        np.zeros(size),
        np.full(size, -32768),
        np.full(size, 32767),
        np.where(time == 0, -32768, time % 7),
        32767 * np.sin(time * time * (1.5 / max(size, 1))),
    )
    return np.concatenate([quiet, np.array(ends)]).astype(np.int16).reshape(-1, *shape)


def selected(model: ModelSpec) -> ModelSpec:
    """The model of a node with values and a flag, whose values become 0 where the flag is false:
    TFLM leaves those as they were."""
    values, flag = model.outputs
    first = len(model.tensors)
    shape = model.tensors[values].shape
    nothing = table("nothing", np.zeros(shape))
    tensors = [*model.tensors, nothing, typed("chosen", shape, "int16")]
    for place in (values, first, first + 1):
        tensors[place] = replace(tensors[place], scales=(1.0,), zero_points=(0,))
    choice = OperatorSpec("SELECT_V2", (flag, values, first), (first + 1,))
    return replace(
        model,
        tensors=tuple(tensors),
        operators=(*model.operators, choice),
        outputs=(first + 1, flag),
    )
