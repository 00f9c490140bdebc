"""Firmware that is nothing but functions that take raw values: many of them in one image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.support.combined import write_unit
from tests.support.images import linked, main_template, object_of
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.interface import Port
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.sensor.description import Description, read_description
from tinyml_rules.target.target import Target

MAIN = Path(__file__).with_name("main.c.j2")
Toml = dict[str, object]


@dataclass(frozen=True)
class Case:
    """A model with a sensor, and raw bytes for some calls, one call after the other."""

    name: str
    compiled: Compiled
    data: bytes

    @property
    def raw_bytes(self) -> int:
        return self.compiled.interface.raw_inputs[0].size_bytes

    @property
    def function(self) -> str:
        return self.compiled.interface.raw_inputs[0].function

    @property
    def shown(self) -> Port:
        """What is written after each call: the input, or the output of a model that takes rows."""
        interface = self.compiled.interface
        return interface.outputs[-1] if interface.pushed_rows else interface.inputs[0]

    @property
    def value_bytes(self) -> int:
        return self.shown.size_bytes

    @property
    def invoke(self) -> str:
        """What runs the model behind it."""
        is_run = self.compiled.interface.pushed_rows > 0
        return "" if is_run else f"{self.name}_invoke();"

    @property
    def turns(self) -> int:
        return len(self.data) // self.raw_bytes

    @property
    def form(self) -> str:
        return str(self.compiled.report.raw_inputs[0].form)


@dataclass(frozen=True)
class Put:
    """What became of a case: the tensor's bytes of all calls, and what each call took."""

    values: bytes
    counts: tuple[int, ...]

    def of(self, dtype: str) -> AnyArray:
        return np.frombuffer(self.values, dtype)


def described(table: Toml, folder: Path, *, name: str = "sensor") -> Description:
    """The description with such an `[input]` table, read from a file."""
    file = folder / f"{name}.toml"
    lines = [f"{key} = {_toml(value)}" for key, value in table.items()]
    file.write_text("\n".join(["[input]", *lines, ""]), encoding="utf-8")
    return read_description(file)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)


def identity(
    shape: tuple[int, ...], *, scale: float, zero_point: int, dtype: str = "int8"
) -> bytes:
    """A model that gives its input."""
    flat = (int(np.prod(shape)),)
    tensors = [
        TensorSpec(name, each, dtype, scales=(scale,), zero_points=(zero_point,))
        for name, each in (("input", shape), ("output", flat))
    ]
    tensors.append(TensorSpec("shape", (1,), "int32", data=np.array(flat, np.int32)))
    operator = OperatorSpec("RESHAPE", (0, 2), (1,))
    return build_model(ModelSpec(tuple(tensors), (operator,), (0,), (1,)))


def compiled(
    name: str,
    model: bytes,
    target: Target,
    description: Description | None,
    *,
    optimize: Optimize = Optimize.BALANCED,
) -> Compiled:
    """With a sensor, or without one."""
    return compile_model(Request(model, name, target, optimize=optimize, sensor=description))


def run_cases(target: Target, cases: Sequence[Case], folder: Path) -> dict[str, Put]:
    """What each case gives on a target, all in one image."""
    image = image_of(target, cases, folder)
    data = b"".join(case.data for case in cases)
    result = run_image(target, image, data, invoke_symbol="sensor_invoke")
    found, position, call = {}, 0, 0
    for case in cases:
        end = position + case.turns * case.value_bytes
        found[case.name] = Put(result.output[position:end], result.counts[call : call + case.turns])
        position, call = end, call + case.turns
    assert position == len(result.output)
    return found


def image_of(target: Target, cases: Sequence[Case], folder: Path) -> Image:
    """Of cases, each with its model; written and linked in the folder."""
    for case in cases:
        for name, text in case.compiled.files.items():
            (folder / name).write_text(text, encoding="utf-8")
    unit = write_unit([case.name for case in cases], folder / "models.c")
    main = folder / "sensor_main.c"
    most = max(case.raw_bytes for case in cases)
    text = main_template(MAIN).render(cases=cases, most=most)
    main.write_text(text, encoding="utf-8")
    models = [object_of(target, unit, folder)]
    symbol = "sensor_invoke"
    return linked(target, [main], folder, name="sensor", models=models, invoke_symbol=symbol)
