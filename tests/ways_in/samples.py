"""A value for every option of the table, the models that it is for, and what the compiler makes.

An option that is new gets its value by its kind; one that changes nothing by itself, or is for
another model, has a row in `_OWN`.  It is by itself in one of the `SAMPLES`, and with all that it
goes with in one of `TOGETHER`, for ways in that start a process for each compilation.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flatbuffers import flexbuffers

from tests.conftest import PROJECT
from tests.partition.models import with_float_ends
from tinyml_rules.cli import main
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import bias, constant, quantized, random
from tinyml_rules.request.option import Kind, Option
from tinyml_rules.request.options import OPTIONS

TARGET = "stm32f405"
"""It has a further memory region."""
IMAGE, CLASSES = (1, 8, 8, 2), 3
SENSOR = '[input]\nraw = "uint8"\nrange = [0, 100]\n'
NUMBER = 100_000
"""Of an option of any unit, where nothing else is known: within the limits of all."""


@dataclass(frozen=True)
class Sample:
    """An option with a value as Python has it, and the file of the model that it is for."""

    option: str
    value: Any
    model: str = "net.tflite"
    others: Mapping[str, Any] = field(default_factory=dict)
    """Options without which this one changes nothing, or all that it is together with."""
    prefix: str = "net"

    @property
    def options(self) -> dict[str, Any]:
        """All that is asked for, by name."""
        return {self.option: self.value, **self.others}

    @property
    def name(self) -> str:
        """The prefix of the C symbols, one for each sample, so that all are in one build."""
        word = f"_{self.value}" if OPTIONS[self.option].kind is Kind.WORD else ""
        return f"{self.prefix}_{self.option}{word}"


_OWN = (
    Sample("ram", 420, "net.cc"),
    Sample("place", ["first=fast"]),
    Sample("kernel", ["0=conv_2d"]),
    Sample("slide", 2, others={"push_rows": True}),
    Sample("page", 24, others={"weights": "external"}),
    Sample("model_version", 7, others={"weights": "partition"}),
    Sample("signature", "hmac", others={"weights": "partition"}),
    Sample("signature", "ed25519", others={"weights": "partition"}),
    Sample("partition", True, "real.tflite"),
    Sample("operators", ["operators"], "custom.tflite"),
    Sample("sensor", "sensor.toml"),
)


def samples_of(option: Option) -> Iterator[Sample]:
    """The declared one, else values by the option's kind that are not its default."""
    own = [each for each in _OWN if each.option == option.name]
    by_kind: dict[Kind, list[Any]] = {
        Kind.WORD: [word for word in option.choices if word != option.default],
        Kind.NUMBER: [NUMBER if option.most is None else int(option.most)],
        Kind.AMOUNT: [*(word for word in option.choices if word != option.default), NUMBER],
        Kind.SWITCH: [not option.default],
        Kind.ENERGY: [f"{NUMBER} uJ"],
    }
    values = by_kind.get(option.kind, [])
    assert own or values, f"{option.name}: add a value to tests/ways_in/samples.py"
    yield from own or (Sample(option.name, value) for value in values)


SAMPLES = tuple(sample for option in OPTIONS.values() for sample in samples_of(option))
_APART = {
    "real.tflite": ("arena", "page", "sensor", "slices", "partition", "selftest", "dump"),
    "custom.tflite": ("operators",),
}
"""Options that do not go with some of all others, by the model that they are for."""


def _together(model: str, names: Sequence[str]) -> Sample:
    """The last sample of each of the options, as one."""
    last = {each.option: each for each in SAMPLES}
    options = {name: value for each in names for name, value in last[each].options.items()}
    return Sample(names[0], options.pop(names[0]), model, options, prefix="all")


_REST = [name for name in OPTIONS if not any(name in names for names in _APART.values())]
TOGETHER = (
    _together("net.cc", _REST),
    *(_together(model, names) for model, names in _APART.items()),
)


def network() -> ModelSpec:
    """Two convolutions and a dense layer, int8."""
    generator = random(9)
    image = (*IMAGE[:3], 4)

    def weights(*shape: int) -> Any:
        return constant("weights", generator.integers(-127, 128, shape), scales=(2.0**-8,))

    biases = [bias([0] * count, scales=(2.0**-12,)) for count in (4, 4, CLASSES)]
    tensors = (
        *(quantized("in", IMAGE, scale=2.0**-4), weights(4, 3, 3, 2), biases[0]),
        *(quantized("first", image, scale=2.0**-4), weights(4, 3, 3, 4), biases[1]),
        quantized("second", image, scale=2.0**-4),
        *(weights(CLASSES, 8 * 8 * 4), biases[2]),
        quantized("out", (1, CLASSES), scale=2.0**-4),
    )
    same = {"Padding": 0, "StrideW": 1, "StrideH": 1, "FusedActivationFunction": 1}
    operators = (
        OperatorSpec("CONV_2D", (0, 1, 2), (3,), same),
        OperatorSpec("CONV_2D", (3, 4, 5), (6,), same),
        OperatorSpec("FULLY_CONNECTED", (6, 7, 8), (9,)),
    )
    return ModelSpec(tensors, operators, inputs=(0,), outputs=(9,))


def with_custom_operator(model: ModelSpec) -> ModelSpec:
    """The network, and behind it the operator of examples/custom_operator."""
    options = bytes(flexbuffers.Dumps({"width": 0.3, "subtracts": True}))
    tensors = (*model.tensors, quantized("outside", (1, CLASSES), scale=2.0**-4))
    last = len(tensors) - 1
    deadband = OperatorSpec(
        "CUSTOM", model.outputs, (last,), custom_code="Deadband", custom_options=options
    )
    return ModelSpec(tensors, (*model.operators, deadband), model.inputs, (last,))


def write_project(folder: Path) -> None:
    """The models, and what options name, in a folder."""
    net = network()
    models = {"net": net, "real": with_float_ends(net), "custom": with_custom_operator(net)}
    for name, model in models.items():
        (folder / f"{name}.tflite").write_bytes(build_model(model))
    (folder / "net.cc").write_text(as_array(build_model(net)), encoding="utf-8")
    (folder / "sensor.toml").write_text(SENSOR, encoding="utf-8")
    operators = PROJECT / "examples" / "custom_operator" / "operators"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(operators, folder / "operators", ignore=ignore)


def as_array(data: bytes) -> str:
    """A file as the C++ of a firmware with TFLM has it."""
    numbers = ", ".join(f"0x{byte:02x}" for byte in data)
    return f"alignas(16) const unsigned char g_model[] = {{{numbers}}};\n"


Outcome = dict[str, Any]
"""The bytes of C, header and weights file by suffix, and the report."""


def outcome(folder: Path, name: str) -> Outcome:
    """What a way in left in a folder; SCons calls the report otherwise."""
    files = {
        suffix: (folder / f"{name}{suffix}").read_bytes()
        for suffix in (".c", ".h", ".weights.bin")
        if (folder / f"{name}{suffix}").is_file()
    }
    reports = [folder / f"{name}{suffix}" for suffix in (".report.json", ".model.json")]
    (report,) = (json.loads(file.read_text("utf-8")) for file in reports if file.is_file())
    return {**files, "report": report}


def words_of_command_line(options: Mapping[str, Any]) -> list[str]:
    """As `tinyml_rules compile` takes them."""
    words = []
    for name, value in options.items():
        dashed = OPTIONS[name].dashed
        if OPTIONS[name].kind is Kind.SWITCH:
            words.append(f"--{dashed}" if value else f"--no-{dashed}")
        else:
            values = value if isinstance(value, list) else [value]
            words += [word for each in values for word in (f"--{dashed}", str(each))]
    return words


def through_command_line(sample: Sample, options: Mapping[str, Any], out: Path) -> Outcome:
    """In the current folder, which has the project.  What no way in leaves where it is refused."""
    words = ["compile", sample.model, "--target", TARGET, "--name", sample.name]
    words += [*words_of_command_line(options), "--quiet", "--out", str(out)]
    status = main(words)
    return {"status": status} if status else outcome(out, sample.name)
