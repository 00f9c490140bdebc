"""The options of a compilation, a row each, from which every way in takes them.

A new option is a row here and a field of `Request`.  Little is imported, because SCons reads this
whenever it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tinyml_rules.request.budgets import BUDGETS
from tinyml_rules.request.option import Kind, Option, parsed_by
from tinyml_rules.system.sources import operator_files

MAX_PAGE_BYTES = 32767
"""What an `int` counts on a 16-bit machine."""

_ROWS = (
    Option(
        "schedule",
        Kind.WORD,
        "which layers run row by row together",
        default="auto",
        choices={
            "auto": "where that saves RAM",
            "layer": "none",
            "stream": "wherever it is possible",
        },
    ),
    Option(
        "ram",
        Kind.NUMBER,
        "a limit for the RAM of the model in bytes (its arena, and a page of external weights): "
        "the least streaming that keeps to it, not the least RAM",
        metavar="BYTES",
        member="ram_bytes",
    ),
    Option(
        "push_rows",
        Kind.SWITCH,
        "take the input a row at a time; it never lies in RAM as a whole",
        default=False,
    ),
    Option(
        "arena",
        Kind.WORD,
        "where the arena lives",
        default="static",
        choices={
            "static": "an array of the model's own",
            "caller": "memory that every function is given",
            "shared": "one array for all models of a program",
        },
    ),
    Option(
        "place",
        Kind.PAIRS,
        "tensors (number or name) that lie in a further memory region of the target",
        default=(),
        metavar="TENSOR=REGION",
        member="places",
    ),
    Option(
        "optimize",
        Kind.WORD,
        "what the code is to be",
        default="balanced",
        choices={
            "size": "small: plain kernels that layers share, and the C compiler told so; slower",
            "balanced": "fast, where that takes little flash",
            "speed": "as fast as possible; takes more flash, and more stack",
            "layers": "balanced, but no table of 256 bytes stands for layers between single 8-bit "
            "values, for whoever wants to measure them",
        },
    ),
    Option(
        "kernel",
        Kind.PAIRS,
        "nodes, by the number that a profile shows, with the kernel that each is to have; `tune` "
        "finds those that are fastest",
        default=(),
        metavar="NODE=KERNEL",
        member="kernels",
    ),
    Option(
        "weights",
        Kind.WORD,
        "where the weights lie",
        default="flash",
        choices={
            "flash": "beside the code",
            "packed": "there too, those of dense layers packed without loss where it pays",
            "external": "in NAME.weights.bin, which the firmware reads",
            "partition": "with all that training changes in a section of its own, which the "
            "firmware can exchange for that of another model",
        },
    ),
    Option(
        "model_version",
        Kind.NUMBER,
        "a number in the image of weights=partition, for the firmware to compare",
        default=1,
        least=1,
        most=2**32 - 1,
        metavar="NUMBER",
    ),
    Option(
        "page",
        Kind.NUMBER,
        "bytes of external weights that are read at a time",
        default=64,
        least=1,
        most=MAX_PAGE_BYTES,
        metavar="BYTES",
        member="page_bytes",
    ),
    Option(
        "partition",
        Kind.SWITCH,
        "functions over whole tensors of real numbers in the header: NAME_quantize_inputs, "
        "NAME_quantized_main, NAME_dequantize_outputs, and NAME_predict, which calls the three; an "
        "error where the model is not of integers between its ends",
        default=False,
    ),
    Option(
        "rounding",
        Kind.WORD,
        "whose reference kernels the results equal, byte for byte, where the two differ",
        default="tflm",
        choices={
            "tflm": "those of TFLM",
            "litert": "those of LiteRT (BUILTIN_REF), which is not what its default interpreter "
            "runs on a desktop",
        },
        decides_values=True,
    ),
    Option(
        "checked",
        Kind.SWITCH,
        "for tests: overwrite dead bytes as the model runs, to find mistakes of the memory plan; "
        "slow",
        default=False,
    ),
    Option(
        "hooks",
        Kind.SWITCH,
        "call macros of yours before and behind each node, NAME_NODE_BEGIN and NAME_NODE_END of "
        "NAME_hooks.h",
        default=False,
    ),
    Option(
        "selftest",
        Kind.SWITCH,
        "a function NAME_selftest in the header, which compares all constants and an inference on "
        "generated input with what the compiler expects",
        default=False,
    ),
    Option(
        "dump",
        Kind.SWITCH,
        "functions NAME_dump_inputs and NAME_dump_outputs in the header, which print an inference "
        "as text that `replay` reads",
        default=False,
    ),
    Option(
        "operators",
        Kind.FOLDERS,
        "operators of your own: a folder of one, or a folder of such folders",
        default=(),
        metavar="DIR",
        decides_values=True,
    ),
    Option(
        "sensor",
        Kind.FILE,
        "a file that describes the raw values of the sensor, and what is decided by the output",
        metavar="FILE",
    ),
    *BUDGETS.values(),
)
OPTIONS: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""


def parsed(values: Mapping[str, object]) -> dict[str, Any]:
    """What the given options mean, by name; None stands for one that is not given."""
    return parsed_by(OPTIONS, values)


def named_files(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that the values of options name: of a folder, all; of a description, those too that
    it names itself."""
    from tinyml_rules.sensor.description import described_files  # noqa: PLC0415 - seldom needed

    folders = [values.get(each.name) or () for each in _ROWS if each.kind is Kind.FOLDERS]
    files = [values.get(each.name) for each in _ROWS if each.kind is Kind.FILE]
    in_folders = (file for each in folders for file in operator_files(each))
    described = (each for file in files if file for each in described_files(Path(file)))
    return (*in_folders, *map(str, described))
