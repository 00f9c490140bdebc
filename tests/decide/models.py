"""Small models whose outputs are told by their inputs, and descriptions of what they decide."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import Description, read_description
from tinyml_rules.target.target import Target, load_target


def tensor(
    name: str, count: int | tuple[int, ...], scale: float, zero_point: int, dtype: str = "int8"
) -> TensorSpec:
    """A vector of so many elements, or a tensor of a shape."""
    shape = (1, count) if isinstance(count, int) else count
    return TensorSpec(name, shape, dtype, scales=(scale,), zero_points=(zero_point,))


def requantizing(
    count: int | tuple[int, ...],
    one: tuple[float, int],
    other: tuple[float, int],
    *,
    dtype: str = "int8",
) -> bytes:
    """QUANTIZE from one (scale, zero point) to another, which may be the same; in uint8 all values
    of the other are 128 higher."""
    scale, zero_point = other
    zero_point += 128 if dtype == "uint8" else 0
    tensors = (tensor("given", count, *one), tensor("made", count, scale, zero_point, dtype))
    return build_model(ModelSpec(tensors, (OperatorSpec("QUANTIZE", (0,), (1,)),), (0,), (1,)))


def chain(count: int, *operators: str, logits: tuple[float, int] = (0.1, 0)) -> bytes:
    """QUANTIZE to `logits`, then operators of one input, each with its usual quantization."""
    ends = {"LOG_SOFTMAX": (1 / 16, 127), "RESHAPE": (1 / 256, -128), "TANH": (1 / 128, 0)}
    tensors = [tensor("given", count, logits[0], 3), tensor("logits", count, *logits)]
    specs = [OperatorSpec("QUANTIZE", (0,), (1,))]
    for number, operator in enumerate(operators, start=1):
        tensors.append(tensor(f"made_{number}", count, *ends.get(operator, (1 / 256, -128))))
        options = {"Beta": 1.0} if operator == "SOFTMAX" else {}
        specs.append(OperatorSpec(operator, (number,), (number + 1,), options))
    return build_model(ModelSpec(tuple(tensors), tuple(specs), (0,), (len(tensors) - 1,)))


def described(text: str, folder: Path) -> Description:
    """The description of a text, its file in the folder."""
    file = folder / "sensor.toml"
    file.write_text(text, encoding="utf-8")
    return read_description(file)


def decided(
    model: bytes,
    text: str,
    folder: Path,
    *,
    name: str = "model",
    target: Target | None = None,
    arena: ArenaMode = ArenaMode.STATIC,
    is_pushed: bool = False,
) -> Compiled:
    """The model compiled with the description."""
    request = Request(
        model,
        name,
        target or load_target("host"),
        arena=arena,
        push_rows=is_pushed,
        sensor=described(text, folder),
    )
    return compile_model(request)


def outputs_of(model: bytes, samples: AnyArray, *shape: int) -> AnyArray:
    """TFLM's only output for samples of its only input, a row each."""
    given: Sequence[AnyArray] = [samples.reshape(len(samples), *shape)]
    return tflm_outputs(model, given)[0].reshape(len(samples), -1)
