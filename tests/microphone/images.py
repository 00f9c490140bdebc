"""Firmware that hears samples: models with a microphone in front of them, in one image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
import numpy as np
import numpy.typing as npt

from tests.sensor.images import Toml, described, identity
from tests.support.combined import write_unit
from tests.support.images import linked, object_of
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.interface import ArenaMode, Port
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

MAIN = Path(__file__).with_name("main.c.j2")
SYMBOL = "sound_invoke"
Samples = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Case:
    """A model that is given so many samples at a time, and is reset each `reset_after` times."""

    name: str
    compiled: Compiled
    samples: Samples
    chunk: int = 160
    reset_after: int = 0
    is_pdm: bool = False
    """The samples are bits, 16 at a time."""

    @property
    def turns(self) -> int:
        return self.samples.size // self.chunk

    @property
    def data(self) -> bytes:
        return self.samples[: self.turns * self.chunk].tobytes()

    @property
    def output(self) -> Port:
        return self.compiled.interface.outputs[-1]

    @property
    def is_callers(self) -> bool:
        return self.compiled.interface.arena is ArenaMode.CALLER


@dataclass(frozen=True)
class Heard:
    """The outputs that were announced, one after the other, and what each call took."""

    outputs: AnyArray
    is_new: AnyArray
    counts: tuple[int, ...]
    estimated_cycles: tuple[int, ...]
    stack_bytes: int | None


def of_features(
    name: str, target: Target, folder: Path, *, rows: int = 1, options: Toml | None = None
) -> Compiled:
    """A model that gives so many rows of features as they are, as int16."""
    table: Toml = {"features": "microfrontend", "scale": 1, **(options or {})}
    channels = int(str(table.get("num_channels", 40)))
    model = identity((1, rows, channels), scale=1.0, zero_point=0, dtype="int16")
    sensor = described(table, folder, name=name)
    return compile_model(Request(model, name, target, sensor=sensor))


def hear(target: Target, cases: Sequence[Case], folder: Path) -> dict[str, Heard]:
    """What each case gives on a target, all in one image."""
    data = b"".join(case.data for case in cases)
    result = run_image(target, image_of(target, cases, folder), data, invoke_symbol=SYMBOL)
    found, position, call = {}, 0, 0
    for case in cases:
        size, dtype = case.output.size_bytes, str(case.output.dtype)
        end = position + case.turns * (1 + size)
        answers = np.frombuffer(result.output[position:end], np.uint8).reshape(case.turns, -1)
        is_new = answers[:, 0].astype(bool)
        outputs = answers[is_new, 1:].reshape(-1).copy().view(dtype).reshape(is_new.sum(), -1)
        calls = slice(call, call + case.turns)
        found[case.name] = Heard(
            outputs,
            is_new,
            result.counts[calls],
            result.estimated_cycles[calls],
            result.stack_bytes,
        )
        position, call = end, calls.stop
    assert position == len(result.output)
    return found


def image_of(target: Target, cases: Sequence[Case], folder: Path) -> Image:
    """Of cases, each with its model; written and linked in the folder."""
    for case in cases:
        for name, text in case.compiled.files.items():
            (folder / name).write_text(text, encoding="utf-8")
    unit = write_unit([case.name for case in cases], folder / "models.c")
    main = folder / "sound_main.c"
    template = jinja2.Template(MAIN.read_text(), trim_blocks=True, lstrip_blocks=True)
    main.write_text(template.render(cases=cases), encoding="utf-8")
    models = [object_of(target, unit, folder)]
    return linked(target, [main], folder, name="sound", models=models, invoke_symbol=SYMBOL)
