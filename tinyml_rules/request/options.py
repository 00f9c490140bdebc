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
"""The largest `int` of a 16-bit machine."""

_SPEED = "speed and size"
_MEMORY = "memory"
_WEIGHTS = "weights"
_C_INTERFACE = "what else the C offers"
_RESULTS = "operators and rounding"
_DEBUGGING = "debugging"

_ROWS = (
    Option(
        "optimize",
        Kind.WORD,
        "how the code is optimized",
        default="balanced",
        choices={
            "size": "for size, and slower: layers share plain kernels, and the C compiler "
            "optimizes for size",
            "balanced": "for speed where the part's flash has room for that",
            "speed": "for speed, with more flash and stack",
            "layers": "as balanced, but layers between single 8-bit values stay layers instead of "
            "becoming a table of 256 bytes; to measure single layers",
        },
        group=_SPEED,
    ),
    Option(
        "kernel",
        Kind.PAIRS,
        "the kernel of a node, which is given by its number in a profile; `tune` finds the fastest",
        default=(),
        metavar="NODE=KERNEL",
        member="kernels",
        group=_SPEED,
    ),
    Option(
        "constant_time",
        Kind.SWITCH,
        "no branches that depend on data in convolutions on AVR with a multiplier, where results "
        "are not below the zero point, and in convolutions and dense layers on RISC-V; `wcet` "
        "shows what is left",
        default=False,
        group=_SPEED,
    ),
    Option(
        "schedule",
        Kind.WORD,
        "which layers are computed row by row together, so that tensors between them are never "
        "stored as a whole",
        default="auto",
        choices={
            "auto": "where that saves RAM",
            "layer": "none",
            "stream": "wherever it is possible",
        },
        group=_MEMORY,
    ),
    Option(
        "ram",
        Kind.AMOUNT,
        "the model's RAM (its arena, and a page of external weights), or a limit of it in bytes, "
        "which as few layers as possible run row by row to stay within",
        default="fastest",
        choices={
            "fastest": "nothing is computed again, unless the part has too little RAM for that",
            "least": "the least, even if much is computed again",
        },
        metavar="BYTES",
        group=_MEMORY,
    ),
    Option(
        "push_rows",
        Kind.SWITCH,
        "take the input one row at a time, so that it is never in RAM as a whole",
        default=False,
        group=_MEMORY,
    ),
    Option(
        "slide",
        Kind.NUMBER,
        "with push_rows: the rows of the input are a stream, and a window begins with every "
        "ROWS-th of them; rows that windows share are computed once",
        least=1,
        most=4096,
        unit="rows",
        metavar="ROWS",
        group=_MEMORY,
    ),
    Option(
        "arena",
        Kind.WORD,
        "where the arena is",
        default="static",
        choices={
            "static": "an array of the model's own",
            "caller": "memory that the caller passes to every function",
            "shared": "one array for all models of a program",
        },
        group=_MEMORY,
    ),
    Option(
        "place",
        Kind.PAIRS,
        "put a tensor, given by its number or name, into another memory region of the target",
        default=(),
        metavar="TENSOR=REGION",
        member="places",
        group=_MEMORY,
    ),
    Option(
        "weights",
        Kind.WORD,
        "where the weights are",
        default="flash",
        choices={
            "flash": "in flash, with the code",
            "packed": "in flash, compressed without loss where that pays; dense layers only",
            "external": "in a file, NAME.weights.bin, which the firmware reads",
            "partition": "everything that training changes is put into its own section, so that "
            "the firmware can swap in a newly trained model",
        },
        group=_WEIGHTS,
    ),
    Option(
        "page",
        Kind.NUMBER,
        "how many bytes of external weights are read at a time",
        default=64,
        least=1,
        most=MAX_PAGE_BYTES,
        metavar="BYTES",
        member="page_bytes",
        group=_WEIGHTS,
    ),
    Option(
        "model_version",
        Kind.NUMBER,
        "the version number in the image of weights=partition, which the firmware can compare",
        default=1,
        least=1,
        most=2**32 - 1,
        metavar="NUMBER",
        group=_WEIGHTS,
    ),
    Option(
        "signature",
        Kind.WORD,
        "what an image of weights=partition has to be signed by, or the firmware does not use it",
        default="none",
        choices={
            "none": "nothing: a CRC-32 finds accidents",
            "hmac": "HMAC-SHA256, which the generated C computes, with a key of NAME_key()",
            "ed25519": "Ed25519, which your NAME_verify() checks",
        },
        group=_WEIGHTS,
    ),
    Option(
        "sensor",
        Kind.FILE,
        "a file that describes the raw values of a sensor, and the decisions to make from outputs",
        metavar="FILE",
        group=_C_INTERFACE,
    ),
    Option(
        "slices",
        Kind.SWITCH,
        "add a function NAME_invoke_slice(n), which runs at most n layers or rows of an inference "
        "and returns whether more is left",
        default=False,
        group=_C_INTERFACE,
    ),
    Option(
        "partition",
        Kind.SWITCH,
        "add functions over whole tensors of real numbers: NAME_quantize_inputs, "
        "NAME_quantized_main, NAME_dequantize_outputs, and NAME_predict, which calls all three; "
        "fail if the model computes in floating point between its ends",
        default=False,
        group=_C_INTERFACE,
    ),
    Option(
        "rounding",
        Kind.WORD,
        "whose reference kernels the results equal, byte for byte, where the two differ",
        default="tflm",
        choices={
            "tflm": "those of TFLM",
            "litert": "those of LiteRT (BUILTIN_REF), which are not what its default interpreter "
            "runs on a desktop",
        },
        decides_values=True,
        group=_RESULTS,
    ),
    Option(
        "dequantize",
        Kind.SWITCH,
        "compile layers of float32 with weights of int8 or float16 as they are, in floating point: "
        "int8 weights stay in flash and are widened where they are used",
        default=False,
        decides_values=True,
        group=_RESULTS,
    ),
    Option(
        "operators",
        Kind.FOLDERS,
        "operators of your own: the folder of one, or a folder of such folders",
        default=(),
        metavar="DIR",
        decides_values=True,
        group=_RESULTS,
    ),
    Option(
        "hooks",
        Kind.SWITCH,
        "call your macros NAME_NODE_BEGIN and NAME_NODE_END, which NAME_hooks.h defines, before "
        "and after each node",
        default=False,
        group=_DEBUGGING,
    ),
    Option(
        "selftest",
        Kind.SWITCH,
        "add a function NAME_selftest, which checks that all constants, and the outputs for a "
        "generated input, are what the compiler expects",
        default=False,
        group=_DEBUGGING,
    ),
    Option(
        "dump",
        Kind.SWITCH,
        "add functions NAME_dump_inputs and NAME_dump_outputs, which print an inference as text "
        "that `replay` reads",
        default=False,
        group=_DEBUGGING,
    ),
    Option(
        "loop_limits",
        Kind.SWITCH,
        "say of loops whose count depends on data how often they run at most, outside of what is "
        "loaded: `wcet` reads it from your firmware",
        default=False,
        group=_DEBUGGING,
    ),
    Option(
        "checked",
        Kind.SWITCH,
        "for tests, and slow: overwrite bytes of the arena that are no longer needed, so that a "
        "mistake of the memory plan changes the outputs",
        default=False,
        group=_DEBUGGING,
    ),
    *BUDGETS.values(),
)
OPTIONS: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""


def parsed(values: Mapping[str, object]) -> dict[str, Any]:
    """The parsed values of the given options, by name; None for an option that is not given."""
    return parsed_by(OPTIONS, values)


def named_files(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that the values of options name: of a folder, all; of a description, those too that
    it names itself."""
    folders = [values.get(each.name) or () for each in _ROWS if each.kind is Kind.FOLDERS]
    files = [values.get(each.name) for each in _ROWS if each.kind is Kind.FILE]
    in_folders = (file for each in folders for file in operator_files(each))
    return (*in_folders, *(name for file in files if file for name in _described(Path(file))))


def _described(file: Path) -> tuple[str, ...]:
    from tinyml_rules.sensor.description import described_files  # noqa: PLC0415 - seldom needed

    return tuple(map(str, described_files(file)))
